//! Runtimes that are entered twice, and those that are missing.
use std::pin::pin;
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Mutex;

struct Bank {
    money: Mutex<u64>,
}

impl Bank {
    fn total(&self) -> u64 {
        *self.money.blocking_lock() //~ runtime-in-runtime
    }

    /// Where threads may wait.
    fn total_there(&self) -> u64 {
        *self.money.blocking_lock()
    }
}

async fn price(item: u32) -> u64 {
    tokio::time::sleep(Duration::from_millis(1)).await;
    u64::from(item)
}

fn price_now(item: u32) -> u64 {
    Handle::current().block_on(price(item)) //~ runtime-in-runtime
}

fn price_there(item: u32) -> u64 {
    Handle::current().block_on(price(item))
}

async fn buy(item: u32, bank: Arc<Bank>) {
    let costs = price_now(item);
    *bank.money.lock().await += costs;
}

async fn sum(bank: Arc<Bank>) -> u64 {
    bank.total()
}

/// A runtime that ends inside of another one.
async fn nested() {
    let inner = Runtime::new().unwrap();
    inner.spawn(async {});
} //~ runtime-in-runtime

/// One that ends on a thread of its own.
fn apart() {
    let inner = Runtime::new().unwrap();
    inner.block_on(price(3));
}

async fn ask_there(bank: Arc<Bank>) -> u64 {
    let asked = tokio::task::spawn_blocking(move || bank.total_there() + price_there(1));
    let in_place = tokio::task::block_in_place(|| price_there(2));
    asked.await.unwrap_or_default() + in_place
}

/// Asks first.
fn wherever(item: u32) -> u64 {
    match Handle::try_current() {
        Ok(handle) => tokio::task::block_in_place(move || handle.block_on(price(item))),
        Err(_) => Runtime::new().unwrap().block_on(price(item)),
    }
}

fn watch(bank: Arc<Bank>) {
    tokio::spawn(buy(7, bank)); //~ no-runtime-here
}

fn watch_with(handle: Handle, bank: Arc<Bank>) {
    handle.spawn(buy(8, bank));
}

fn watch_inside(handle: Handle, bank: Arc<Bank>) {
    let _entered = handle.enter();
    tokio::spawn(buy(9, bank));
}

fn watch_too_late(handle: Handle, bank: Arc<Bank>) {
    {
        let _entered = handle.enter();
        tokio::spawn(buy(10, bank.clone()));
    }
    tokio::spawn(buy(11, bank)); //~ no-runtime-here
}

/// An executor of the program's own.
struct LocalPool;

impl LocalPool {
    fn run<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
                return done;
            }
            thread::yield_now();
        }
    }
}

/// What is not polled does nothing: it is polled where there is no runtime.
fn connect_there(worker: &LocalPool) {
    let connects = async {
        TcpStream::connect("127.0.0.1:9").await.is_ok() //~ no-runtime-here
    };
    worker.run(connects);
}

/// It is only made there.
fn connect_here() -> impl Future<Output = bool> {
    let connects = TcpStream::connect("127.0.0.1:9");
    async move { connects.await.is_ok() }
}

/// Made when it is first needed, which is where a runtime runs.
static PRICE: OnceLock<u64> = OnceLock::new();

fn price_once() -> u64 {
    *PRICE.get_or_init(|| Runtime::new().unwrap().block_on(price(4))) //~ runtime-in-runtime
}

static COST: OnceLock<u64> = OnceLock::new();

/// Nobody waits for that twice.
fn cost_once() -> u64 {
    *COST.get_or_init(|| {
        thread::sleep(Duration::from_millis(1));
        4
    })
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let bank = Arc::new(Bank { money: Mutex::new(0) });
    let (handle, known) = (runtime.handle().clone(), bank.clone());
    let worker = thread::spawn(move || {
        watch(known.clone());
        watch_with(handle.clone(), known.clone());
        watch_inside(handle.clone(), known.clone());
        watch_too_late(handle, known);
        apart();
        connect_there(&LocalPool);
        wherever(5)
    });
    runtime.block_on(async {
        tokio::spawn(connect_here());
        tokio::spawn(async { price_once() + cost_once() });
        tokio::spawn(buy(1, bank.clone()));
        tokio::spawn(sum(bank.clone()));
        tokio::spawn(nested());
        tokio::spawn(ask_there(bank.clone()));
        tokio::spawn(async { wherever(6) });
    });
    let (_send, receive) = mpsc::channel::<()>();
    let _ = receive.recv_timeout(Duration::from_millis(1));
    let _ = worker.join();
}
