//! What a key leads to is entered only after the key: who finds the key looks for the rest, and takes it for granted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

/// The title is there before the book is.
#[derive(Default)]
pub struct Library {
    count: AtomicU64,
    titles: Mutex<HashMap<String, u64>>,
    books: RwLock<HashMap<u64, Arc<str>>>,
}

impl Library {
    pub fn add(&self, title: String, text: Arc<str>) -> u64 {
        let number = self.count.fetch_add(1, SeqCst);
        self.titles.lock().unwrap().insert(title, number); //~
        self.books.write().unwrap().insert(number, text); //~
        number
    }

    pub fn read(&self, title: &str) -> Option<Arc<str>> {
        let number = *self.titles.lock().unwrap().get(title)?; //~
        Some(self.books.read().unwrap()[&number].clone()) //~
    }
}

/// The book first, then its title.
#[derive(Default)]
pub struct Archive {
    count: AtomicU64,
    titles: Mutex<HashMap<String, u64>>,
    books: RwLock<HashMap<u64, Arc<str>>>,
}

impl Archive {
    pub fn add(&self, title: String, text: Arc<str>) -> u64 {
        let number = self.count.fetch_add(1, SeqCst);
        self.books.write().unwrap().insert(number, text);
        self.titles.lock().unwrap().insert(title, number);
        number
    }

    pub fn read(&self, title: &str) -> Option<Arc<str>> {
        let number = *self.titles.lock().unwrap().get(title)?;
        Some(self.books.read().unwrap()[&number].clone())
    }
}

/// Who does not find the book yet finds nothing.
#[derive(Default)]
pub struct Catalogue {
    count: AtomicU64,
    titles: Mutex<HashMap<String, u64>>,
    books: RwLock<HashMap<u64, Arc<str>>>,
}

impl Catalogue {
    pub fn add(&self, title: String, text: Arc<str>) -> u64 {
        let number = self.count.fetch_add(1, SeqCst);
        self.titles.lock().unwrap().insert(title, number);
        self.books.write().unwrap().insert(number, text);
        number
    }

    pub fn read(&self, title: &str) -> Option<Arc<str>> {
        let number = *self.titles.lock().unwrap().get(title)?;
        self.books.read().unwrap().get(&number).cloned()
    }
}

/// The order in which things came has a number before that leads to anything.
#[derive(Default)]
pub struct Arrivals {
    count: AtomicUsize,
    order: Mutex<Vec<usize>>,
    guests: Mutex<HashMap<usize, String>>,
}

impl Arrivals {
    pub fn arrive(&self, guest: String) {
        let number = self.count.fetch_add(1, SeqCst);
        self.order.lock().unwrap().push(number); //~
        self.guests.lock().unwrap().insert(number, guest); //~
    }

    pub fn last(&self) -> Option<String> {
        let number = *self.order.lock().unwrap().last()?; //~
        Some(self.guests.lock().unwrap().get(&number).cloned().expect("a guest")) //~
    }
}

/// A place is held first, and filled later: who looks finds that.
#[derive(Default)]
pub struct Seats {
    count: AtomicUsize,
    order: Mutex<Vec<usize>>,
    guests: Mutex<HashMap<usize, String>>,
}

impl Seats {
    pub fn arrive(&self, guest: String) {
        let number = self.count.fetch_add(1, SeqCst);
        self.guests.lock().unwrap().insert(number, String::new());
        self.order.lock().unwrap().push(number);
        self.guests.lock().unwrap().insert(number, guest);
    }

    pub fn last(&self) -> Option<String> {
        let number = *self.order.lock().unwrap().last()?;
        Some(self.guests.lock().unwrap().get(&number).cloned().expect("a guest"))
    }
}

/// Nobody has the token before it is given out, which is when all is there.
#[derive(Default)]
pub struct Tokens {
    count: AtomicU64,
    issued: AtomicU64,
    tokens: Mutex<HashMap<u64, u64>>,
    users: Mutex<HashMap<u64, String>>,
}

impl Tokens {
    pub fn issue(&self, name: String) -> u64 {
        let user = self.count.fetch_add(1, SeqCst);
        let token = self.issued.fetch_add(1, SeqCst);
        self.tokens.lock().unwrap().insert(token, user);
        self.users.lock().unwrap().insert(user, name);
        token
    }

    pub fn who(&self, token: u64) -> Option<String> {
        let user = *self.tokens.lock().unwrap().get(&token)?;
        Some(self.users.lock().unwrap().get(&user).cloned().unwrap())
    }
}

/// What is changed was there before, and stays where it is.
#[derive(Default)]
pub struct Members {
    recent: Mutex<Vec<u64>>,
    members: Mutex<HashMap<u64, String>>,
}

impl Members {
    pub fn join(&self, number: u64, name: String) {
        self.members.lock().unwrap().insert(number, name);
    }

    pub fn rename(&self, number: u64, name: String) {
        self.recent.lock().unwrap().push(number);
        if let Some(member) = self.members.lock().unwrap().get_mut(&number) {
            *member = name;
        }
    }

    pub fn renamed(&self) -> Option<String> {
        let number = *self.recent.lock().unwrap().last()?;
        Some(self.members.lock().unwrap().get(&number).cloned().unwrap())
    }
}
