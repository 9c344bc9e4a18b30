// rustfs/operator, PR #194 (same as vmware/pinniped #800): the elector gives the lease back and runs its callback before it publishes that it no longer leads, so `is_leader` stays true while the `run` of another elector already leads.
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, watch, Notify};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaderState {
    Pending,
    Leading,
}

/// The lease object all replicas compete for.
#[derive(Default)]
pub struct Lease {
    holder: Mutex<Option<String>>,
    released: Notify,
}

impl Lease {
    fn try_acquire(&self, identity: &str) -> bool {
        let mut holder = self.holder.lock().unwrap();
        let free = holder.is_none();
        if free {
            *holder = Some(identity.to_string());
        }
        free
    }

    fn release(&self, identity: &str) {
        let mut holder = self.holder.lock().unwrap();
        if holder.as_deref() == Some(identity) {
            *holder = None;
            self.released.notify_one();
        }
    }
}

pub struct LeaderElector {
    lease: Arc<Lease>,
    identity: String,
    state: watch::Sender<LeaderState>,
    step_down: mpsc::Receiver<()>,
}

#[derive(Clone)]
pub struct LeaderElectorHandle {
    state: watch::Receiver<LeaderState>,
    step_down: mpsc::Sender<()>,
}

impl LeaderElectorHandle {
    pub fn is_leader(&self) -> bool {
        *self.state.borrow() == LeaderState::Leading
    }

    pub async fn step_down(&self) {
        let _ = self.step_down.send(()).await;
    }
}

impl LeaderElector {
    pub fn new(lease: Arc<Lease>, identity: &str) -> (Self, LeaderElectorHandle) {
        let (state, state_rx) = watch::channel(LeaderState::Pending);
        let (step_down_tx, step_down) = mpsc::channel(1);
        let handle = LeaderElectorHandle { state: state_rx, step_down: step_down_tx };
        (Self { lease, identity: identity.to_string(), state, step_down }, handle)
    }

    /// Takes part in the election until all handles are gone.
    pub async fn run<F, Fut>(mut self, on_stopped_leading: F)
    where
        F: Fn(String) -> Fut,
        Fut: Future<Output = ()>,
    {
        loop {
            while !self.lease.try_acquire(&self.identity) {
                self.lease.released.notified().await;
            }
            self.state.send_replace(LeaderState::Leading); //~
            tracing::info!("{} is leading", self.identity);
            let resigned = self.step_down.recv().await.is_some();
            self.lease.release(&self.identity); //~
            on_stopped_leading(self.identity.clone()).await;
            self.state.send_replace(LeaderState::Pending); //~
            if !resigned {
                return;
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
}
