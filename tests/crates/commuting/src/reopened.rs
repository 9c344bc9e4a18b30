//! A state in between that is meant to be seen: the task that ends it looks whether it is still so.

use std::sync::{Arc, Mutex};
use std::thread;

enum Line {
    Down,
    Dialling,
    Up(u32),
}

/// Who finds it dialling leaves it alone, and so does the thread that dials if it finds anything else.
pub struct Phone {
    line: Arc<Mutex<Line>>,
}

impl Phone {
    pub fn call(&self) -> Option<u32> {
        let mut line = self.line.lock().unwrap();
        match &*line {
            Line::Up(number) => return Some(*number),
            Line::Dialling => return None,
            Line::Down => *line = Line::Dialling,
        }
        drop(line);
        let line = self.line.clone();
        thread::spawn(move || {
            let number = dial();
            let mut line = line.lock().unwrap();
            if let Line::Dialling = &*line {
                *line = number.map_or(Line::Down, Line::Up);
            }
        });
        None
    }
}

/// What was hung up meanwhile is up again.
pub struct Blind {
    line: Arc<Mutex<Line>>,
}

impl Blind {
    pub fn call(&self) -> Option<u32> {
        let mut line = self.line.lock().unwrap();
        match &*line {
            Line::Up(number) => return Some(*number),
            Line::Dialling => return None,
            Line::Down => *line = Line::Dialling, //~
        }
        drop(line);
        let line = self.line.clone();
        thread::spawn(move || {
            let number = dial();
            *line.lock().unwrap() = number.map_or(Line::Down, Line::Up); //~
        });
        None
    }

    pub fn hang_up(&self) {
        *self.line.lock().unwrap() = Line::Down; //~
    }
}

fn dial() -> Option<u32> {
    std::env::var("NUMBER").ok()?.parse().ok()
}
