//! A library that leaves it to its callers how its tasks run, by a trait that they implement: what it gives to a method of that runs beside the
//! rest, unless the method returns what the future ends with.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

pub trait Host: Clone + Send + Sync + 'static {
    type Pause: Future<Output = ()> + Send;

    fn launch<F: Future<Output = ()> + Send + 'static>(&self, work: F);
    fn finish<F: Future<Output = usize>>(&self, work: F) -> usize;
    fn pause(&self, time: Duration) -> Self::Pause;
}

pub trait Crew: Send + Sync {
    fn hand(&self, work: Box<dyn FnOnce() + Send>);
}

/// A bucket that its own task fills, who may undo what a caller has taken.
pub struct Bucket {
    drops: Arc<AtomicUsize>,
}

async fn fill<H: Host>(host: H, drops: Arc<AtomicUsize>) {
    loop {
        host.pause(Duration::from_secs(1)).await;
        let now = drops.load(SeqCst); //~
        if now < 9 {
            drops.store(now + 1, SeqCst); //~
        }
    }
}

impl Bucket {
    pub fn new<H: Host>(host: H) -> Bucket {
        let drops = Arc::new(AtomicUsize::new(9));
        host.launch(fill(host.clone(), drops.clone()));
        Bucket { drops }
    }

    pub fn take(&self) -> bool {
        self.drops.fetch_update(SeqCst, SeqCst, |drops| drops.checked_sub(1)).is_ok() //~
    }
}

/// Its task takes nothing back.
pub struct Pail {
    drops: Arc<AtomicUsize>,
}

async fn top_up<H: Host>(host: H, drops: Arc<AtomicUsize>) {
    loop {
        host.pause(Duration::from_secs(1)).await;
        drops.fetch_add(1, SeqCst);
    }
}

impl Pail {
    pub fn new<H: Host>(host: H) -> Pail {
        let drops = Arc::new(AtomicUsize::new(9));
        host.launch(top_up(host.clone(), drops.clone()));
        Pail { drops }
    }

    pub fn take(&self) -> bool {
        self.drops.fetch_update(SeqCst, SeqCst, |drops| drops.checked_sub(1)).is_ok()
    }
}

/// Nobody has the vat before the future has ended.
pub struct Vat {
    drops: Arc<AtomicUsize>,
}

async fn pour(drops: Arc<AtomicUsize>) -> usize {
    let now = drops.load(SeqCst);
    drops.store(now + 1, SeqCst);
    now
}

impl Vat {
    pub fn new<H: Host>(host: H) -> Vat {
        let drops = Arc::new(AtomicUsize::new(9));
        host.finish(pour(drops.clone()));
        Vat { drops }
    }

    pub fn take(&self) -> bool {
        self.drops.fetch_update(SeqCst, SeqCst, |drops| drops.checked_sub(1)).is_ok()
    }
}

/// What a crew is handed runs whenever it likes.
pub struct Tally {
    crew: Arc<dyn Crew>,
    sum: Arc<AtomicUsize>,
}

impl Tally {
    pub fn new(crew: Arc<dyn Crew>) -> Tally {
        Tally { crew, sum: Arc::default() }
    }

    pub fn count(&mut self, words: String) {
        let sum = self.sum.clone();
        self.crew.hand(Box::new(move || {
            let now = sum.load(SeqCst); //~
            sum.store(now + words.len(), SeqCst); //~
        }));
    }

    pub fn add(&mut self, words: String) {
        let sum = self.sum.clone();
        self.crew.hand(Box::new(move || drop(sum.fetch_add(words.len(), SeqCst))));
    }

    pub fn sum(&self) -> usize {
        self.sum.load(SeqCst)
    }
}
