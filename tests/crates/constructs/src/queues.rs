//! Channels and permits that are looked at before something is taken, or put in: others who look do the same meanwhile.

use std::sync::Mutex;

use crossbeam::channel::{Receiver, Sender};
use crossbeam::queue::SegQueue;
use tokio::sync::{Semaphore, mpsc};

/// One of several that have the same receiver.
#[derive(Clone)]
pub struct Worker {
    jobs: Receiver<String>,
}

impl Worker {
    pub fn step(&self) -> Option<String> {
        if self.jobs.is_empty() { //~
            return None;
        }
        Some(self.jobs.try_recv().unwrap()) //~
    }
}

#[derive(Clone)]
pub struct Waiting {
    jobs: async_channel::Receiver<String>,
}

impl Waiting {
    pub async fn step(&self) -> Option<String> {
        if self.jobs.len() == 0 { //~
            return None;
        }
        self.jobs.recv().await.ok() //~
    }
}

#[derive(Default)]
pub struct Stack {
    jobs: SegQueue<String>,
}

impl Stack {
    pub fn add(&self, job: String) {
        self.jobs.push(job); //~
    }

    pub fn step(&self) -> Option<String> {
        if self.jobs.is_empty() { //~
            return None;
        }
        Some(self.jobs.pop().unwrap()) //~
    }
}

#[derive(Clone)]
pub struct Limited {
    jobs: flume::Sender<String>,
}

impl Limited {
    pub fn add(&self, job: String) -> bool {
        if self.jobs.len() >= 8 { //~
            return false;
        }
        self.jobs.send(job).is_ok() //~
    }
}

pub struct InLock {
    jobs: Mutex<mpsc::Receiver<u32>>,
}

impl InLock {
    pub fn step(&self) -> u32 {
        if self.jobs.lock().unwrap().is_empty() { //~
            return 0;
        }
        self.jobs.lock().unwrap().try_recv().unwrap() //~
    }
}

pub struct Slots {
    free: Semaphore,
}

impl Slots {
    pub fn take(&self) -> bool {
        if self.free.available_permits() == 0 { //~
            return false;
        }
        self.free.try_acquire().unwrap().forget(); //~
        true
    }
}

/// Finds out as it takes, or puts in.
#[derive(Clone)]
pub struct WorkerAtOnce {
    jobs: Receiver<String>,
    more: Sender<String>,
}

impl WorkerAtOnce {
    pub fn step(&self) -> Option<String> {
        if self.jobs.is_empty() {
            return None;
        }
        self.jobs.try_recv().ok()
    }

    pub fn add(&self, job: String) {
        if self.more.is_full() {
            return;
        }
        let _ = self.more.try_send(job);
    }
}

/// Looks, and does the same whatever it sees.
#[derive(Clone)]
pub struct Reporter {
    jobs: flume::Sender<String>,
}

impl Reporter {
    pub fn depth(&self) -> usize {
        self.jobs.len()
    }

    pub fn add(&self, job: String) {
        self.jobs.send(job).unwrap();
    }

    pub fn slow_down(&self) {
        if self.jobs.len() > 100 {
            std::thread::yield_now();
        }
    }
}

/// Nobody else takes what there is.
pub struct Own {
    jobs: mpsc::Receiver<u32>,
}

impl Own {
    pub fn step(&mut self) -> u32 {
        if self.jobs.is_empty() {
            return 0;
        }
        self.jobs.try_recv().unwrap()
    }
}

/// The same of a task, whatever comes in meanwhile.
pub struct Pump {
    jobs: mpsc::Sender<u32>,
}

impl Pump {
    pub fn start() -> Pump {
        let (sender, mut jobs) = mpsc::channel(8);
        tokio::spawn(async move {
            let mut all = Vec::new();
            while let Some(job) = jobs.recv().await {
                all.push(job);
                if jobs.is_empty() {
                    println!("{all:?}");
                    all.clear();
                }
            }
        });
        Pump { jobs: sender }
    }

    pub fn add(&self, job: u32) -> bool {
        self.jobs.try_send(job).is_ok()
    }
}

pub struct InOneLock {
    jobs: Mutex<mpsc::Receiver<u32>>,
}

impl InOneLock {
    pub fn step(&self) -> u32 {
        let mut jobs = self.jobs.lock().unwrap();
        if jobs.is_empty() {
            return 0;
        }
        jobs.try_recv().unwrap()
    }
}

pub struct SlotsAtOnce {
    free: Semaphore,
}

impl SlotsAtOnce {
    pub fn take(&self) -> bool {
        if self.free.available_permits() == 0 {
            return false;
        }
        let Ok(permit) = self.free.try_acquire() else { return false };
        permit.forget();
        true
    }
}
