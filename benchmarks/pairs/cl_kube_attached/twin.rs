// kube-client after pull request 1978: dropped, it aborts the task; `join` drops the reader first.
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;

pub struct AttachedProcess {
    stdout: Option<DuplexStream>,
    task: Option<JoinHandle<Result<(), String>>>,
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
        AttachedProcess { stdout: Some(reader), task: Some(task) }
    }

    pub fn stdout(&mut self) -> Option<DuplexStream> {
        self.stdout.take()
    }

    pub async fn join(mut self) -> Result<(), String> {
        self.stdout = None;
        match self.task.take() {
            Some(task) => task.await.unwrap_or_else(|e| Err(e.to_string())),
            None => Ok(()),
        }
    }
}

impl Drop for AttachedProcess {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
