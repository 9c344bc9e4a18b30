//! A task goes through a std receiver.
use std::sync::mpsc::{Receiver, Sender, channel};
pub enum Cmd { Say(String), Stop }
fn serve(commands: Receiver<Cmd>) {
    for command in commands { //~
        match command {
            Cmd::Say(text) => println!("{text}"),
            Cmd::Stop => break,
        }
    }
}
pub fn start() -> Sender<Cmd> {
    let (send, commands) = channel();
    tokio::spawn(async move { serve(commands) });
    send
}
