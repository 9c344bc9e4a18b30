//! What is written out in one line is put together there.
use std::sync::{Mutex, RwLock};

#[derive(Default)]
struct Cluster {
    leader: String,
    term: u64,
}

#[derive(Default)]
pub struct Status {
    cluster: RwLock<Cluster>,
    savings: Mutex<u64>,
    current: Mutex<u64>,
}

impl Status {
    pub fn elected(&self, leader: &str, term: u64) {
        let mut cluster = self.cluster.write().unwrap();
        cluster.leader = leader.to_owned();
        cluster.term = term;
    }

    pub fn print(&self) {
        let leader = self.cluster.read().unwrap().leader.clone(); //~
        let term = self.cluster.read().unwrap().term; //~
        println!("{leader} leads in term {term}");
    }

    pub fn print_at_once(&self) {
        let cluster = self.cluster.read().unwrap();
        println!("{} leads in term {}", cluster.leader, cluster.term);
    }

    /// Here the money is nowhere.
    pub fn transfer(&self, amount: u64) {
        *self.savings.lock().unwrap() -= amount; //~
        *self.current.lock().unwrap() += amount; //~
    }

    /// Under the locks of both.
    pub fn total(&self) -> u64 {
        let savings = self.savings.lock().unwrap();
        let current = self.current.lock().unwrap();
        *savings + *current
    }
}

/// One state, which is never looked at in pieces.
pub enum Link {
    Closed,
    Open(u32),
}

pub struct Line {
    link: Mutex<Link>,
}

impl Line {
    pub fn open(&self, peer: u32) {
        *self.link.lock().unwrap() = Link::Open(peer);
    }

    pub fn close(&self) {
        *self.link.lock().unwrap() = Link::Closed;
    }

    /// "Cannot happen" relies on the look before.
    pub fn peer(&self) -> Option<u32> {
        if matches!(*self.link.lock().unwrap(), Link::Closed) { //~
            return None;
        }
        match *self.link.lock().unwrap() { //~
            Link::Open(peer) => Some(peer),
            Link::Closed => unreachable!("looked at above"),
        }
    }
}
