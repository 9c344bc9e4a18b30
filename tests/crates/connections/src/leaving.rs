//! A server whose connections leave loops in which they wait for input: what comes then comes with the last iteration.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Names {
    taken: Mutex<Vec<String>>,
    guests: Mutex<Vec<String>>,
    held: Mutex<Vec<String>>,
    topic: Mutex<Option<String>>,
    rules: Mutex<Option<String>>,
}

/// Two may pick one name.
fn pick(stream: &mut TcpStream, names: &Names) -> Option<String> {
    let mut buffer = [0; 12];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(_) => (),
        }
        let name = String::from_utf8_lossy(&buffer).to_string();
        let taken = names.taken.lock().unwrap().contains(&name); //~
        if !taken {
            names.taken.lock().unwrap().push(name.clone()); //~
            return Some(name);
        }
        println!("{name} is taken");
    }
}

/// As `pick`, under one lock.
fn reserve(stream: &mut TcpStream, names: &Names) -> Option<String> {
    let mut buffer = [0; 12];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(_) => (),
        }
        let name = String::from_utf8_lossy(&buffer).to_string();
        let mut held = names.held.lock().unwrap();
        if !held.contains(&name) {
            held.push(name.clone());
            return Some(name);
        }
        println!("{name} is taken");
    }
}

/// Who has left is looked for, and taken out.
fn talk(stream: &mut TcpStream, names: &Names, name: &str) {
    let mut buffer = [0; 12];
    while let Ok(1..) = stream.read(&mut buffer) {
        println!("{name}: {buffer:?}");
    }
    let place = names.guests.lock().unwrap().iter().position(|guest| guest == name); //~
    if let Some(place) = place {
        names.guests.lock().unwrap().remove(place); //~
    }
}

/// Lines come in through a buffer; two may be the first. Each iteration looks anew.
fn read_topics(stream: TcpStream, names: &Names) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let first = names.topic.lock().unwrap().is_none(); //~
        if first {
            *names.topic.lock().unwrap() = Some(line); //~
        }
    }
}

/// As `read_topics`, under one lock.
fn read_rules(stream: TcpStream, names: &Names) {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while let Ok(1..) = lines.read_line(&mut line) {
        let mut rules = names.rules.lock().unwrap();
        if rules.is_none() {
            *rules = Some(line.clone());
        }
    }
}

fn main() {
    let names = Arc::new(Names::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    for mut stream in listener.incoming().flatten() {
        let names = names.clone();
        let (topics, rules) = (stream.try_clone().unwrap(), stream.try_clone().unwrap());
        let (one, other) = (names.clone(), names.clone());
        std::thread::spawn(move || read_topics(topics, &one));
        std::thread::spawn(move || read_rules(rules, &other));
        std::thread::spawn(move || {
            let Some(name) = pick(&mut stream, &names) else { return };
            let Some(_) = reserve(&mut stream, &names) else { return };
            names.guests.lock().unwrap().push(name.clone());
            talk(&mut stream, &names, &name);
        });
    }
}
