//! Reads lines, parses them, adds them up: a thread for each.

use std::io::BufRead;
use std::sync::mpsc;
use std::thread;

fn main() {
    let (lines, parser_in) = mpsc::sync_channel::<String>(16);
    let (numbers, adder_in) = mpsc::sync_channel::<i64>(16);
    let parser = thread::spawn(move || {
        for line in parser_in {
            if let Ok(number) = line.trim().parse() {
                if numbers.send(number).is_err() {
                    break;
                }
            }
        }
    });
    let adder = thread::spawn(move || adder_in.iter().sum::<i64>());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if lines.send(line).is_err() {
            break;
        }
    }
    drop(lines);
    parser.join().unwrap();
    println!("{}", adder.join().unwrap());
}
