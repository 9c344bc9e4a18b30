//! A server whose connections leave loops in which they wait for input: what comes then comes with the last iteration.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Names {
    taken: Mutex<Vec<String>>,
    guests: Mutex<Vec<String>>,
    held: Mutex<Vec<String>>,
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

fn main() {
    let names = Arc::new(Names::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        let names = names.clone();
        std::thread::spawn(move || {
            let Some(name) = pick(&mut stream, &names) else { return };
            let Some(_) = reserve(&mut stream, &names) else { return };
            names.guests.lock().unwrap().push(name.clone());
            talk(&mut stream, &names, &name);
        });
    }
}
