// shep-pm/shep (issue #288), repaired: on shutdown the writer closes the outbox, writes what is still in it, and the channel offers a drain that waits for that.
use async_trait::async_trait;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, Mutex};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Reply { id: u64, body: Vec<u8> },
    Event { topic: String, body: Vec<u8> },
    Pong,
}

impl Frame {
    fn encode(&self) -> Vec<u8> {
        let (tag, head, body) = match self {
            Frame::Reply { id, body } => (1u8, id.to_be_bytes().to_vec(), body.as_slice()),
            Frame::Event { topic, body } => (2, topic.as_bytes().to_vec(), body.as_slice()),
            Frame::Pong => (3, Vec::new(), &[][..]),
        };
        let mut out = vec![tag];
        out.extend((head.len() as u32).to_be_bytes());
        out.extend(head);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend_from_slice(body);
        out
    }
}

#[derive(Debug)]
pub struct ChannelClosed;

#[derive(Clone)]
pub struct Outbox {
    tx: mpsc::Sender<Frame>,
}

impl Outbox {
    pub async fn reply(&self, id: u64, body: Vec<u8>) -> Result<(), ChannelClosed> {
        self.tx.send(Frame::Reply { id, body }).await.map_err(|_| ChannelClosed)
    }

    pub async fn emit(&self, topic: &str, body: Vec<u8>) -> Result<(), ChannelClosed> {
        self.tx.send(Frame::Event { topic: topic.to_owned(), body }).await.map_err(|_| ChannelClosed)
    }
}

#[async_trait]
pub trait Handler: Send + Sync + 'static {
    async fn on_request(&self, outbox: &Outbox, id: u64, body: Vec<u8>) -> Result<(), ChannelClosed>;
}

type ShutdownHook = Box<dyn FnOnce(Outbox) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

struct Writer<W> {
    wire: W,
    outbox: mpsc::Receiver<Frame>,
    shutdown: CancellationToken,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Writer<W> {
    async fn write(&mut self, frame: Frame) -> std::io::Result<()> {
        self.wire.write_all(&frame.encode()).await
    }

    async fn run(mut self) -> std::io::Result<()> {
        loop {
            tokio::select! {
                biased;
                _ = self.shutdown.cancelled() => break,
                frame = self.outbox.recv() => match frame {
                    Some(frame) => self.write(frame).await?,
                    None => break,
                },
            }
        }
        self.outbox.close();
        while let Some(frame) = self.outbox.recv().await {
            self.write(frame).await?;
        }
        self.wire.shutdown().await
    }
}

pub struct Channel<H> {
    handler: Arc<H>,
    outbox: Outbox,
    shutdown: CancellationToken,
    hooks: Mutex<HashMap<String, ShutdownHook>>,
    writer: Mutex<Option<JoinHandle<std::io::Result<()>>>>,
}

impl<H: Handler> Channel<H> {
    pub fn open<W>(wire: W, handler: H) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (tx, rx) = mpsc::channel(64);
        let shutdown = CancellationToken::new();
        let writer = Writer { wire, outbox: rx, shutdown: shutdown.clone() };
        let writer = tokio::spawn(writer.run());
        Self { handler: Arc::new(handler), outbox: Outbox { tx }, shutdown, hooks: Mutex::default(), writer: Mutex::new(Some(writer)) }
    }

    pub fn outbox(&self) -> Outbox {
        self.outbox.clone()
    }

    pub async fn on_shutdown<F, Fut>(&self, name: &str, hook: F)
    where
        F: FnOnce(Outbox) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let hook: ShutdownHook = Box::new(move |outbox| Box::pin(hook(outbox)));
        self.hooks.lock().await.insert(name.to_owned(), hook);
    }

    pub async fn dispatch(&self, id: u64, body: Vec<u8>) -> Result<(), ChannelClosed> {
        if self.shutdown.is_cancelled() {
            return Err(ChannelClosed);
        }
        self.handler.on_request(&self.outbox, id, body).await
    }

    /// Runs the hooks and ends the channel.
    pub async fn shutdown(&self) -> std::io::Result<()> {
        let hooks = std::mem::take(&mut *self.hooks.lock().await);
        for (_, hook) in hooks {
            hook(self.outbox()).await;
        }
        self.shutdown.cancel();
        let writer = self.writer.lock().await.take();
        match writer {
            Some(writer) => writer.await.unwrap_or_else(|e| Err(std::io::Error::other(e))),
            None => Ok(()),
        }
    }
}
