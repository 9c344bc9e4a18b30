// ttrpc-rust, PR #227: wait_all_exit makes the future of self.wait() before it looks at the waiters a second time, but an async fn runs nothing until it is awaited, so notified() is called after the look; if the last waiter drops in between, its only notify_waiters() is lost and the server hangs in shutdown.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, Notify};
use tokio::time::{error::Elapsed, timeout, Duration};
use tracing::{error, info};

#[derive(Debug)]
struct Shared {
    shutdown: AtomicBool,
    notify_shutdown: Notify,
    waiters: AtomicUsize,
    notify_exit: Notify,
}

impl Shared {
    fn is_shutdown(&self) -> bool {
        self.shutdown.load(Ordering::SeqCst)
    }
}

#[derive(Debug)]
pub struct Waiter { shared: Arc<Shared> }

#[derive(Debug)]
pub struct Notifier { shared: Arc<Shared>, wait_time: Option<Duration> }

/// Create a shutdown pair; the duration limits [`Notifier::wait_all_exit()`].
pub fn new(wait_time: Option<Duration>) -> (Notifier, Waiter) {
    let shared = Arc::new(Shared {
        shutdown: AtomicBool::new(false),
        waiters: AtomicUsize::new(1),
        notify_shutdown: Notify::new(),
        notify_exit: Notify::new(),
    });
    (Notifier { shared: shared.clone(), wait_time }, Waiter { shared })
}

impl Waiter {
    pub async fn wait_shutdown(&self) {
        while !self.shared.is_shutdown() {
            let shutdown = self.shared.notify_shutdown.notified();
            if self.shared.is_shutdown() {
                return;
            }
            shutdown.await;
        }
    }
}

impl Clone for Waiter {
    fn clone(&self) -> Self {
        self.shared.waiters.fetch_add(1, Ordering::SeqCst);
        Self { shared: self.shared.clone() }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if 1 == self.shared.waiters.fetch_sub(1, Ordering::SeqCst) { //~
            self.shared.notify_exit.notify_waiters(); //~
        }
    }
}

impl Notifier {
    pub fn shutdown(&self) {
        if !self.shared.shutdown.swap(true, Ordering::SeqCst) {
            self.shared.notify_shutdown.notify_waiters();
        }
    }

    pub fn waiters(&self) -> usize {
        self.shared.waiters.load(Ordering::SeqCst)
    }

    pub async fn wait_all_exit(&self) -> Result<(), Elapsed> {
        if self.waiters() == 0 {
            return Ok(());
        }
        let wait = self.wait();
        if self.waiters() == 0 { //~
            return Ok(());
        }
        wait.await
    }

    async fn wait(&self) -> Result<(), Elapsed> {
        let exit = self.shared.notify_exit.notified(); //~
        match self.wait_time {
            Some(tm) => timeout(tm, exit).await,
            None => Ok(exit.await),
        }
    }
}

/// Accepts until `stop` is sent, then lets the connections finish what they are at.
pub async fn serve(listener: TcpListener, mut stop: oneshot::Receiver<()>) {
    let (notifier, waiter) = new(None);
    loop {
        tokio::select! {
            _ = &mut stop => break,
            conn = listener.accept() => {
                let Ok((conn, _peer)) = conn else { continue };
                tokio::spawn(handle_connection(conn, waiter.clone()));
            }
        }
    }
    drop(waiter);
    notifier.shutdown();
    if notifier.wait_all_exit().await.is_err() {
        error!("{} connections did not end in time", notifier.waiters());
    }
    info!("server shut down");
}

async fn handle_connection(mut conn: TcpStream, waiter: Waiter) {
    let mut frame = [0u8; 10];
    loop {
        tokio::select! {
            _ = waiter.wait_shutdown() => break,
            read = conn.read_exact(&mut frame) => if read.is_err() { break },
        }
        if conn.write_all(&frame).await.is_err() {
            break;
        }
    }
}
