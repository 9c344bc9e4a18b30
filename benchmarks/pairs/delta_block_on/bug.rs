// delta-io/delta-kernel-rs, PR #3202: `block_on` parks its caller until a result that is handed over by another `spawn_blocking`, so the tasks of `load_deletion_vectors` that fill the blocking pool wait forever for a thread of that pool.
use std::collections::HashMap;
use std::future::Future;
use std::sync::{mpsc, Arc};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::task::JoinSet;

/// Runs futures for the synchronous engine; `block_on` may be called from any thread that may block.
pub trait TaskExecutor: Send + Sync + 'static {
    fn block_on<T>(&self, task: T) -> T::Output
    where
        T: Future + Send + 'static,
        T::Output: Send + 'static;
}

pub struct TokioMultiThreadExecutor {
    handle: Handle,
}

impl TokioMultiThreadExecutor {
    pub fn new(handle: Handle) -> Self {
        assert_eq!(handle.runtime_flavor(), RuntimeFlavor::MultiThread);
        Self { handle }
    }
}

impl TaskExecutor for TokioMultiThreadExecutor {
    fn block_on<T>(&self, task: T) -> T::Output
    where
        T: Future + Send + 'static,
        T::Output: Send + 'static,
    {
        let (sender, receiver) = mpsc::channel();
        self.handle.spawn(async move {
            let output = task.await;
            let _ = tokio::task::spawn_blocking(move || sender.send(output)).await; //~
        });
        receiver.recv().expect("the task does not panic") //~
    }
}

#[derive(Default)]
pub struct ObjectStore {
    objects: HashMap<String, Vec<u8>>,
}

impl ObjectStore {
    async fn get(&self, path: &str) -> Option<Vec<u8>> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.objects.get(path).cloned()
    }
}

pub struct DefaultEngine<E: TaskExecutor> {
    executor: E,
    store: Arc<ObjectStore>,
}

impl<E: TaskExecutor> DefaultEngine<E> {
    /// The synchronous storage API of the kernel.
    pub fn read_file(&self, path: String) -> Option<Vec<u8>> {
        let store = self.store.clone();
        self.executor.block_on(async move { store.get(&path).await })
    }

    pub async fn load_deletion_vectors(self: &Arc<Self>, paths: Vec<String>) -> usize {
        let mut reads = JoinSet::new();
        for path in paths {
            let engine = self.clone();
            reads.spawn_blocking(move || engine.read_file(path)); //~
        }
        reads.join_all().await.into_iter().flatten().count()
    }
}

fn main() -> std::io::Result<()> {
    let runtime = Builder::new_multi_thread().worker_threads(2).max_blocking_threads(8).enable_all().build()?;
    let objects = (0..32).map(|i| (format!("dv-{i}.bin"), vec![i])).collect::<HashMap<_, _>>();
    let paths = objects.keys().cloned().collect();
    let executor = TokioMultiThreadExecutor::new(runtime.handle().clone());
    let engine = Arc::new(DefaultEngine { executor, store: Arc::new(ObjectStore { objects }) });
    println!("{} deletion vectors", runtime.block_on(engine.load_deletion_vectors(paths)));
    Ok(())
}
