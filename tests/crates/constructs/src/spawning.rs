//! Ways to start a task.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio::task::{LocalSet, spawn_blocking, spawn_local};

type Answer = Arc<Mutex<Option<u64>>>;

fn fill(answer: Answer) {
    *answer.lock().unwrap() = Some(1); //~
}

fn look(answer: &Answer) -> bool {
    answer.lock().unwrap().is_some() //~
}

#[derive(Default)]
pub struct Blocking {
    answer: Answer,
    fine: Mutex<u64>,
}

impl Blocking {
    /// Not waited for.
    pub async fn not_awaited(&self) -> bool {
        let answer = self.answer.clone();
        spawn_blocking(move || fill(answer));
        look(&self.answer)
    }

    pub async fn awaited(self: Arc<Self>) {
        let own = self.clone();
        let _ = spawn_blocking(move || *own.fine.lock().unwrap() += 1).await;
        *self.fine.lock().unwrap() += 1;
    }
}

/// On one thread a task starts when the other waits, so what comes before that is one piece.
#[derive(Default)]
pub struct Local {
    count: Rc<Cell<u64>>,
    text: Rc<RefCell<String>>,
}

impl Local {
    pub async fn double(&self) {
        let set = LocalSet::new();
        set.run_until(async {
            let count = self.count.clone();
            let task = spawn_local(async move { count.set(count.get() * 2) });
            let _ = task.await;
        })
        .await;
    }

    /// The task may run when this one waits.
    pub async fn not_awaited(&self) -> usize {
        let set = LocalSet::new();
        set.run_until(async {
            let text = self.text.clone();
            spawn_local(async move { *text.borrow_mut() = "done".into() }); //~
            tokio::task::yield_now().await;
            self.text.borrow().len() //~
        })
        .await
    }
}

#[derive(Default)]
pub struct Smol {
    answer: Answer,
}

impl Smol {
    pub async fn detached(&self) -> bool {
        let answer = self.answer.clone();
        smol::spawn(async move { fill(answer) }).detach();
        look(&self.answer)
    }
}

#[derive(Default)]
pub struct SmolAwaited {
    count: Arc<Mutex<u64>>,
}

impl SmolAwaited {
    pub async fn run(&self) {
        let count = self.count.clone();
        smol::spawn(async move { *count.lock().unwrap() += 1 }).await;
        *self.count.lock().unwrap() += 1;
    }
}

/// Whoever gets the handle of a task does not do what the task does.
#[derive(Default)]
pub struct Reporter {
    reports: AtomicU32,
    last: AtomicU32,
}

impl Reporter {
    async fn report(&self) -> Result<(), String> {
        let reports = self.reports.fetch_add(1, Ordering::SeqCst);
        self.last.store(reports, Ordering::SeqCst);
        Ok(())
    }

    pub fn begin(self: Arc<Self>) -> tokio::task::JoinHandle<Result<(), String>> {
        tokio::spawn(async move { self.report().await })
    }
}
