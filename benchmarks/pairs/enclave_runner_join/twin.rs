// fortanix/rust-sgx issue #763 (as asked for there): the tasks are kept in a `JoinSet` and joined while `run` waits, so a panic of
// one of them becomes the error of the run; the rest is aborted when the set is dropped.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};
use tokio::task::JoinSet;

#[derive(Debug)]
pub enum EnclavePanic {
    DebugStr(String),
    Join(String),
}

#[derive(Debug, Clone)]
pub enum Usercall {
    Write { fd: u64, data: Vec<u8> },
    Close { fd: u64 },
    LaunchThread,
    Exit { panic: Option<String> },
}

/// An entry of the enclave: runs until its next usercall, gets the result of the last one.
pub trait Tcs: Send + 'static {
    fn coenter(&mut self, result: u64) -> Usercall;
}

pub struct EnclaveState {
    fds: Mutex<HashMap<u64, Vec<u8>>>,
    free_threads: Mutex<Vec<Box<dyn Tcs>>>,
    exits: mpsc::UnboundedSender<Result<(), EnclavePanic>>,
}

impl EnclaveState {
    /// The result is handed back to the enclave; `None` when this thread is done.
    async fn handle_usercall(&self, call: Usercall) -> Option<u64> {
        match call {
            Usercall::Write { fd, data } => {
                let mut fds = self.fds.lock().await;
                let out = fds.get_mut(&fd).expect("write to an fd which is not open");
                out.extend_from_slice(&data);
                Some(data.len() as u64)
            }
            Usercall::Close { fd } => Some(self.fds.lock().await.remove(&fd).map_or(1, |_| 0)),
            Usercall::LaunchThread => Some(u64::MAX),
            Usercall::Exit { panic } => {
                let _ = self.exits.send(match panic {
                    None => Ok(()),
                    Some(msg) => Err(EnclavePanic::DebugStr(msg)),
                });
                None
            }
        }
    }

    async fn run_thread(self: Arc<Self>, mut tcs: Box<dyn Tcs>, launch: mpsc::UnboundedSender<Box<dyn Tcs>>) {
        let mut result = 0;
        loop {
            let call = tcs.coenter(result);
            if let Usercall::LaunchThread = call {
                let next = self.free_threads.lock().await.pop();
                result = match next {
                    Some(next) => launch.send(next).map_or(1, |_| 0),
                    None => 1,
                };
                continue;
            }
            match self.handle_usercall(call).await {
                Some(r) => result = r,
                None => return,
            }
        }
    }
}

pub struct Command {
    main: Box<dyn Tcs>,
    threads: Vec<Box<dyn Tcs>>,
}

impl Command {
    pub fn new(main: Box<dyn Tcs>, threads: Vec<Box<dyn Tcs>>) -> Self {
        Self { main, threads }
    }

    /// Runs the enclave until it exits; a panic in it (or in what serves it) is the error.
    pub async fn run(self) -> Result<(), EnclavePanic> {
        let (exits, mut exited) = mpsc::unbounded_channel();
        let (launch, mut launched) = mpsc::unbounded_channel();
        let fds = HashMap::from([(1, Vec::new()), (2, Vec::new())]);
        let state = Arc::new(EnclaveState { fds: Mutex::new(fds), free_threads: Mutex::new(self.threads), exits });
        let mut threads = JoinSet::new();
        threads.spawn(state.clone().run_thread(self.main, launch.clone()));
        loop {
            tokio::select! {
                Some(exit) = exited.recv() => return exit,
                Some(tcs) = launched.recv() => {
                    threads.spawn(state.clone().run_thread(tcs, launch.clone()));
                }
                Some(joined) = threads.join_next() => if let Err(e) = joined {
                    return Err(EnclavePanic::Join(e.to_string()));
                },
            }
        }
    }
}
