//! Who is woken, or answered, before what it was woken for is done.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use tokio::sync::{Notify, mpsc, oneshot};

#[derive(Default)]
struct Shared {
    woken: Notify,
    queue: Mutex<VecDeque<u32>>,
}

/// The task may find nothing, and wait for the next one.
#[derive(Clone, Default)]
pub struct Early(Arc<Shared>);

impl Early {
    pub fn start(&self) {
        let shared = self.0.clone();
        tokio::spawn(async move {
            loop {
                shared.woken.notified().await; //~
                while let Some(message) = shared.queue.lock().unwrap().pop_front() { //~
                    println!("{message}");
                }
            }
        });
    }

    pub fn send(&self, message: u32) {
        self.0.woken.notify_one(); //~
        self.0.queue.lock().unwrap().push_back(message); //~
    }
}

#[derive(Default)]
struct Line {
    woken: Notify,
    queue: Mutex<VecDeque<u32>>,
}

#[derive(Clone, Default)]
pub struct InTime(Arc<Line>);

impl InTime {
    pub fn start(&self) {
        let line = self.0.clone();
        tokio::spawn(async move {
            loop {
                line.woken.notified().await;
                while let Some(message) = line.queue.lock().unwrap().pop_front() {
                    println!("{message}");
                }
            }
        });
    }

    pub fn send(&self, message: u32) {
        self.0.queue.lock().unwrap().push_back(message);
        self.0.woken.notify_one();
    }
}

pub struct Stop {
    id: u64,
    done: oneshot::Sender<()>,
}

type Jobs = Arc<Mutex<HashMap<u64, String>>>;

/// Who stops a job is answered before the job is taken out.
pub struct AnsweredEarly {
    stops: mpsc::Sender<Stop>,
    jobs: Jobs,
}

impl AnsweredEarly {
    pub fn new() -> AnsweredEarly {
        let (stops, mut received) = mpsc::channel::<Stop>(8);
        let jobs = Jobs::default();
        let all = jobs.clone();
        tokio::spawn(async move {
            while let Some(stop) = received.recv().await {
                let _ = stop.done.send(()); //~
                all.lock().unwrap().remove(&stop.id); //~
            }
        });
        AnsweredEarly { stops, jobs }
    }

    pub fn add(&self, id: u64, name: String) {
        self.jobs.lock().unwrap().insert(id, name);
    }

    pub async fn stop(&self, id: u64) -> bool {
        let (done, stopped) = oneshot::channel();
        let _ = self.stops.send(Stop { id, done }).await;
        let _ = stopped.await; //~
        !self.jobs.lock().unwrap().contains_key(&id) //~
    }
}

pub struct End {
    id: u64,
    ended: oneshot::Sender<bool>,
}

pub struct AnsweredThen {
    ends: mpsc::Sender<End>,
    jobs: Jobs,
}

impl AnsweredThen {
    pub fn new() -> AnsweredThen {
        let (ends, mut received) = mpsc::channel::<End>(8);
        let jobs = Jobs::default();
        let all = jobs.clone();
        tokio::spawn(async move {
            while let Some(end) = received.recv().await {
                let was = all.lock().unwrap().remove(&end.id).is_some();
                let _ = end.ended.send(was);
            }
        });
        AnsweredThen { ends, jobs }
    }

    pub fn add(&self, id: u64, name: String) {
        self.jobs.lock().unwrap().insert(id, name);
    }

    pub async fn end(&self, id: u64) -> bool {
        let (ended, answer) = oneshot::channel();
        let _ = self.ends.send(End { id, ended }).await;
        let _ = answer.await;
        !self.jobs.lock().unwrap().contains_key(&id)
    }
}
