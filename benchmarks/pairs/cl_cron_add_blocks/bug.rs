// tokio-cron-scheduler 0.8.3 (fixed in 0.8.4), src/job/creator.rs: `add`, called by an async function, starts a task that answers through a
// channel of std, and blocks in `recv` until it does: the thread that should run the task waits for it (a deadlock with one worker).
use std::collections::HashMap;
use std::sync::{mpsc, Arc, RwLock};
use tokio::sync::broadcast;

#[derive(Clone)]
pub struct Context {
    jobs: Arc<RwLock<HashMap<u64, String>>>,
    created: broadcast::Sender<u64>,
}

struct JobCreator;

impl JobCreator {
    fn add(context: &Context, id: u64, name: String) -> Result<u64, ()> {
        let mut rx = context.created.subscribe();
        let (done_tx, done_rx) = mpsc::channel();
        let of_task = context.clone();
        tokio::spawn(async move {
            of_task.jobs.write().unwrap().insert(id, name);
            let _ = of_task.created.send(id);
            while let Ok(created) = rx.recv().await {
                if created == id {
                    let _ = done_tx.send(Ok(id));
                    break;
                }
            }
        });
        done_rx.recv().map_err(|_| ())?
    }
}

pub struct JobScheduler {
    context: Arc<Context>,
}

impl JobScheduler {
    pub fn new() -> Self {
        let (created, _) = broadcast::channel(16);
        JobScheduler { context: Arc::new(Context { jobs: Default::default(), created }) }
    }

    pub async fn add(&self, id: u64, name: String) -> Result<u64, ()> {
        let context = self.context.clone();
        JobCreator::add(&context, id, name)
    }
}
