//! Ways to start a task.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use tokio::task::{LocalSet, spawn_blocking, spawn_local};

#[derive(Clone, Default)]
pub struct Blocking {
    result: Arc<Mutex<Option<u64>>>,
}

/// Not waited for.
pub async fn blocking_not_awaited() -> Option<u64> {
    let shared = Blocking::default();
    let own = shared.clone();
    spawn_blocking(move || *own.result.lock().unwrap() = Some(1)); //~
    let seen = *shared.result.lock().unwrap(); //~
    seen
}

pub async fn blocking_awaited() -> Option<u64> {
    let shared = Blocking::default();
    let own = shared.clone();
    let _ = spawn_blocking(move || *own.result.lock().unwrap() = Some(1)).await;
    let seen = *shared.result.lock().unwrap();
    seen
}

/// On one thread a task starts when the other waits, so what comes before that is one piece.
pub async fn local() -> u32 {
    let cell = Rc::new(Cell::new(0));
    let set = LocalSet::new();
    set.run_until(async {
        let own = cell.clone();
        spawn_local(async move { own.set(own.get() + 1) });
        cell.set(cell.get() + 1);
    })
    .await;
    7
}

/// What it reads after a wait may be from another task's time.
pub async fn local_not_awaited() {
    let text = Rc::new(RefCell::new(String::new()));
    let set = LocalSet::new();
    set.run_until(async {
        let own = text.clone();
        spawn_local(async move { *own.borrow_mut() = "done".into() }); //~
        tokio::task::yield_now().await;
        println!("{}", text.borrow()); //~
    })
    .await;
}

#[derive(Clone, Default)]
pub struct Smol {
    result: Arc<Mutex<Option<u64>>>,
}

pub async fn smol_detached() -> Option<u64> {
    let shared = Smol::default();
    let own = shared.clone();
    smol::spawn(async move { *own.result.lock().unwrap() = Some(1) }).detach(); //~
    let seen = *shared.result.lock().unwrap(); //~
    seen
}

pub async fn smol_awaited() -> Option<u64> {
    let shared = Smol::default();
    let own = shared.clone();
    smol::spawn(async move { *own.result.lock().unwrap() = Some(1) }).await;
    let seen = *shared.result.lock().unwrap();
    seen
}
