//! What is stored with a number that was drawn for it is found again by that number: whoever finds the same finds its own.

use std::sync::{Arc, Mutex};

/// What a lamp is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Lamp {
    /// It is dark.
    Dark,
    /// Somebody warms it up, in this round.
    Warming { round: u64 },
    /// It shines in this colour.
    Shines { colour: String },
}

#[derive(Debug)]
pub struct Post {
    lamp: Lamp,
    rounds: u64,
}

/// It shines only if it is still being warmed up in the round that was begun here.
#[derive(Clone, Debug)]
pub struct Street {
    post: Arc<Mutex<Post>>,
}

impl Street {
    pub fn light(&self) {
        let round = {
            let mut post = self.post.lock().unwrap();
            if post.lamp != Lamp::Dark {
                return;
            }
            post.rounds += 1;
            post.lamp = Lamp::Warming { round: post.rounds };
            post.rounds
        };
        let this = self.clone();
        std::thread::spawn(move || {
            let colour = std::fs::read_to_string("colour").unwrap_or_default();
            let mut post = this.post.lock().unwrap();
            if post.lamp == (Lamp::Warming { round }) {
                post.lamp = Lamp::Shines { colour };
            }
        });
    }

    pub fn put_out(&self) {
        self.post.lock().unwrap().lamp = Lamp::Dark;
    }
}

/// The round is not looked at: it shines though it was put out meanwhile.
#[derive(Clone, Debug)]
pub struct Alley {
    post: Arc<Mutex<Post>>,
}

impl Alley {
    pub fn light(&self) {
        {
            let mut post = self.post.lock().unwrap();
            if post.lamp != Lamp::Dark {
                return;
            }
            post.rounds += 1;
            post.lamp = Lamp::Warming { round: post.rounds }; //~
        }
        let this = self.clone();
        std::thread::spawn(move || {
            let colour = std::fs::read_to_string("colour").unwrap_or_default();
            let mut post = this.post.lock().unwrap();
            post.lamp = Lamp::Shines { colour }; //~
        });
    }

    pub fn put_out(&self) {
        self.post.lock().unwrap().lamp = Lamp::Dark; //~
    }
}

/// Each call has the bell ring a little later, unless it is called again before that.
#[derive(Clone, Debug, Default)]
pub struct Bell {
    waiting: Arc<Mutex<Waiting>>,
    rung: Arc<Mutex<Vec<u64>>>,
}

#[derive(Debug, Default)]
pub struct Waiting {
    ringer: Option<std::thread::JoinHandle<()>>,
    call: u64,
}

impl Bell {
    pub fn ring(&self) {
        let mut waiting = self.waiting.lock().unwrap();
        drop(waiting.ringer.take());
        waiting.call += 1;
        let call = waiting.call;
        let this = self.clone();
        waiting.ringer = Some(std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let mut waiting = this.waiting.lock().unwrap();
            if waiting.call != call {
                return;
            }
            waiting.ringer = None;
            this.rung.lock().unwrap().push(call);
        }));
    }
}
