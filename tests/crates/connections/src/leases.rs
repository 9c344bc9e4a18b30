//! Loops that `main` starts: one takes out what has run out, as it has seen before, the other one makes it run on.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

struct Lease {
    until: Instant,
}

type Leases = Mutex<HashMap<u64, Lease>>;

fn expired(leases: &Leases) -> Vec<u64> {
    let now = Instant::now();
    leases.lock().unwrap().iter().filter(|(_, lease)| lease.until < now).map(|(id, _)| *id).collect() //~
}

fn reap(leases: &Leases) {
    loop {
        thread::sleep(Duration::from_secs(1));
        for id in expired(leases) {
            leases.lock().unwrap().remove(&id); //~
        }
    }
}

fn renew(leases: &Leases) {
    loop {
        thread::sleep(Duration::from_millis(100));
        for lease in leases.lock().unwrap().values_mut() {
            lease.until = Instant::now() + Duration::from_secs(5); //~
        }
    }
}

fn expired_again(leases: &Leases) -> Vec<u64> {
    let now = Instant::now();
    leases.lock().unwrap().iter().filter(|(_, lease)| lease.until < now).map(|(id, _)| *id).collect()
}

/// What is to go is looked at again under the lock under which it goes.
fn reap_carefully(leases: &Leases) {
    loop {
        thread::sleep(Duration::from_secs(1));
        for id in expired_again(leases) {
            let mut leases = leases.lock().unwrap();
            if leases.get(&id).map_or(false, |lease| lease.until < Instant::now()) {
                leases.remove(&id);
            }
        }
    }
}

fn renew_again(leases: &Leases) {
    loop {
        thread::sleep(Duration::from_millis(100));
        for lease in leases.lock().unwrap().values_mut() {
            lease.until = Instant::now() + Duration::from_secs(5);
        }
    }
}

#[derive(Default)]
struct Bank {
    accounts: Mutex<HashMap<u64, u64>>,
    visits: Mutex<HashMap<u64, u64>>,
}

impl Bank {
    fn add(&self, account: u64, amount: u64) -> u64 {
        let mut accounts = self.accounts.lock().unwrap();
        let money = accounts.entry(account).or_insert(0);
        *money += amount;
        *money
    }
}

/// What is written out to a client says nothing of what that one asks for next.
fn serve(client: TcpStream, bank: &Bank) {
    let mut client = BufReader::new(client);
    let mut line = String::new();
    while client.read_line(&mut line).is_ok_and(|read| read > 0) {
        let account = line.trim().parse().unwrap_or_default();
        let money = bank.add(account, 1);
        *bank.visits.lock().unwrap().entry(account).or_insert(0) += 1;
        let _ = client.get_mut().write_all(&money.to_be_bytes());
        line.clear();
    }
}

fn main() {
    let leases = Arc::new(Leases::default());
    let careful = Arc::new(Leases::default());
    for id in 0..4 {
        leases.lock().unwrap().insert(id, Lease { until: Instant::now() });
        careful.lock().unwrap().insert(id, Lease { until: Instant::now() });
    }
    let (one, other) = (leases.clone(), leases);
    thread::spawn(move || reap(&one));
    thread::spawn(move || renew(&other));
    let (one, other) = (careful.clone(), careful);
    thread::spawn(move || reap_carefully(&one));
    thread::spawn(move || renew_again(&other));
    let bank = Arc::new(Bank::default());
    for client in TcpListener::bind("127.0.0.1:7000").unwrap().incoming() {
        let bank = bank.clone();
        thread::spawn(move || serve(client.unwrap(), &bank));
    }
}
