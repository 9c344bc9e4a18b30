//! Guards that structs keep and functions return; futures of one task that hold and take; runtimes that structs keep.
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use dashmap::DashMap;
use tokio::runtime::{EnterGuard, Handle, Runtime};
use tokio::task::LocalSet;
use tokio::time::sleep;

struct Till {
    coins: Mutex<u32>,
    notes: Mutex<u32>,
}

/// A guard, and what it is for.
struct Opened<'t> {
    coins: MutexGuard<'t, u32>,
    by: u32,
}

impl Till {
    fn open(&self, by: u32) -> Opened<'_> {
        Opened { coins: self.coins.lock().unwrap(), by }
    }

    fn lock_notes(&self) -> MutexGuard<'_, u32> {
        self.notes.lock().unwrap()
    }
}

async fn count(till: Arc<Till>) -> u32 {
    let opened = till.open(3);
    sleep(Duration::from_millis(1)).await; //~ lock-across-await
    *opened.coins + opened.by
}

async fn pay(till: Arc<Till>) {
    *till.coins.lock().unwrap() += 1;
}

async fn count_notes(till: Arc<Till>) -> u32 {
    let known = *till.lock_notes();
    sleep(Duration::from_millis(1)).await;
    known
}

async fn pay_notes(till: Arc<Till>) {
    *till.lock_notes() += 1;
}

async fn list(streams: Arc<DashMap<u32, String>>) {
    for stream in streams.iter() {
        sleep(Duration::from_millis(1)).await; //~ lock-across-await warn
        println!("{}", stream.value());
    }
}

async fn close(streams: Arc<DashMap<u32, String>>) {
    streams.remove(&3);
}

async fn list_copies(others: Arc<DashMap<u32, String>>) {
    let all: Vec<String> = others.iter().map(|stream| stream.value().clone()).collect();
    for stream in all {
        sleep(Duration::from_millis(1)).await;
        println!("{stream}");
    }
}

async fn close_other(others: Arc<DashMap<u32, String>>) {
    others.remove(&3);
}

async fn fill(words: &RefCell<Vec<u32>>) {
    let mut words = words.borrow_mut();
    sleep(Duration::from_millis(1)).await; //~ lock-across-await
    words.push(1);
}

async fn look(words: &RefCell<Vec<u32>>) -> usize {
    words.borrow().len()
}

async fn fill_quickly(words: &RefCell<Vec<u32>>) {
    sleep(Duration::from_millis(1)).await;
    words.borrow_mut().push(1);
}

/// Nobody polls another future meanwhile.
async fn fill_alone(words: &RefCell<Vec<u32>>) {
    let mut words = words.borrow_mut();
    sleep(Duration::from_millis(1)).await;
    words.push(1);
}

async fn page() -> usize {
    let (words, quick, alone) = (RefCell::default(), RefCell::default(), RefCell::default());
    tokio::join!(fill(&words), look(&words));
    tokio::join!(fill_quickly(&quick), look(&quick));
    fill_alone(&alone).await;
    look(&alone).await
}

/// It owns a runtime.
struct Engine {
    runtime: Runtime,
    steps: u32,
}

impl Engine {
    fn start() -> Engine {
        Engine { runtime: Runtime::new().unwrap(), steps: 0 }
    }

    fn go(&self) {
        self.runtime.spawn(async {});
    }
}

async fn engine() {
    let engine = Engine::start();
    engine.go();
    println!("{}", engine.steps);
    drop(engine); //~ runtime-in-runtime
}

async fn engine_elsewhere() {
    let engine = Engine::start();
    engine.go();
    std::thread::spawn(move || drop(engine));
}

struct Entered<'h> {
    _guard: EnterGuard<'h>,
}

fn enter(handle: &Handle) -> Entered<'_> {
    Entered { _guard: handle.enter() }
}

fn start_entered(handle: &Handle) {
    let _entered = enter(handle);
    tokio::spawn(async {});
}

fn start_left(handle: &Handle) {
    let entered = handle.enter();
    tokio::spawn(async {});
    drop(entered);
    tokio::spawn(async {}); //~ no-runtime-here
}

#[tokio::main]
async fn main() {
    let till = Arc::new(Till { coins: Mutex::new(0), notes: Mutex::new(0) });
    let (streams, others) = (Arc::new(DashMap::new()), Arc::new(DashMap::new()));
    let handle = Handle::current();
    std::thread::spawn(move || {
        start_entered(&handle);
        start_left(&handle);
    });
    tokio::spawn(list(streams.clone()));
    tokio::spawn(close(streams));
    tokio::spawn(list_copies(others.clone()));
    tokio::spawn(close_other(others));
    tokio::spawn(engine());
    tokio::spawn(engine_elsewhere());
    let local = LocalSet::new();
    local.spawn_local(count(till.clone()));
    local.spawn_local(pay(till.clone()));
    local.spawn_local(count_notes(till.clone()));
    local.spawn_local(pay_notes(till));
    local.spawn_local(page());
    local.await;
}
