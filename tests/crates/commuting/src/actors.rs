//! An actor handles one message after the other; a copy of it is another one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use kameo::Actor;
use kameo::message::{Context, Message};

pub struct Enter(pub String);
pub struct Cancel(pub String);

/// Whatever is found is what it was a moment ago.
#[derive(Clone, Default)]
pub struct Queue {
    states: Arc<Mutex<HashMap<String, bool>>>,
    waiting: Arc<Mutex<Vec<String>>>,
}

impl Actor for Queue {}

impl Message<Enter> for Queue {
    type Reply = ();

    async fn handle(&mut self, message: Enter, _: &mut Context<Self, ()>) {
        let known = self.states.lock().unwrap().contains_key(&message.0);
        if !known {
            self.states.lock().unwrap().insert(message.0.clone(), true);
            self.waiting.lock().unwrap().push(message.0);
        }
    }
}

impl Message<Cancel> for Queue {
    type Reply = ();

    async fn handle(&mut self, message: Cancel, _: &mut Context<Self, ()>) {
        let queued = self.states.lock().unwrap().get(&message.0).copied().unwrap_or(false);
        if queued {
            self.states.lock().unwrap().insert(message.0.clone(), false);
            self.waiting.lock().unwrap().retain(|name| *name != message.0);
        }
    }
}

/// The same without a mailbox: anybody may have a copy of it.
#[derive(Clone, Default)]
pub struct Desk {
    count: Arc<Mutex<u32>>,
}

impl Desk {
    pub async fn enter(&mut self) {
        let before = *self.count.lock().unwrap(); //~
        std::future::ready(()).await;
        *self.count.lock().unwrap() = before + 1; //~
    }
}
