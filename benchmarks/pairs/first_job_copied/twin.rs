// As the bug, but taken out and given to the one who took it out.
use std::collections::VecDeque;
use tokio::sync::Mutex;

#[derive(Default)]
pub struct Backlog {
    jobs: Mutex<VecDeque<String>>,
}

impl Backlog {
    pub async fn add(&self, job: String) {
        self.jobs.lock().await.push_back(job);
    }

    pub async fn next(&self) -> Option<String> {
        let job = self.jobs.lock().await.pop_front();
        job
    }
}
