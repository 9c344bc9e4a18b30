// tokio-cron-scheduler 0.8.4: the answer is awaited.
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use tokio::sync::{broadcast, oneshot};

#[derive(Clone)]
pub struct Context {
    jobs: Arc<RwLock<HashMap<u64, String>>>,
    created: broadcast::Sender<u64>,
}

struct JobCreator;

impl JobCreator {
    async fn add(context: &Context, id: u64, name: String) -> Result<u64, ()> {
        let mut rx = context.created.subscribe();
        let (done_tx, done_rx) = oneshot::channel();
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
        done_rx.await.map_err(|_| ())?
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
        JobCreator::add(&context, id, name).await
    }
}
