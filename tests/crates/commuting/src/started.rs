//! What an event does, and what a task that it starts does.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

/// Two lists with a lock each, and nobody looks at both.
#[derive(Default)]
pub struct Journal {
    lines: Mutex<Vec<String>>,
    open: Mutex<Vec<u64>>,
}

impl Journal {
    pub fn begin(self: Arc<Self>, id: u64) {
        self.open.lock().unwrap().push(id);
        self.lines.lock().unwrap().clear();
        thread::spawn(move || self.open.lock().unwrap().clear());
    }

    pub fn count(&self) -> usize {
        self.lines.lock().unwrap().len()
    }

    pub fn busy(&self) -> usize {
        self.open.lock().unwrap().len()
    }
}

#[derive(Default)]
struct Run {
    lines: Vec<String>,
    title: String,
}

/// One lock for both.
#[derive(Default)]
pub struct Log {
    run: Mutex<Run>,
}

impl Log {
    pub fn begin(self: Arc<Self>, title: String) {
        self.run.lock().unwrap().lines.clear(); //~
        thread::spawn(move || self.run.lock().unwrap().title = title); //~
    }

    pub fn show(&self) -> String {
        let run = self.run.lock().unwrap();
        format!("{}: {}", run.title, run.lines.len())
    }

    pub fn add(&self, title: String, line: String) {
        let mut run = self.run.lock().unwrap();
        run.lines.push(line); //~
        run.title = title; //~
    }
}

/// The task watches what others do: that is what its loop is for.
#[derive(Default)]
pub struct Monitor {
    online: Mutex<bool>,
}

impl Monitor {
    pub fn start(self: Arc<Self>) {
        *self.online.lock().unwrap() = true;
        thread::spawn(move || {
            while *self.online.lock().unwrap() {
                thread::yield_now();
            }
        });
    }

    pub fn stop(&self) {
        *self.online.lock().unwrap() = false;
    }
}

/// The task looks once for what it was started with.
#[derive(Default)]
pub struct Printer {
    page: Mutex<u64>,
}

impl Printer {
    pub fn print(self: Arc<Self>, page: u64) {
        *self.page.lock().unwrap() = page; //~
        thread::spawn(move || println!("{}", self.page.lock().unwrap())); //~
    }
}

/// Each iteration has to do with another entry.
#[derive(Default)]
pub struct Crowd {
    online: Mutex<HashMap<u32, bool>>,
}

impl Crowd {
    pub fn enter(self: Arc<Self>, ids: Vec<u32>) {
        for id in ids {
            self.online.lock().unwrap().insert(id, true);
            let crowd = self.clone();
            thread::spawn(move || crowd.online.lock().unwrap().insert(id, false));
        }
    }

    pub fn is_online(&self, id: u32) -> bool {
        self.online.lock().unwrap().get(&id).is_some_and(|online| *online)
    }
}

/// As `Crowd`, but the task may come first.
#[derive(Default)]
pub struct Party {
    online: Mutex<HashMap<u32, bool>>,
}

impl Party {
    pub fn enter(self: Arc<Self>, ids: Vec<u32>) {
        for id in ids {
            let party = self.clone();
            thread::spawn(move || party.online.lock().unwrap().insert(id, false)); //~
            self.online.lock().unwrap().insert(id, true); //~
        }
    }

    pub fn is_online(&self, id: u32) -> bool {
        self.online.lock().unwrap().get(&id).is_some_and(|online| *online)
    }
}

/// A board that players enter and leave; what is on it is shown to each by a task of its own, which then waits for more.
#[derive(Default)]
pub struct Board {
    fields: Mutex<Vec<u32>>,
}

impl Board {
    pub fn serve(self: Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            let board = self.clone();
            thread::spawn(move || board.play(stream));
        }
    }

    fn play(self: Arc<Self>, mut stream: TcpStream) {
        let place = self.enter();
        let (board, mut shown) = (self.clone(), stream.try_clone().unwrap());
        let (more, news) = mpsc::channel::<u32>();
        thread::spawn(move || {
            let fields = board.fields.lock().unwrap().clone();
            let _ = write!(shown, "{fields:?}");
            while let Ok(field) = news.recv() {
                let _ = write!(shown, "{field}");
            }
        });
        let mut buffer = [0; 8];
        while let Ok(1..) = stream.read(&mut buffer) {
            let _ = more.send(place as u32);
        }
        self.fields.lock().unwrap()[place] = 0;
    }

    fn enter(&self) -> usize {
        let mut fields = self.fields.lock().unwrap();
        let place = fields.iter().position(|field| *field == 0).unwrap_or(0);
        fields[place] = 1;
        place
    }
}

/// Two calls of one function start a task each, which are alike.
#[derive(Default)]
pub struct Posts {
    last: Mutex<u32>,
}

impl Posts {
    pub fn open(self: Arc<Self>) {
        self.man(1);
        self.man(2);
    }

    fn man(self: &Arc<Self>, post: u32) {
        let posts = self.clone();
        thread::spawn(move || *posts.last.lock().unwrap() = post);
    }

    pub fn last(&self) -> u32 {
        *self.last.lock().unwrap()
    }
}

/// As `Posts`, but two places start two tasks.
#[derive(Default)]
pub struct Shifts {
    last: Mutex<u32>,
}

impl Shifts {
    pub fn open(self: Arc<Self>) {
        let (early, late) = (self.clone(), self.clone());
        thread::spawn(move || *early.last.lock().unwrap() = 1); //~
        thread::spawn(move || *late.last.lock().unwrap() = 2); //~
    }

    pub fn last(&self) -> u32 {
        *self.last.lock().unwrap()
    }
}
