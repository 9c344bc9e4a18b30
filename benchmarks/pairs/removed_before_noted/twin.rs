// The list is locked while the thread is started.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread::{self, JoinHandle};

enum Message {
    Kill,
    Job(Box<dyn FnOnce() + Send>),
}

struct Worker {
    id: usize,
    _handle: JoinHandle<()>,
}

#[derive(Clone, Default)]
struct Workers(Arc<Mutex<Vec<Worker>>>);

impl Workers {
    fn remove(&self, id: usize) {
        let mut list = self.0.lock().unwrap();
        if let Some(at) = list.iter().position(|w| w.id == id) {
            list.remove(at);
        }
    }
}

pub struct Pool {
    workers: Workers,
    next: AtomicUsize,
    sender: Mutex<mpsc::Sender<Message>>,
    receiver: Arc<Mutex<mpsc::Receiver<Message>>>,
}

impl Pool {
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Pool { workers: Workers::default(), next: AtomicUsize::new(0), sender: Mutex::new(sender), receiver: Arc::new(Mutex::new(receiver)) }
    }

    pub fn increase(&self) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (receiver, workers) = (self.receiver.clone(), self.workers.clone());
        let mut list = self.workers.0.lock().unwrap();
        let handle = thread::spawn(move || loop {
            let Ok(message) = receiver.lock().unwrap().recv() else { return };
            match message {
                Message::Job(job) => job(),
                Message::Kill => {
                    workers.remove(id);
                    return;
                }
            }
        });
        list.push(Worker { id, _handle: handle });
    }

    pub fn decrease(&self) {
        self.sender.lock().unwrap().send(Message::Kill).unwrap();
    }

    pub fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.sender.lock().unwrap().send(Message::Job(Box::new(job))).unwrap();
    }

    pub fn threads(&self) -> usize {
        self.workers.0.lock().unwrap().len()
    }
}
