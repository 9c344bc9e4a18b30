//! What a connection has made for itself: its lines are handled one after the other.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

pub struct Letter {
    draft: Arc<Mutex<Option<String>>>,
}

impl Letter {
    pub fn new() -> Letter {
        Letter { draft: Arc::default() }
    }

    pub fn begin(&mut self) {
        if self.draft.lock().unwrap().is_some() {
            self.draft = Arc::default();
        }
        *self.draft.lock().unwrap() = Some(String::new());
    }

    pub fn add(&mut self, line: &str) {
        let draft = self.draft.lock().unwrap().clone().unwrap_or_default();
        *self.draft.lock().unwrap() = Some(draft + line);
    }
}

/// What it is made around, others have, too; the rest is its own.
pub struct Parcel {
    draft: Arc<Mutex<Option<String>>>,
    sealed: Arc<Mutex<u32>>,
}

impl Parcel {
    pub fn new(sealed: Arc<Mutex<u32>>) -> Parcel {
        Parcel { draft: Arc::default(), sealed }
    }

    pub fn add(&mut self, line: &str) {
        let draft = self.draft.lock().unwrap().clone().unwrap_or_default();
        *self.draft.lock().unwrap() = Some(draft + line);
    }

    pub fn seal(&mut self) {
        let sealed = *self.sealed.lock().unwrap(); //~
        *self.sealed.lock().unwrap() = sealed * 2 + 1; //~
    }
}

pub struct Office;

impl Office {
    pub fn serve(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            let office = self.clone();
            thread::spawn(move || office.handle(stream, Letter::new()));
        }
    }

    pub fn handle(&self, mut stream: TcpStream, mut letter: Letter) {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            match line.as_str() {
                "new" => letter.begin(),
                line => letter.add(line),
            }
            let _ = stream.write_all(b"ok\n");
        }
    }
}

/// What a connection has written so far, which others count.
#[derive(Default)]
pub struct Desk {
    pages: Mutex<Vec<Arc<Page>>>,
}

#[derive(Default)]
struct Page {
    lines: Mutex<Vec<String>>,
    open: Mutex<bool>,
}

impl Desk {
    pub fn serve(self: Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            let desk = self.clone();
            thread::spawn(move || desk.handle(stream));
        }
    }

    fn handle(&self, mut stream: TcpStream) {
        let page = Arc::new(Page::default());
        self.pages.lock().unwrap().push(page.clone());
        let mut buffer = [0; 64];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            let lines = page.lines.lock().unwrap().len();
            if !*page.open.lock().unwrap() {
                *page.open.lock().unwrap() = true;
                page.lines.lock().unwrap().push(format!("{lines} lines {length}"));
            }
        }
    }

    pub fn count(&self) -> usize {
        self.pages.lock().unwrap().iter().map(|page| page.lines.lock().unwrap().len()).sum()
    }

    pub fn open(&self) -> usize {
        self.pages.lock().unwrap().iter().filter(|page| *page.open.lock().unwrap()).count()
    }
}
