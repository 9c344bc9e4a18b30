//! Questions on one channel, and the answers on another one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex as Blocking};

use tokio::sync::{Mutex, Notify, mpsc, oneshot};

/// Who asks, and only then waits for its turn to take an answer, may get that of somebody else.
pub struct Oracle {
    questions: mpsc::Sender<String>,
    answers: Arc<Mutex<mpsc::Receiver<usize>>>,
}

impl Oracle {
    pub fn open() -> Oracle {
        let (questions, mut asked) = mpsc::channel::<String>(8);
        let (answer, answers) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Some(question) = asked.recv().await {
                if answer.send(question.len()).await.is_err() {
                    break;
                }
            }
        });
        Oracle { questions, answers: Arc::new(Mutex::new(answers)) }
    }

    pub async fn ask(&self, text: &str) -> usize {
        let _ = self.questions.send(text.to_owned()).await; //~
        let mut answers = self.answers.lock().await;
        answers.recv().await.unwrap_or_default() //~
    }
}

/// Who has the lock asks, and takes the answer.
pub struct Sage {
    questions: mpsc::Sender<String>,
    answers: Arc<Mutex<mpsc::Receiver<usize>>>,
}

impl Sage {
    pub fn open() -> Sage {
        let (questions, mut asked) = mpsc::channel::<String>(8);
        let (answer, answers) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Some(question) = asked.recv().await {
                if answer.send(question.len()).await.is_err() {
                    break;
                }
            }
        });
        Sage { questions, answers: Arc::new(Mutex::new(answers)) }
    }

    pub async fn ask(&self, text: &str) -> usize {
        let mut answers = self.answers.lock().await;
        let _ = self.questions.send(text.to_owned()).await;
        answers.recv().await.unwrap_or_default()
    }
}

/// The question says where its answer goes.
pub struct Clerk {
    questions: mpsc::Sender<(String, oneshot::Sender<usize>)>,
}

impl Clerk {
    pub fn open() -> Clerk {
        let (questions, mut asked) = mpsc::channel::<(String, oneshot::Sender<usize>)>(8);
        tokio::spawn(async move {
            while let Some((question, answer)) = asked.recv().await {
                let _ = answer.send(question.len());
            }
        });
        Clerk { questions }
    }

    pub async fn ask(&self, text: &str) -> usize {
        let (answer, answered) = oneshot::channel();
        let _ = self.questions.send((text.to_owned(), answer)).await;
        answered.await.unwrap_or_default()
    }
}

/// Whoever works for somebody takes what was done, by anybody: it did not ask for that.
pub struct Belt {
    orders: mpsc::Sender<u32>,
    parcels: Arc<Mutex<mpsc::Receiver<u32>>>,
}

impl Belt {
    pub fn start() -> Belt {
        let (orders, mut ordered) = mpsc::channel::<u32>(8);
        let (done, parcels) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Some(order) = ordered.recv().await {
                let _ = done.send(order).await;
            }
        });
        Belt { orders, parcels: Arc::new(Mutex::new(parcels)) }
    }

    pub async fn order(&self, number: u32) {
        let _ = self.orders.send(number).await;
    }

    pub async fn next(&self) -> Option<u32> {
        self.parcels.lock().await.recv().await
    }
}

/// Who asks it to stop, and only then begins to wait, may have missed that it did.
pub struct Mill {
    stopped: Arc<Notify>,
    stop: mpsc::Sender<()>,
    sacks: Arc<Blocking<VecDeque<u32>>>,
}

impl Mill {
    pub fn start() -> Mill {
        let stopped = Arc::new(Notify::new());
        let sacks: Arc<Blocking<VecDeque<u32>>> = Arc::default();
        let (stop, mut told) = mpsc::channel::<()>(1);
        let (tell, full) = (stopped.clone(), sacks.clone());
        tokio::spawn(async move {
            while told.recv().await.is_some() {
                full.lock().unwrap().push_back(1);
                tell.notify_waiters(); //~
            }
        });
        Mill { stopped, stop, sacks }
    }

    pub async fn stop(&self) {
        if self.stop.send(()).await.is_ok() { //~
            self.stopped.notified().await; //~
        }
    }

    pub async fn stop_well(&self) {
        let stopped = self.stopped.notified();
        if self.stop.send(()).await.is_ok() {
            stopped.await;
        }
    }

    pub fn sack(&self) -> Option<u32> {
        self.sacks.lock().unwrap().pop_front()
    }
}

/// Credit that writers use up; who finds none leaves a waker. What comes in between wakes nobody.
#[derive(Clone, Default)]
pub struct Credit {
    left: Arc<std::sync::atomic::AtomicU32>,
    writer: Arc<futures::task::AtomicWaker>,
}

impl Credit {
    pub async fn take(&self) {
        use std::sync::atomic::Ordering::SeqCst;
        futures::future::poll_fn(|cx| {
            loop {
                let left = self.left.load(SeqCst); //~
                if left == 0 {
                    self.writer.register(cx.waker()); //~
                    return std::task::Poll::Pending;
                }
                if self.left.compare_exchange(left, left - 1, SeqCst, SeqCst).is_ok() {
                    return std::task::Poll::Ready(());
                }
            }
        })
        .await
    }

    pub fn give(&self, number: u32) {
        self.left.fetch_add(number, std::sync::atomic::Ordering::SeqCst); //~
        self.writer.wake(); //~
    }
}

/// The same, but it looks once more when the waker is there.
#[derive(Clone, Default)]
pub struct Budget {
    left: Arc<std::sync::atomic::AtomicU32>,
    writer: Arc<futures::task::AtomicWaker>,
}

impl Budget {
    fn try_take(&self) -> bool {
        use std::sync::atomic::Ordering::SeqCst;
        self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    pub async fn take(&self) {
        futures::future::poll_fn(|cx| {
            if self.try_take() {
                return std::task::Poll::Ready(());
            }
            self.writer.register(cx.waker());
            if self.try_take() {
                return std::task::Poll::Ready(());
            }
            std::task::Poll::Pending
        })
        .await
    }

    pub fn give(&self, number: u32) {
        self.left.fetch_add(number, std::sync::atomic::Ordering::SeqCst);
        self.writer.wake();
    }
}

/// News that are told to those who follow. Who looks at what was told so far, and follows only then, misses what comes in between.
#[derive(Default)]
pub struct Ticker {
    feed: Blocking<Feed>,
}

#[derive(Default)]
struct Feed {
    told: Vec<String>,
    followers: Vec<std::sync::mpsc::Sender<String>>,
}

impl Ticker {
    pub fn tell(&self, item: &str) {
        let mut feed = self.feed.lock().unwrap();
        feed.told.push(item.to_owned()); //~
        feed.followers.retain(|follower| follower.send(item.to_owned()).is_ok()); //~
    }

    pub fn follow(&self) -> (Vec<String>, std::sync::mpsc::Receiver<String>) {
        let (follower, items) = std::sync::mpsc::channel();
        let told = self.feed.lock().unwrap().told.clone(); //~
        self.feed.lock().unwrap().followers.push(follower); //~
        (told, items)
    }
}

/// The same, but it follows first, and is told some of it twice.
#[derive(Default)]
pub struct Board {
    feed: Blocking<Feed>,
}

impl Board {
    pub fn tell(&self, item: &str) {
        let mut feed = self.feed.lock().unwrap();
        feed.told.push(item.to_owned());
        feed.followers.retain(|follower| follower.send(item.to_owned()).is_ok());
    }

    pub fn follow(&self) -> (Vec<String>, std::sync::mpsc::Receiver<String>) {
        let (follower, items) = std::sync::mpsc::channel();
        self.feed.lock().unwrap().followers.push(follower);
        (self.feed.lock().unwrap().told.clone(), items)
    }

    pub fn follow_at_once(&self) -> (Vec<String>, std::sync::mpsc::Receiver<String>) {
        let (follower, items) = std::sync::mpsc::channel();
        let mut feed = self.feed.lock().unwrap();
        feed.followers.push(follower);
        (feed.told.clone(), items)
    }
}

/// The same, of a channel that tells everybody who has subscribed by then.
pub struct Siren {
    alarms: Blocking<Vec<String>>,
    news: tokio::sync::broadcast::Sender<String>,
}

impl Siren {
    pub fn raise(&self, alarm: String) {
        self.alarms.lock().unwrap().push(alarm.clone()); //~
        self.news.send(alarm).ok(); //~
    }

    pub fn follow(&self) -> (Vec<String>, tokio::sync::broadcast::Receiver<String>) {
        let alarms = self.alarms.lock().unwrap().clone(); //~
        let news = self.news.subscribe(); //~
        (alarms, news)
    }

    pub fn follow_first(&self) -> (Vec<String>, tokio::sync::broadcast::Receiver<String>) {
        let news = self.news.subscribe();
        let alarms = self.alarms.lock().unwrap().clone();
        (alarms, news)
    }

    pub fn follow_only(&self) -> tokio::sync::broadcast::Receiver<String> {
        self.news.subscribe()
    }
}

/// Whoever comes second finds the cell filled, and insists that it is not.
#[derive(Default)]
pub struct Stamp {
    number: std::sync::OnceLock<u64>,
    date: std::sync::OnceLock<u64>,
}

impl Stamp {
    pub fn number(&self, seed: u64) -> u64 {
        if self.number.get().is_none() { //~
            self.number.set(seed * 31).expect("nobody else sets it"); //~
        }
        *self.number.get().unwrap()
    }

    pub fn date(&self, seed: u64) -> u64 {
        if self.date.get().is_none() {
            let _ = self.date.set(seed * 31);
        }
        *self.date.get().unwrap()
    }
}

/// Where to call, and at which extension: whoever moves leaves both behind.
#[derive(Default)]
pub struct Directory {
    number: std::sync::RwLock<String>,
    extension: std::sync::RwLock<u16>,
    calls: Blocking<u64>,
    missed: Blocking<u64>,
}

impl Directory {
    pub fn moved(&self, number: String, extension: u16) {
        *self.number.write().unwrap() = number; //~
        *self.extension.write().unwrap() = extension; //~
    }

    pub fn where_to(&self) -> String {
        let number = self.number.read().unwrap().clone(); //~
        let extension = *self.extension.read().unwrap(); //~
        format!("{number}-{extension}")
    }

    /// What is only added to is told of as it is by then.
    pub fn called(&self, answered: bool) {
        *self.calls.lock().unwrap() += 1;
        if !answered {
            *self.missed.lock().unwrap() += 1;
        }
    }

    pub fn calls(&self) -> String {
        let calls = *self.calls.lock().unwrap();
        let missed = *self.missed.lock().unwrap();
        format!("{missed} of {calls}")
    }
}
