//! A thread does.
use std::sync::mpsc::{Receiver, Sender, channel};
pub enum Cmd { Say(String), Stop }
fn serve(commands: Receiver<Cmd>) {
    for command in commands {
        match command {
            Cmd::Say(text) => println!("{text}"),
            Cmd::Stop => break,
        }
    }
}
pub fn start() -> Sender<Cmd> {
    let (send, commands) = channel();
    std::thread::spawn(move || serve(commands));
    send
}
