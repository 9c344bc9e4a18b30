//! A thread that runs what is given to it, with the paths of the loop of a window, which needs no display.
pub mod glib {
    use std::pin::Pin;
    use std::sync::OnceLock;
    use std::thread;

    use tokio::runtime::Handle;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
    use tokio::task::{LocalSet, spawn_local};

    type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Where the thread gets its work from. It drives the runtime of whoever comes first: what it spawns runs there.
    fn window() -> &'static UnboundedSender<Work> {
        static WINDOW: OnceLock<UnboundedSender<Work>> = OnceLock::new();
        WINDOW.get_or_init(|| {
            let (sender, mut receiver) = unbounded_channel::<Work>();
            let runtime = Handle::current();
            let run = move || {
                let all = async move {
                    while let Some(work) = receiver.recv().await {
                        spawn_local(work);
                    }
                };
                runtime.block_on(LocalSet::new().run_until(all));
            };
            thread::Builder::new().name("ui".into()).spawn(run).expect("a thread");
            sender
        })
    }

    pub struct MainContext;

    impl MainContext {
        #[allow(clippy::should_implement_trait)]
        pub fn default() -> Self {
            MainContext
        }

        pub fn spawn<F: Future<Output = ()> + Send + 'static>(&self, work: F) {
            let _ = window().send(Box::pin(work));
        }
    }
}
