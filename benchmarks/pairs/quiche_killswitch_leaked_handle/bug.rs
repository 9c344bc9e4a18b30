// cloudflare/quiche PR #2188, commit b23310e7: a short task's Drop guard sends Remove before spawn_task sends Add: handle stays for ever.
use parking_lot::RwLock;
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

enum ActiveTaskOp {
    Add { id: u64, handle: JoinHandle<()> },
    Remove { id: u64 },
}

struct RemoveOnDrop {
    id: u64,
    task_tx_weak: mpsc::WeakUnboundedSender<ActiveTaskOp>,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(tx) = self.task_tx_weak.upgrade() {
            let _ = tx.send(ActiveTaskOp::Remove { id: self.id });
        }
    }
}

pub struct TaskKillswitch {
    task_tx: RwLock<Option<mpsc::UnboundedSender<ActiveTaskOp>>>,
    task_counter: AtomicU64,
    all_killed: watch::Receiver<()>,
}

impl TaskKillswitch {
    pub fn new() -> Self {
        let (task_tx, task_rx) = mpsc::unbounded_channel();
        let (signal_killed, all_killed) = watch::channel(());
        let active_tasks = ActiveTasks {
            task_rx,
            tasks: HashMap::new(),
            signal_killed,
        };
        tokio::spawn(active_tasks.collect());
        Self {
            task_tx: RwLock::new(Some(task_tx)),
            task_counter: AtomicU64::new(0),
            all_killed,
        }
    }

    pub fn spawn_task(&self, fut: impl Future<Output = ()> + Send + 'static) {
        let Some(task_tx) = self.task_tx.read().as_ref().cloned() else {
            return;
        };
        let id = self.task_counter.fetch_add(1, Ordering::SeqCst);
        let task_tx_weak = task_tx.downgrade();
        let handle = tokio::spawn(async move {
            let _guard = RemoveOnDrop { task_tx_weak, id };
            fut.await;
        });
        let _ = task_tx.send(ActiveTaskOp::Add { id, handle });
    }

    pub fn activate(&self) -> bool {
        self.task_tx.write().take().is_some()
    }

    pub fn killed(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut signal = self.all_killed.clone();
        async move {
            let _ = signal.changed().await;
        }
    }
}

impl Default for TaskKillswitch {
    fn default() -> Self {
        Self::new()
    }
}

struct ActiveTasks {
    task_rx: mpsc::UnboundedReceiver<ActiveTaskOp>,
    tasks: HashMap<u64, JoinHandle<()>>,
    signal_killed: watch::Sender<()>,
}

impl ActiveTasks {
    async fn collect(mut self) {
        while let Some(op) = self.task_rx.recv().await {
            self.handle_task_op(op);
        }
        for task in self.tasks.into_values() {
            task.abort();
        }
        drop(self.signal_killed);
    }

    fn handle_task_op(&mut self, op: ActiveTaskOp) {
        match op {
            ActiveTaskOp::Add { id, handle } => {
                self.tasks.insert(id, handle);
            }
            ActiveTaskOp::Remove { id } => {
                self.tasks.remove(&id);
            }
        }
    }
}
