// Modelled on rustdesk/rustdesk PR #622 ("fix_deadlock_general_service").
// `join` takes the handle out of the service and waits for the thread in one expression: the write lock is held until
// the thread has ended, and the thread asks for the read lock to see whether it shall go on.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    CursorPosition { x: i32, y: i32 },
    Clipboard(String),
}

pub trait Subscriber: Send + Sync + 'static {
    fn id(&self) -> i32;
    fn send(&mut self, msg: Arc<Message>);
}

pub struct ServiceInner<T: Subscriber> {
    name: &'static str,
    handle: Option<JoinHandle<()>>,
    subscribes: HashMap<i32, T>,
    active: bool,
}

pub struct ServiceTmpl<T: Subscriber>(Arc<RwLock<ServiceInner<T>>>);

impl<T: Subscriber> Clone for ServiceTmpl<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Subscriber> ServiceTmpl<T> {
    pub fn new(name: &'static str) -> Self {
        Self(Arc::new(RwLock::new(ServiceInner { name, handle: None, subscribes: HashMap::new(), active: true })))
    }

    pub fn name(&self) -> &'static str {
        self.0.read().unwrap().name
    }

    pub fn active(&self) -> bool {
        self.0.read().unwrap().active //~
    }

    pub fn has_subscribes(&self) -> bool {
        !self.0.read().unwrap().subscribes.is_empty()
    }

    pub fn on_subscribe(&self, sub: T) {
        let mut lock = self.0.write().unwrap();
        lock.subscribes.entry(sub.id()).or_insert(sub);
    }

    pub fn on_unsubscribe(&self, id: i32) {
        self.0.write().unwrap().subscribes.remove(&id);
    }

    pub fn send(&self, msg: Message) {
        let msg = Arc::new(msg);
        let mut lock = self.0.write().unwrap();
        for s in lock.subscribes.values_mut() {
            s.send(msg.clone());
        }
    }

    /// Calls back every `interval_ms` as long as there are subscribers, in a thread of the service.
    pub fn repeat<F>(&self, interval_ms: u64, mut callback: F)
    where
        F: FnMut(&Self) -> Result<(), String> + Send + 'static,
    {
        let mut lock = self.0.write().unwrap();
        if lock.handle.is_some() {
            return;
        }
        let interval = Duration::from_millis(interval_ms);
        let sp = self.clone();
        lock.handle = Some(thread::spawn(move || {
            while sp.active() {
                let now = Instant::now();
                if sp.has_subscribes() {
                    if let Err(err) = callback(&sp) {
                        log::error!("Error of {} service: {}", sp.name(), err);
                    }
                }
                if let Some(rest) = interval.checked_sub(now.elapsed()) {
                    thread::sleep(rest);
                }
            }
        }));
    }

    pub fn join(&self) {
        self.0.write().unwrap().active = false;
        let joined = self.0.write().unwrap().handle.take().map(JoinHandle::join); //~
        if let Some(Err(_)) = joined {
            log::error!("Failed to join thread for service {}", self.name());
        }
    }
}

pub fn cursor_service<T: Subscriber>(position: impl Fn() -> (i32, i32) + Send + 'static) -> ServiceTmpl<T> {
    let service = ServiceTmpl::new("cursor");
    let mut last = None;
    service.repeat(33, move |sp| {
        let (x, y) = position();
        if last != Some((x, y)) {
            last = Some((x, y));
            sp.send(Message::CursorPosition { x, y });
        }
        Ok(())
    });
    service
}
