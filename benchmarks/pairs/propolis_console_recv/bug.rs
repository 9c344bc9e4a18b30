// Modelled on oxidecomputer/propolis issue #434 (repaired in #435): `InstanceSerialConsoleHelper::recv`.
// `recv` takes a message out of the stream and then awaits a reconnect; it is a branch of `select!`, so
// when standard input wins during that await the message already taken is lost.

use std::io;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::mpsc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WsMessage {
    Binary(Bytes),
    Migrating { destination: String, from_byte: u64 },
    Close,
}

#[async_trait]
pub trait Dialer: Send + Sync {
    async fn dial(&self, destination: &str, offset: u64) -> io::Result<mpsc::Receiver<WsMessage>>;
}

pub struct SerialConsole<D> {
    stream: mpsc::Receiver<WsMessage>,
    dialer: D,
    received: u64,
}

impl<D: Dialer> SerialConsole<D> {
    pub fn new(stream: mpsc::Receiver<WsMessage>, dialer: D) -> Self {
        Self { stream, dialer, received: 0 }
    }

    /// The next message, following the instance if it migrates.
    pub async fn recv(&mut self) -> Option<io::Result<WsMessage>> {
        let message = self.stream.recv().await?; //~
        match self.process(message).await { //~
            Ok(message) => Some(Ok(message)),
            Err(e) => Some(Err(e)),
        }
    }

    async fn process(&mut self, message: WsMessage) -> io::Result<WsMessage> {
        match &message {
            WsMessage::Binary(data) => self.received += data.len() as u64,
            WsMessage::Migrating { destination, from_byte } => {
                let offset = self.received.max(*from_byte);
                self.stream = self.dialer.dial(destination, offset).await?;
            }
            WsMessage::Close => {}
        }
        Ok(message)
    }
}

fn print_console(data: &[u8]) -> io::Result<()> {
    use io::Write;
    let mut out = io::stdout().lock();
    out.write_all(data)?;
    out.flush()
}

pub async fn serial<D: Dialer>(
    mut console: SerialConsole<D>,
    mut stdin: mpsc::Receiver<Vec<u8>>,
    to_instance: mpsc::Sender<Bytes>,
) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            input = stdin.recv() => match input {
                Some(input) => to_instance.send(Bytes::from(input)).await?,
                None => break,
            },
            message = console.recv() => match message { //~
                Some(Ok(WsMessage::Binary(data))) => print_console(&data)?,
                Some(Ok(WsMessage::Migrating { destination, .. })) => {
                    tracing::info!(%destination, "instance moved");
                }
                Some(Ok(WsMessage::Close)) | None => break,
                Some(Err(e)) => return Err(e.into()),
            },
        }
    }
    Ok(())
}
