//! Handles of tasks that a value keeps for its owner.

pub mod kept_writer;
pub mod one_of_many;
pub mod unwoken;

use std::io;
use std::net::UdpSocket;
use std::thread::{self, JoinHandle};

fn announce(name: String) -> io::Result<()> {
    UdpSocket::bind("127.0.0.1:0")?.send_to(name.as_bytes(), "127.0.0.1:9").map(drop)
}

/// Whoever has one can ask how it went.
pub struct Uplink {
    task: JoinHandle<io::Result<()>>,
}

impl Uplink {
    pub fn start(name: String) -> Uplink {
        let task = thread::spawn(|| announce(name));
        Uplink { task }
    }

    pub fn completed(self) -> io::Result<()> {
        match self.task.join() {
            Ok(result) => result,
            Err(_) => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// Nobody can.
pub struct Beacon {
    _task: JoinHandle<io::Result<()>>,
}

impl Beacon {
    pub fn start(name: String) -> Beacon {
        let task = thread::spawn(move || { //~ no-handler
            announce(name)?;
            announce(String::new())
        });
        Beacon { _task: task }
    }
}

/// Who does not listen any more misses nothing.
pub fn ask(name: String) -> std::sync::mpsc::Receiver<String> {
    let (answer, asked) = std::sync::mpsc::channel();
    thread::spawn(move || answer.send(name));
    asked
}

/// What else goes wrong, nobody hears of.
pub fn ask_loudly(name: String) -> std::sync::mpsc::Receiver<String> {
    let (answer, asked) = std::sync::mpsc::channel();
    thread::spawn(move || { //~ no-handler
        announce(name.clone())?;
        answer.send(name).map_err(io::Error::other)
    });
    asked
}

/// A thread that works for whoever has one, and does so for ever.
pub struct Press {
    sheets: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Press {
    pub fn start() -> Press {
        let sheets = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let own = sheets.clone();
        thread::spawn(move || loop { //~ outlives-owner warn
            if let Some(sheet) = own.lock().unwrap().pop() {
                println!("{sheet}");
            }
        });
        Press { sheets }
    }

    pub fn print(&self, sheet: String) {
        self.sheets.lock().unwrap().push(sheet);
    }
}

/// The only one lives as long as the program.
pub struct Mint {
    coins: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

static MINT: std::sync::OnceLock<Mint> = std::sync::OnceLock::new();

fn open_the_mint() -> Mint {
    let coins = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let own = coins.clone();
    thread::spawn(move || loop {
        if let Some(coin) = own.lock().unwrap().pop() {
            println!("{coin}");
        }
    });
    Mint { coins }
}

pub fn strike(coin: String) {
    MINT.get_or_init(open_the_mint).coins.lock().unwrap().push(coin);
}

/// A constructor leaves it to a method to start the task, which has a clone of its own.
#[derive(Clone)]
pub struct Gazette {
    pages: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Gazette {
    pub fn open() -> Gazette {
        let gazette = Gazette { pages: std::sync::Arc::default() };
        gazette.print();
        gazette
    }

    fn print(&self) {
        let own = self.clone();
        thread::spawn(move || loop { //~ outlives-owner warn
            if let Some(page) = own.pages.lock().unwrap().pop() {
                println!("{page}");
            }
        });
    }

    pub fn add(&self, page: String) {
        self.pages.lock().unwrap().push(page);
    }
}
