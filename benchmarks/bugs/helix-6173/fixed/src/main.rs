//! A document that is completed by a language server while the user types.

use std::cell::RefCell;
use std::io::BufRead;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{spawn_local, LocalSet};

enum Key {
    Letter(char),
    Complete,
}

#[derive(Default)]
struct Document {
    text: String,
    version: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (keys, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read_keys(keys));
    let document = Rc::new(RefCell::new(Document::default()));
    let editor = async move {
        while let Some(key) = inbox.recv().await {
            match key {
                Key::Letter(letter) => type_letter(&document, letter),
                Key::Complete => {
                    spawn_local(complete(document.clone()));
                }
            }
        }
    };
    LocalSet::new().run_until(editor).await;
}

fn type_letter(document: &RefCell<Document>, letter: char) {
    let mut document = document.borrow_mut();
    document.text.push(letter);
    document.version += 1;
}

async fn complete(document: Rc<RefCell<Document>>) {
    let (text, version) = {
        let document = document.borrow();
        (document.text.clone(), document.version)
    };
    let item = ask_server(text).await;
    let mut document = document.borrow_mut();
    if document.version == version {
        document.text.push_str(&item);
        document.version += 1;
    }
}

async fn ask_server(text: String) -> String {
    tokio::time::sleep(Duration::from_millis(30)).await;
    text.chars().rev().collect()
}

fn read_keys(keys: mpsc::Sender<Key>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        for letter in line.chars() {
            let key = if letter == ' ' { Key::Complete } else { Key::Letter(letter) };
            if keys.blocking_send(key).is_err() {
                return;
            }
        }
    }
}
