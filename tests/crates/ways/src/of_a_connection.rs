//! What the tasks of one connection share: the rounds of each come between those of the other, and another connection has something else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

/// How much may come in.
#[derive(Default)]
pub struct Window {
    left: u32,
}

async fn read_torn(mut from: TcpStream, window: Arc<Mutex<Window>>) {
    let mut bytes = [0; 16];
    while let Ok(1..) = from.read(&mut bytes).await {
        let left = window.lock().unwrap().left; //~
        if left > 0 {
            window.lock().unwrap().left = left - 1; //~
        }
    }
}

async fn read_at_once(mut from: TcpStream, window: Arc<Mutex<Window>>) {
    let mut bytes = [0; 16];
    while let Ok(1..) = from.read(&mut bytes).await {
        let mut window = window.lock().unwrap();
        if window.left > 0 {
            window.left -= 1;
        }
    }
}

async fn read_alone(mut from: TcpStream, window: Arc<Mutex<Window>>) {
    let mut bytes = [0; 16];
    while let Ok(1..) = from.read(&mut bytes).await {
        let left = window.lock().unwrap().left;
        window.lock().unwrap().left = left + 1;
    }
}

async fn refill(window: Arc<Mutex<Window>>) {
    let mut tick = tokio::time::interval(Duration::from_millis(20));
    loop {
        tick.tick().await;
        let mut window = window.lock().unwrap();
        if window.left == 0 {
            window.left = 16; //~
        }
    }
}

async fn refill_for_others(window: Arc<Mutex<Window>>) {
    let mut tick = tokio::time::interval(Duration::from_millis(20));
    loop {
        tick.tick().await;
        let mut window = window.lock().unwrap();
        if window.left == 0 {
            window.left = 16;
        }
    }
}

pub async fn serve_torn(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let window = Arc::new(Mutex::new(Window::default()));
        tokio::spawn(read_torn(stream, window.clone()));
        tokio::spawn(refill(window));
    }
}

/// In which order their rounds come says nothing.
pub async fn serve_at_once(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let window = Arc::new(Mutex::new(Window::default()));
        tokio::spawn(read_at_once(stream, window.clone()));
        tokio::spawn(refill_for_others(window));
    }
}

/// Each is kept where others see it, and changed by the task that it was made for.
#[derive(Default)]
pub struct Connections {
    open: Mutex<Vec<Arc<Mutex<Window>>>>,
}

impl Connections {
    pub async fn serve(&self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let window = Arc::new(Mutex::new(Window::default()));
            self.open.lock().unwrap().push(window.clone());
            tokio::spawn(read_alone(stream, window));
        }
    }

    pub fn left(&self) -> u32 {
        self.open.lock().unwrap().iter().map(|window| window.lock().unwrap().left).sum()
    }
}

async fn double(count: Arc<Mutex<u32>>) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    let n = *count.lock().unwrap(); //~
    *count.lock().unwrap() = n * 2; //~
}

async fn triple(count: Arc<Mutex<u32>>) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    let n = *count.lock().unwrap(); //~
    *count.lock().unwrap() = n * 3; //~
}

/// Two tasks of one request, behind what each waits for.
pub async fn both(n: u32) -> u32 {
    let count = Arc::new(Mutex::new(n));
    let first = tokio::spawn(double(count.clone()));
    let second = tokio::spawn(triple(count.clone()));
    let _ = (first.await, second.await);
    let n = *count.lock().unwrap();
    n
}

async fn add_two(count: Arc<Mutex<u32>>) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    let n = *count.lock().unwrap();
    *count.lock().unwrap() = n + 2;
}

async fn add_three(count: Arc<Mutex<u32>>) {
    tokio::time::sleep(Duration::from_millis(2)).await;
    let n = *count.lock().unwrap();
    *count.lock().unwrap() = n + 3;
}

/// One after the other.
pub async fn in_turn(n: u32) -> u32 {
    let count = Arc::new(Mutex::new(n));
    let _ = tokio::spawn(add_two(count.clone())).await;
    let _ = tokio::spawn(add_three(count.clone())).await;
    let n = *count.lock().unwrap();
    n
}
