// Repaired: std lock taken for single statements only, order kept by an async mutex of the wire.
//! Sends the telemetry of a rover over one TCP link: samples and, in between, heartbeats.
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Result;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Mutex as AsyncMutex, mpsc};
use tokio::time::interval;

const SAMPLE: u8 = 1;
const HEARTBEAT: u8 = 2;

/// Numbers the frames; the ground station asks for numbers it misses.
#[derive(Default)]
struct Journal {
    next: u32,
    recent: Vec<(u32, Bytes)>,
}

impl Journal {
    fn frame(&mut self, kind: u8, body: &[u8]) -> Bytes {
        let mut frame = BytesMut::with_capacity(body.len() + 9);
        frame.put_u8(kind);
        frame.put_u32(self.next);
        frame.put_u32(body.len() as u32);
        frame.put_slice(body);
        frame.freeze()
    }

    fn sent(&mut self, frame: Bytes) {
        self.recent.push((self.next, frame));
        if self.recent.len() > 256 {
            self.recent.remove(0);
        }
        self.next += 1;
    }
}

struct Link<W> {
    journal: Mutex<Journal>,
    wire: AsyncMutex<W>,
}

impl<W: AsyncWrite + Unpin> Link<W> {
    async fn transmit(&self, wire: &mut W, frame: &Bytes) -> Result<()> {
        wire.write_all(frame).await?;
        wire.flush().await?;
        Ok(())
    }

    async fn send(&self, kind: u8, body: &[u8]) -> Result<()> {
        let mut wire = self.wire.lock().await;
        let frame = self.journal.lock().unwrap().frame(kind, body);
        self.transmit(&mut wire, &frame).await?;
        self.journal.lock().unwrap().sent(frame);
        Ok(())
    }

    async fn samples(&self, mut samples: mpsc::Receiver<Vec<u8>>) -> Result<()> {
        while let Some(sample) = samples.recv().await {
            self.send(SAMPLE, &sample).await?;
        }
        Ok(())
    }

    async fn heartbeats(&self) -> Result<()> {
        let mut beat = interval(Duration::from_millis(250));
        loop {
            beat.tick().await;
            self.send(HEARTBEAT, &[]).await?;
        }
    }
}

async fn camera(out: mpsc::Sender<Vec<u8>>) {
    let mut frames = interval(Duration::from_millis(40));
    while out.send(vec![7; 64 * 1024]).await.is_ok() {
        frames.tick().await;
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let wire = TcpStream::connect("127.0.0.1:7070").await?;
    let link = Link { journal: Mutex::default(), wire: AsyncMutex::new(wire) };
    let (out, samples) = mpsc::channel(4);
    tokio::spawn(camera(out));
    tokio::try_join!(link.samples(samples), link.heartbeats())?;
    Ok(())
}
