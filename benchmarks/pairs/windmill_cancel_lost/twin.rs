// windmill-labs/windmill PR 11246, repaired: the deleted row has the last word. (The database is a map under a mutex.)
//! Job queue and its workers. A running job learns of a cancel when its worker reads the queue row;
//! a perpetual script is started again when a run of it ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use uuid::Uuid;

#[derive(Debug, Clone)]
pub struct QueuedJob {
    pub script: String,
    pub perpetual: bool,
    pub duration: Duration,
    pub running: bool,
    pub canceled_by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStatus {
    Success,
    Canceled { by: String },
}

#[derive(Default)]
struct Db {
    queue: BTreeMap<Uuid, QueuedJob>,
    completed: HashMap<Uuid, JobStatus>,
}

#[derive(Default)]
pub struct JobQueue {
    db: Mutex<Db>,
    pushed: Notify,
}

impl JobQueue {
    pub fn push(&self, script: &str, duration: Duration, perpetual: bool) -> Uuid {
        let id = Uuid::new_v4();
        let script = script.to_string();
        let job = QueuedJob { script, perpetual, duration, running: false, canceled_by: None };
        self.db.lock().unwrap().queue.insert(id, job);
        self.pushed.notify_one();
        id
    }

    fn pull(&self) -> Option<(Uuid, QueuedJob)> {
        let mut db = self.db.lock().unwrap();
        let (id, job) = db.queue.iter_mut().find(|(_, job)| !job.running)?;
        job.running = true;
        Some((*id, job.clone()))
    }

    /// False if there is no such job in the queue (any more).
    pub fn cancel_job(&self, id: Uuid, username: &str) -> bool {
        match self.db.lock().unwrap().queue.get_mut(&id) {
            Some(job) => {
                job.canceled_by.get_or_insert_with(|| username.to_string());
                true
            }
            None => false,
        }
    }

    fn get_canceled_by(&self, id: Uuid) -> Option<String> {
        self.db.lock().unwrap().queue.get(&id).and_then(|job| job.canceled_by.clone())
    }

    pub fn completed_status(&self, id: Uuid) -> Option<JobStatus> {
        self.db.lock().unwrap().completed.get(&id).cloned()
    }

    fn commit_completed_job(&self, id: Uuid, canceled_by: Option<String>) -> JobStatus {
        let mut db = self.db.lock().unwrap();
        // The row that is removed has the last word: a cancel may have come since it was read.
        let canceled_at_delete = db.queue.remove(&id).and_then(|job| job.canceled_by);
        let status = match canceled_by.or(canceled_at_delete) {
            Some(by) => JobStatus::Canceled { by },
            None => JobStatus::Success,
        };
        db.completed.insert(id, status.clone());
        status
    }
}

/// Runs the job. Reads the row every 500ms at first, and the less often the longer it runs.
async fn handle_child(queue: &JobQueue, id: Uuid, job: &QueuedJob) -> Option<String> {
    let mut elapsed = Duration::ZERO;
    while elapsed < job.duration {
        if let Some(by) = queue.get_canceled_by(id) {
            return Some(by);
        }
        let tick = if elapsed < Duration::from_secs(10) { 500 } else { 2500 };
        let step = Duration::from_millis(tick).min(job.duration - elapsed);
        tokio::time::sleep(step).await;
        elapsed += step;
    }
    None
}

async fn run_worker(name: String, queue: Arc<JobQueue>) {
    loop {
        let Some((id, job)) = queue.pull() else {
            let _ = tokio::time::timeout(Duration::from_secs(1), queue.pushed.notified()).await;
            continue;
        };
        let canceled_by = handle_child(&queue, id, &job).await;
        let status = queue.commit_completed_job(id, canceled_by);
        tracing::info!(worker = %name, %id, ?status, "job completed");
        if job.perpetual && status == JobStatus::Success {
            queue.push(&job.script, job.duration, true);
        }
    }
}

#[tokio::main]
async fn main() {
    let queue = Arc::new(JobQueue::default());
    for n in 0..2 {
        tokio::spawn(run_worker(format!("wk-{n}"), queue.clone()));
    }
    let id = queue.push("u/admin/poll_mailbox", Duration::from_millis(700), true);
    tokio::time::sleep(Duration::from_millis(600)).await;
    let found = queue.cancel_job(id, "admin@windmill.dev");
    tokio::time::sleep(Duration::from_millis(300)).await;
    println!("cancel found the job: {found}; recorded: {:?}", queue.completed_status(id));
}
