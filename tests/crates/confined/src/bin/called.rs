//! What libraries call of what they are given: items of iterators, texts of values, comparisons, readers and writers behind others.
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Waits before each item.
struct Ticks(u32);

impl Iterator for Ticks {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }
}

/// Does not.
struct Numbers(u32);

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }
}

/// Waits as well, where that is fine.
struct TicksThere(u32);

impl Iterator for TicksThere {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        thread::sleep(Duration::from_millis(1));
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }
}

async fn counts() -> u32 {
    let fast: u32 = Numbers(3).map(|number| number + 1).sum();
    let there = tokio::task::spawn_blocking(|| TicksThere(3).skip(1).count());
    let slow: u32 = Ticks(3).enumerate().map(|(at, number)| at as u32 + number).sum();
    fast + slow + there.await.unwrap_or_default() as u32
}

async fn drain(receiver: mpsc::Receiver<u32>) -> u32 {
    receiver.iter().take(3).sum() //~ blocking-in-async
}

async fn drain_what_is_there(receiver: mpsc::Receiver<u32>) -> u32 {
    receiver.try_iter().take(3).sum()
}

struct Status;

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = std::process::Command::new("git").arg("status").output(); //~ blocking-in-async
        write!(formatter, "{}", told.is_ok())
    }
}

struct Code(u32);

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl From<Status> for Code {
    fn from(_: Status) -> Code {
        thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        Code(3)
    }
}

impl From<u32> for Code {
    fn from(code: u32) -> Code {
        Code(code)
    }
}

async fn report() -> String {
    let code: Code = 7.into();
    format!("{Status}: {code}")
}

async fn convert() -> u32 {
    let code: Code = Status.into();
    code.0
}

#[derive(PartialEq, Eq, PartialOrd)]
struct Key(u32);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        self.0.cmp(&other.0)
    }
}

async fn sorted() -> usize {
    let mut keys = vec![Key(2), Key(1)];
    keys.sort();
    keys.len()
}

fn dump(out: &mut dyn Write) {
    let _ = out.write_all(b"text"); //~ blocking-in-async warn
}

fn dump_in_memory(out: &mut dyn Write) {
    let _ = out.write_all(b"text");
}

fn first<R: Read>(from: R) -> String {
    let mut line = String::new();
    let _ = BufReader::new(from).read_line(&mut line); //~ blocking-in-async warn
    line
}

fn first_in_memory<R: Read>(from: R) -> String {
    let mut line = String::new();
    let _ = BufReader::new(from).read_line(&mut line);
    line
}

async fn files(file: File, other: File) -> String {
    let mut out: Box<dyn Write + Send> = Box::new(file);
    dump(&mut *out);
    let mut text: Vec<u8> = Vec::new();
    dump_in_memory(&mut text);
    first(other) + &first_in_memory(&text[..])
}

/// What is made of a closure keeps it, and does not call it.
async fn later(send: mpsc::Sender<Box<dyn FnOnce() + Send>>) {
    let _ = send.send(Box::new(|| thread::sleep(Duration::from_millis(1))));
}

/// A future that is written by hand.
struct Slow;

impl Future for Slow {
    type Output = ();

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        std::task::Poll::Ready(())
    }
}

/// What some have of their own, and others as it is provided.
trait Title: Send + Sync {
    fn title(&self) -> String {
        "none".to_owned()
    }
}

struct Page;
impl Title for Page {}

struct Book;
impl Title for Book {
    fn title(&self) -> String {
        std::fs::read_to_string("title").unwrap_or_default() //~ blocking-in-async warn
    }
}

/// Nobody has what is provided.
trait Size: Send + Sync {
    fn size(&self) -> usize {
        thread::sleep(Duration::from_millis(1));
        0
    }
}

impl Size for Page {
    fn size(&self) -> usize {
        1
    }
}

async fn describe(all: Vec<Box<dyn Title>>, one: Box<dyn Size>) -> String {
    all.iter().map(|one| one.title()).collect::<String>() + &one.size().to_string()
}

/// A stream that is written by hand.
struct Beats;

impl futures_util::Stream for Beats {
    type Item = u32;

    fn poll_next(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<u32>> {
        thread::sleep(Duration::from_millis(1)); //~ blocking-in-async
        std::task::Poll::Ready(None)
    }
}

async fn beats() {
    use futures_util::StreamExt;
    Beats.map(|beat| beat + 1).for_each(|_| async {}).await;
}

async fn notes() -> usize {
    glob::glob("*.md").map(|path| path.len()).sum() //~ blocking-in-async warn
}

async fn notes_elsewhere() -> usize {
    tokio::task::spawn_blocking(|| glob::glob("*.md").count()).await.unwrap_or_default()
}

#[tokio::main]
async fn main() {
    let (_send, receive) = mpsc::channel();
    let (_others, there) = mpsc::channel();
    let (jobs, run) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
    thread::spawn(move || run.into_iter().for_each(|job| job()));
    tokio::spawn(counts());
    tokio::spawn(drain(receive));
    tokio::spawn(drain_what_is_there(there));
    tokio::spawn(report());
    tokio::spawn(convert());
    tokio::spawn(sorted());
    tokio::spawn(later(jobs));
    tokio::spawn(Slow);
    tokio::spawn(describe(vec![Box::new(Page), Box::new(Book)], Box::new(Page)));
    tokio::spawn(beats());
    tokio::spawn(notes());
    tokio::spawn(notes_elsewhere());
    if let (Ok(file), Ok(other)) = (File::create("out"), File::open("in")) {
        tokio::spawn(files(file, other));
    }
}
