//! A handle of a runtime in hand is none that the thread has entered, and what a trait object writes through blocks where that is called.
use std::io::{self, Write};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

type Listener = Box<dyn Fn(u32) + Send>;

fn watch(listener: Listener) {
    thread::spawn(move || (0..3).for_each(|event| listener(event)));
}

fn on_event(runtime: &Handle, event: u32) {
    println!("{event} on {:?}", runtime.runtime_flavor());
    tokio::spawn(async move { println!("{event}") }); //~ no-runtime-here
}

fn on_event_there(runtime: &Handle, event: u32) {
    println!("{event} on {:?}", runtime.runtime_flavor());
    runtime.spawn(async move { println!("{event}") });
}

struct Body {
    chunks: mpsc::Sender<Vec<u8>>,
}

impl Write for Body {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let sent = self.chunks.blocking_send(data.to_vec()); //~ runtime-in-runtime
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Waiting {
    chunks: mpsc::Sender<Vec<u8>>,
}

impl Write for Waiting {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let sent = self.chunks.blocking_send(data.to_vec());
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn archive(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "the archive")
}

fn archive_there(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "the archive")
}

#[tokio::main]
async fn main() {
    let (one, other) = (Handle::current(), Handle::current());
    watch(Box::new(move |event| on_event(&one, event)));
    watch(Box::new(move |event| on_event_there(&other, event)));
    let (chunks, mut received) = mpsc::channel(1);
    let there = chunks.clone();
    tokio::spawn(async move { drop(archive(&mut Body { chunks })) });
    tokio::task::spawn_blocking(move || drop(archive_there(&mut Waiting { chunks: there })));
    while received.recv().await.is_some() {}
}
