//! `update` gets one message after the other, futures run beside it.
use std::sync::{Arc, Mutex};

use iced::Task;

#[derive(Default)]
pub struct App {
    shared: Arc<Mutex<u64>>,
    count: u64,
}

pub enum Message {
    Clicked,
    Done(u64),
}

fn update(app: &mut App, message: Message) -> Task<Message> {
    match message {
        Message::Clicked => {
            let shared = app.shared.clone();
            Task::perform(
                async move {
                    let seen = *shared.lock().unwrap(); //~
                    *shared.lock().unwrap() = seen * 2; //~
                    seen
                },
                Message::Done,
            )
        }
        Message::Done(seen) => {
            if app.count < seen {
                app.count = seen;
            }
            Task::none()
        }
    }
}

fn view(app: &App) {
    println!("{}", app.count);
}

pub fn run() {
    iced::run("app", update, view);
}
