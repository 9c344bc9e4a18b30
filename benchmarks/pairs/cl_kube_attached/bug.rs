// kube-client 3.1 (fixed by pull request 1978, May 2026), src/api/remote_command.rs: the handle of a process keeps the `JoinHandle` of the task that
// copies its output; dropping it ends neither task nor connection. And `join` waits for the task while it keeps the reader that nobody reads.
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;

pub struct AttachedProcess {
    stdout: Option<DuplexStream>,
    task: JoinHandle<Result<(), String>>,
}

async fn copy(mut from: tokio::net::TcpStream, mut to: DuplexStream) -> Result<(), String> {
    let mut buffer = [0u8; 1024];
    loop {
        let n = from.read(&mut buffer).await.map_err(|e| e.to_string())?;
        if n == 0 {
            return Ok(());
        }
        if to.write_all(&buffer[..n]).await.is_err() {
            continue;
        }
    }
}

impl AttachedProcess {
    pub fn new(stream: tokio::net::TcpStream) -> AttachedProcess {
        let (writer, reader) = tokio::io::duplex(1024);
        let task = tokio::spawn(copy(stream, writer));
        AttachedProcess { stdout: Some(reader), task }
    }

    pub fn stdout(&mut self) -> Option<DuplexStream> {
        self.stdout.take()
    }

    pub async fn join(self) -> Result<(), String> {
        self.task.await.unwrap_or_else(|e| Err(e.to_string()))
    }
}
