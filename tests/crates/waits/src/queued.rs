//! Work that is left to somebody who has found nothing more to do by then, and is about to stop.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub type Letter = String;

fn deliver(letter: Letter) {
    println!("{letter}");
}

/// A queue and a flag with a lock each.
#[derive(Clone, Default)]
pub struct Postman {
    bag: Arc<Mutex<VecDeque<Letter>>>,
    walking: Arc<Mutex<bool>>,
}

impl Postman {
    pub fn post(&self, letter: Letter) {
        self.bag.lock().unwrap().push_back(letter); //~
        let mut walking = self.walking.lock().unwrap();
        if !*walking { //~
            *walking = true;
            let own = self.clone();
            thread::spawn(move || own.walk());
        }
    }

    fn walk(&self) {
        loop {
            let letter = self.bag.lock().unwrap().pop_front(); //~
            match letter {
                Some(letter) => deliver(letter),
                None => break,
            }
        }
        *self.walking.lock().unwrap() = false; //~
    }
}

/// The same with a flag that is no lock's.
#[derive(Default)]
pub struct Rider {
    bag: Mutex<Vec<Letter>>,
    riding: AtomicBool,
}

impl Rider {
    pub fn post(self: &Arc<Self>, letter: Letter) {
        self.bag.lock().unwrap().push(letter); //~
        if self.riding.swap(true, Ordering::SeqCst) { //~
            return;
        }
        let own = self.clone();
        thread::spawn(move || own.ride());
    }

    fn ride(&self) {
        while let Some(letter) = self.next() {
            deliver(letter);
        }
        self.riding.store(false, Ordering::SeqCst); //~
    }

    fn next(&self) -> Option<Letter> {
        self.bag.lock().unwrap().pop() //~
    }
}

#[derive(Default)]
struct Route {
    bag: VecDeque<Letter>,
    walking: bool,
}

/// Queue and flag under one lock.
#[derive(Clone, Default)]
pub struct Courier {
    route: Arc<Mutex<Route>>,
}

impl Courier {
    pub fn post(&self, letter: Letter) {
        let mut route = self.route.lock().unwrap();
        route.bag.push_back(letter);
        if !route.walking {
            route.walking = true;
            let own = self.clone();
            thread::spawn(move || own.walk());
        }
    }

    fn walk(&self) {
        loop {
            let letter = {
                let mut route = self.route.lock().unwrap();
                match route.bag.pop_front() {
                    Some(letter) => letter,
                    None => {
                        route.walking = false;
                        return;
                    }
                }
            };
            deliver(letter);
        }
    }
}
