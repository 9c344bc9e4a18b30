// Who takes the job out, the worker or who stops it, reports it.
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[derive(Default)]
struct State {
    running: Option<u64>,
    result: Option<u64>,
}

pub struct Worker {
    state: Arc<Mutex<State>>,
}

/// Stops a worker from elsewhere.
pub struct Stopper {
    state: Arc<Mutex<State>>,
}

async fn report(text: String) -> std::io::Result<()> {
    let mut stream = TcpStream::connect("127.0.0.1:7419").await?;
    stream.write_all(text.as_bytes()).await
}

impl Worker {
    pub fn new() -> Self {
        Worker { state: Arc::default() }
    }

    pub fn stopper(&self) -> Stopper {
        Stopper { state: self.state.clone() }
    }

    pub async fn run_one(&mut self, job: u64, work: impl Fn(u64)) -> std::io::Result<()> {
        self.state.lock().unwrap().running = Some(job);
        work(job);
        {
            let mut state = self.state.lock().unwrap();
            if state.running.take().is_none() {
                return Ok(());
            }
            state.result = Some(job);
        }
        report(format!("ACK {job}\n")).await?;
        self.state.lock().unwrap().result = None;
        Ok(())
    }
}

impl Stopper {
    pub async fn fail_running(&self) -> std::io::Result<usize> {
        let job = self.state.lock().unwrap().running.take();
        if let Some(job) = job {
            report(format!("FAIL {job}\n")).await?;
            return Ok(1);
        }
        Ok(0)
    }
}
