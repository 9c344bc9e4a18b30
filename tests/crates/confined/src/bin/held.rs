//! Guards and borrows over an await, while others on the same executor want the same.
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dashmap::DashMap;
use tokio::task::LocalSet;
use tokio::time::sleep;

struct Page {
    words: RefCell<Vec<String>>,
    lines: RefCell<Vec<String>>,
    notes: RefCell<Vec<String>>,
}

async fn fetch(word: &str) -> String {
    sleep(Duration::from_millis(1)).await;
    word.to_owned()
}

async fn load(page: Rc<Page>) {
    let mut words = page.words.borrow_mut();
    words.push(fetch("first").await); //~ lock-across-await
}

async fn count(page: Rc<Page>) -> usize {
    page.words.borrow().len()
}

/// Ends the borrow first.
async fn load_lines(page: Rc<Page>) {
    let line = fetch("first").await;
    page.lines.borrow_mut().push(line);
    let many = page.lines.borrow().len();
    fetch(&many.to_string()).await;
}

async fn count_lines(page: Rc<Page>) -> usize {
    page.lines.borrow_mut().drain(..).len()
}

/// Nobody changes what both look at.
async fn show_notes(page: Rc<Page>) {
    let notes = page.notes.borrow();
    fetch(&notes.join(" ")).await;
}

/// Each run has its own.
async fn collect() -> usize {
    let found = RefCell::new(Vec::new());
    let mut list = found.borrow_mut();
    list.push(fetch("mine").await);
    list.len()
}

struct Bank {
    money: Mutex<u64>,
    debts: Mutex<u64>,
}

async fn pay(bank: Arc<Bank>) {
    let mut money = bank.money.lock().unwrap();
    sleep(Duration::from_millis(1)).await; //~ lock-across-await
    *money -= 1;
}

async fn earn(bank: Arc<Bank>) {
    *bank.money.lock().unwrap() += 1;
}

async fn owe(bank: Arc<Bank>) {
    let known = *bank.debts.lock().unwrap();
    sleep(Duration::from_millis(known)).await;
    {
        let mut debts = bank.debts.lock().unwrap();
        *debts += 1;
    }
    sleep(Duration::from_millis(1)).await;
    let debts = bank.debts.lock().unwrap();
    let many = *debts;
    drop(debts);
    sleep(Duration::from_millis(many)).await;
}

async fn forget(bank: Arc<Bank>) {
    *bank.debts.lock().unwrap() = 0;
}

async fn send(streams: Arc<DashMap<u32, String>>, peer: u32) {
    if let Some(mut stream) = streams.get_mut(&peer) {
        sleep(Duration::from_millis(1)).await; //~ lock-across-await
        stream.push('!');
    }
}

async fn close(streams: Arc<DashMap<u32, String>>, peer: u32) {
    streams.remove(&peer);
}

async fn send_copy(others: Arc<DashMap<u32, String>>, peer: u32) {
    let stream = others.get(&peer).map(|stream| stream.clone());
    sleep(Duration::from_millis(1)).await;
    others.insert(peer, stream.unwrap_or_default());
}

/// A lock that is awaited keeps nobody's thread.
async fn add(total: Arc<tokio::sync::Mutex<u64>>) {
    let mut total = total.lock().await;
    sleep(Duration::from_millis(1)).await;
    *total += 1;
}

#[tokio::main]
async fn main() {
    let empty = || RefCell::new(Vec::new());
    let page = Rc::new(Page { words: empty(), lines: empty(), notes: empty() });
    let bank = Arc::new(Bank { money: Mutex::new(0), debts: Mutex::new(0) });
    let streams = Arc::new(DashMap::new());
    let others = Arc::new(DashMap::new());
    let total = Arc::new(tokio::sync::Mutex::new(0));
    for peer in 0..3 {
        tokio::spawn(send(streams.clone(), peer));
        tokio::spawn(close(streams.clone(), peer));
        tokio::spawn(send_copy(others.clone(), peer));
        tokio::spawn(add(total.clone()));
    }
    let local = LocalSet::new();
    local.spawn_local(load(page.clone()));
    local.spawn_local(count(page.clone()));
    local.spawn_local(load_lines(page.clone()));
    local.spawn_local(count_lines(page.clone()));
    local.spawn_local(show_notes(page.clone()));
    local.spawn_local(show_notes(page));
    local.spawn_local(collect());
    local.spawn_local(collect());
    local.spawn_local(pay(bank.clone()));
    local.spawn_local(earn(bank.clone()));
    local.spawn_local(owe(bank.clone()));
    local.spawn_local(forget(bank));
    local.await;
}
