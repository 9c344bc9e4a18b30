// Modelled on InfinityVM/InfinityVM PR #455 ("Fix race condition in active_actors map").
// `contains_key` and `insert` are two steps with a call to the chain between them: calls for the same consumer
// that come at once each start an execution actor, and the jobs are spread over actors that count the same nonces.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use dashmap::DashMap;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

pub type ConsumerAddress = [u8; 20];

#[derive(Debug, Error)]
pub enum IntakeError {
    #[error("consumer address has {0} bytes")]
    InvalidAddress(usize),
    #[error("rpc: {0}")]
    Rpc(String),
    #[error("the execution actor is gone")]
    ActorGone,
}

#[derive(Debug, Clone)]
pub struct Job {
    pub consumer_address: Vec<u8>,
    pub nonce: u64,
    pub input: Vec<u8>,
}

#[async_trait]
pub trait ConsumerContract: Send + Sync + 'static {
    async fn next_nonce(&self, consumer: &ConsumerAddress) -> Result<u64, IntakeError>;
}

#[async_trait]
pub trait Executor: Send + Sync + 'static {
    async fn execute_and_relay(&self, job: Job);
}

struct ExecutionActor<X> {
    executor: Arc<X>,
    next_nonce: u64,
    waiting: BTreeMap<u64, Job>,
    rx: mpsc::Receiver<Job>,
}

impl<X: Executor> ExecutionActor<X> {
    async fn run(mut self) {
        while let Some(job) = self.rx.recv().await {
            self.waiting.insert(job.nonce, job);
            while let Some(job) = self.waiting.remove(&self.next_nonce) {
                self.executor.execute_and_relay(job).await;
                self.next_nonce += 1;
            }
        }
    }
}

struct ExecutionActorSpawner<X> {
    executor: Arc<X>,
    actors: TaskTracker,
}

impl<X: Executor> ExecutionActorSpawner<X> {
    fn spawn(&self, next_nonce: u64) -> mpsc::Sender<Job> {
        let (tx, rx) = mpsc::channel(128);
        let actor =
            ExecutionActor { executor: self.executor.clone(), next_nonce, waiting: BTreeMap::new(), rx };
        self.actors.spawn(actor.run());
        tx
    }
}

pub struct IntakeHandlers<C, X> {
    contract: C,
    execution_actor_spawner: ExecutionActorSpawner<X>,
    active_actors: DashMap<ConsumerAddress, mpsc::Sender<Job>>,
}

impl<C: ConsumerContract, X: Executor> IntakeHandlers<C, X> {
    pub fn new(contract: C, executor: X) -> Self {
        Self {
            contract,
            execution_actor_spawner: ExecutionActorSpawner {
                executor: Arc::new(executor),
                actors: TaskTracker::new(),
            },
            active_actors: DashMap::new(),
        }
    }

    pub async fn submit_job(&self, job: Job) -> Result<(), IntakeError> {
        let consumer_address: ConsumerAddress = job
            .consumer_address
            .as_slice()
            .try_into()
            .map_err(|_| IntakeError::InvalidAddress(job.consumer_address.len()))?;

        let execution_tx = if !self.active_actors.contains_key(&consumer_address) { //~
            let nonce = self.contract.next_nonce(&consumer_address).await?;
            let execution_tx = self.execution_actor_spawner.spawn(nonce);
            self.active_actors.insert(consumer_address, execution_tx.clone()); //~
            execution_tx
        } else {
            self.active_actors
                .get(&consumer_address)
                .expect("we checked above that the entry exists, and none is ever removed")
                .clone()
        };

        execution_tx.send(job).await.map_err(|_| IntakeError::ActorGone)
    }

    pub async fn shutdown(self) {
        let actors = self.execution_actor_spawner.actors.clone();
        drop(self.active_actors);
        actors.close();
        actors.wait().await;
    }
}
