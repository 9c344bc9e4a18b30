// A library. The first job is copied under one guard, and taken out under the next: two workers get it, and the second job is lost.
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
        let job = self.jobs.lock().await.front().cloned();
        self.jobs.lock().await.pop_front();
        job
    }
}
