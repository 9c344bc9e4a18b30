//! Who waits for room in a channel while it has locked what the receiver locks before it takes the next message.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel, unbounded_channel};
use tokio::sync::{Mutex, RwLock};

#[derive(Default)]
struct Inner {
    listeners: HashMap<u64, Sender<String>>,
    heard: u64,
}

/// A listener counts what it has heard under the lock that is held while it is told.
#[derive(Clone, Default)]
struct Radio(Arc<Mutex<Inner>>);

impl Radio {
    async fn listen(&self, number: u64) {
        let (tell, mut told) = channel(1);
        self.0.lock().await.listeners.insert(number, tell);
        while let Some(_news) = told.recv().await {
            self.count().await;
        }
    }

    async fn count(&self) {
        self.0.lock().await.heard += 1;
    }

    async fn tell(&self, number: u64, news: String) {
        let inner = self.0.lock().await;
        if let Some(tell) = inner.listeners.get(&number) {
            let _ = tell.send(news).await; //~ lock-across-await
        }
    }
}

/// The sender is copied first.
#[derive(Clone, Default)]
struct Television(Arc<Mutex<Inner>>);

impl Television {
    async fn watch(&self, number: u64) {
        let (tell, mut told) = channel(1);
        self.0.lock().await.listeners.insert(number, tell);
        while let Some(_news) = told.recv().await {
            self.0.lock().await.heard += 1;
        }
    }

    async fn show(&self, number: u64, news: String) {
        let tell = self.0.lock().await.listeners.get(&number).cloned();
        if let Some(tell) = tell {
            let _ = tell.send(news).await;
        }
    }
}

/// Who is told locks nothing.
#[derive(Clone, Default)]
struct Newspaper(Arc<Mutex<Inner>>);

impl Newspaper {
    async fn read(&self, number: u64) {
        let (tell, mut told) = channel(1);
        self.0.lock().await.listeners.insert(number, tell);
        while let Some(news) = told.recv().await {
            println!("{news}");
        }
        self.0.lock().await.listeners.remove(&number);
    }

    async fn print(&self, number: u64, news: String) {
        let inner = self.0.lock().await;
        if let Some(tell) = inner.listeners.get(&number) {
            let _ = tell.send(news).await;
        }
    }
}

/// There is always room.
#[derive(Clone, Default)]
struct Letters(Arc<Mutex<HashMap<u64, UnboundedSender<String>>>>);

impl Letters {
    async fn read(&self, number: u64) {
        let (tell, mut told) = unbounded_channel();
        self.0.lock().await.insert(number, tell);
        while let Some(_letter) = told.recv().await {
            self.0.lock().await.len();
        }
    }

    async fn write(&self, number: u64, letter: String) {
        let boxes = self.0.lock().await;
        if let Some(tell) = boxes.get(&number) {
            let _ = tell.send(letter);
        }
    }
}

/// Who does not wait gives up where there is no room.
#[derive(Clone, Default)]
struct Tickets(Arc<Mutex<Inner>>);

impl Tickets {
    async fn wait(&self, number: u64) {
        let (tell, mut told) = channel(1);
        self.0.lock().await.listeners.insert(number, tell);
        while let Some(_ticket) = told.recv().await {
            self.0.lock().await.heard += 1;
        }
    }

    async fn call(&self, number: u64) {
        let inner = self.0.lock().await;
        if let Some(tell) = inner.listeners.get(&number) {
            let _ = tell.try_send(String::new());
        }
    }
}

/// Both only read what is locked.
#[derive(Clone)]
struct Settings {
    names: Arc<RwLock<Vec<String>>>,
    tell: Sender<usize>,
}

impl Settings {
    async fn follow(self, mut told: Receiver<usize>) {
        while let Some(number) = told.recv().await {
            println!("{:?}", self.names.read().await.get(number));
        }
    }

    async fn announce(&self) {
        let names = self.names.read().await;
        let _ = self.tell.send(names.len()).await;
    }
}

/// The lock that is held is another one.
#[derive(Clone)]
struct Jobs {
    turn: Arc<Mutex<()>>,
    done: Arc<Mutex<u64>>,
    tell: Sender<u64>,
}

impl Jobs {
    async fn work(self, mut told: Receiver<u64>) {
        while let Some(job) = told.recv().await {
            *self.done.lock().await += job;
        }
    }

    async fn add(&self, job: u64) {
        let _turn = self.turn.lock().await;
        let _ = self.tell.send(job).await;
    }
}

#[tokio::main]
async fn main() {
    let (radio, television, paper) = (Radio::default(), Television::default(), Newspaper::default());
    let (letters, tickets) = (Letters::default(), Tickets::default());
    let (tell, told) = channel(1);
    let settings = Settings { names: Default::default(), tell };
    let (add, added) = channel(1);
    let jobs = Jobs { turn: Default::default(), done: Default::default(), tell: add };
    tokio::spawn(settings.clone().follow(told));
    tokio::spawn(jobs.clone().work(added));
    for number in 0..3 {
        let one = radio.clone();
        tokio::spawn(async move { one.listen(number).await });
        let one = television.clone();
        tokio::spawn(async move { one.watch(number).await });
        let one = paper.clone();
        tokio::spawn(async move { one.read(number).await });
        let one = letters.clone();
        tokio::spawn(async move { one.read(number).await });
        let one = tickets.clone();
        tokio::spawn(async move { one.wait(number).await });
    }
    for number in 0..3 {
        radio.tell(number, "news".to_owned()).await;
        television.show(number, "news".to_owned()).await;
        paper.print(number, "news".to_owned()).await;
        letters.write(number, "news".to_owned()).await;
        tickets.call(number).await;
        settings.announce().await;
        jobs.add(number).await;
    }
}
