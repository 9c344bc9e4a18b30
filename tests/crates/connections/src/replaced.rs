//! A server whose connections put something in under their key, and take it out when they end: by then it may be another's.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

struct Client {
    number: u64,
    stream: TcpStream,
}

#[derive(Default)]
struct Server {
    clients: RwLock<HashMap<String, TcpStream>>,
    jobs: Mutex<BTreeMap<String, u64>>,
    checked: RwLock<HashMap<String, Client>>,
    numbered: RwLock<HashMap<u64, TcpStream>>,
    refused: Mutex<HashMap<String, TcpStream>>,
    kept: Mutex<HashMap<String, u64>>,
    busy: Mutex<HashSet<String>>,
    next: AtomicU64,
}

fn name_of(stream: &TcpStream) -> Option<String> {
    let mut name = String::new();
    BufReader::new(stream.try_clone().ok()?).read_line(&mut name).ok()?;
    Some(name)
}

/// Who comes again under a name takes the place of the former connection, which then throws it out.
fn serve(stream: TcpStream, server: &Server) {
    let Some(name) = name_of(&stream) else { return };
    server.clients.write().unwrap().insert(name.clone(), stream.try_clone().unwrap()); //~
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        println!("{name}: {line}");
    }
    server.clients.write().unwrap().remove(&name); //~
}

/// The same without a loop in between.
fn work(name: String, server: &Server) {
    server.jobs.lock().unwrap().insert(name.clone(), 1); //~
    println!("{name} works");
    leave(server, &name);
}

fn leave(server: &Server, name: &str) {
    server.jobs.lock().unwrap().remove(name); //~
}

/// As `serve`, but only what was put in is taken out.
fn serve_checked(stream: TcpStream, server: &Server) {
    let Some(name) = name_of(&stream) else { return };
    let number = server.next.fetch_add(1, Ordering::Relaxed);
    let client = Client { number, stream: stream.try_clone().unwrap() };
    server.checked.write().unwrap().insert(name.clone(), client);
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        println!("{name}: {line}");
    }
    let mut clients = server.checked.write().unwrap();
    if clients.get(&name).is_some_and(|client| client.number == number) {
        let gone = clients.remove(&name);
        println!("{name} left {:?}", gone.map(|client| client.stream));
    }
}

/// As `serve`, under a key that nobody else has.
fn serve_numbered(stream: TcpStream, server: &Server) {
    let number = server.next.fetch_add(1, Ordering::Relaxed);
    server.numbered.write().unwrap().insert(number, stream.try_clone().unwrap());
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        println!("{number}: {line}");
    }
    server.numbered.write().unwrap().remove(&number);
}

/// As `serve`, but nobody takes the place of another one.
fn serve_one(stream: TcpStream, server: &Server) {
    let Some(name) = name_of(&stream) else { return };
    {
        let mut refused = server.refused.lock().unwrap();
        if refused.contains_key(&name) {
            return;
        }
        refused.insert(name.clone(), stream.try_clone().unwrap());
    }
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        println!("{name}: {line}");
    }
    server.refused.lock().unwrap().remove(&name);
}

/// As `work`, but who finds somebody there goes away.
fn work_alone(name: String, server: &Server) {
    if !server.busy.lock().unwrap().insert(name.clone()) {
        return;
    }
    println!("{name} works alone");
    server.busy.lock().unwrap().remove(&name);
}

/// What was put in is not taken out again.
fn keep(name: String, server: &Server) {
    server.kept.lock().unwrap().insert(name.clone(), 1);
    println!("{name} is kept");
    server.kept.lock().unwrap().insert(name, 2);
}

fn main() {
    let server = Arc::new(Server::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    for stream in listener.incoming().flatten() {
        let Some(name) = name_of(&stream) else { continue };
        let [first, second, third] = [0; 3].map(|_| stream.try_clone().unwrap());
        let names = [0; 3].map(|_| name.clone());
        let servers = [0; 7].map(|_| server.clone());
        let [one, two, three, four, five, six, seven] = servers;
        let [fifth, sixth, seventh] = names;
        std::thread::spawn(move || serve(stream, &one));
        std::thread::spawn(move || serve_checked(first, &two));
        std::thread::spawn(move || serve_numbered(second, &three));
        std::thread::spawn(move || serve_one(third, &four));
        std::thread::spawn(move || work(fifth, &five));
        std::thread::spawn(move || work_alone(sixth, &six));
        std::thread::spawn(move || keep(seventh, &seven));
    }
}
