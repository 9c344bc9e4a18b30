//! What is sent through a channel is what arrives, whichever end of it the callers of a library have.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;

pub struct Parcel {
    weight: Mutex<u32>,
}

impl Parcel {
    fn new() -> Arc<Parcel> {
        Arc::new(Parcel { weight: Mutex::new(0) })
    }
}

/// A worker that a constructor starts, whose jobs callers give it.
pub struct Scales {
    parcels: mpsc::Sender<Arc<Parcel>>,
}

fn weigh(parcels: mpsc::Receiver<Arc<Parcel>>) {
    while let Ok(parcel) = parcels.recv() {
        let weight = *parcel.weight.lock().unwrap(); //~
        *parcel.weight.lock().unwrap() = weight + 1; //~
    }
}

impl Scales {
    pub fn new() -> Scales {
        let (parcels, arriving) = mpsc::channel();
        thread::spawn(move || weigh(arriving));
        Scales { parcels }
    }

    pub fn put(&self, tare: u32) {
        let parcel = Parcel::new();
        if self.parcels.send(parcel.clone()).is_ok() {
            *parcel.weight.lock().unwrap() = tare; //~
        }
    }
}

/// Who lets go of it as it is sent.
pub struct Chute {
    parcels: mpsc::Sender<Arc<Parcel>>,
}

fn tip(parcels: mpsc::Receiver<Arc<Parcel>>) {
    for parcel in parcels {
        let weight = *parcel.weight.lock().unwrap();
        *parcel.weight.lock().unwrap() = weight + 1;
    }
}

impl Chute {
    pub fn new() -> Chute {
        let (parcels, arriving) = mpsc::channel();
        thread::spawn(move || tip(arriving));
        Chute { parcels }
    }

    pub fn put(&self, tare: u32) {
        let parcel = Parcel::new();
        *parcel.weight.lock().unwrap() = tare;
        let _ = self.parcels.send(parcel);
    }
}

/// Callers have the end at which it arrives, and take it by value out of a loop.
pub struct Desk {
    parcels: Mutex<mpsc::Receiver<Arc<Parcel>>>,
}

fn pack(parcels: mpsc::Sender<Arc<Parcel>>) {
    loop {
        let parcel = Parcel::new();
        if parcels.send(parcel.clone()).is_err() {
            return;
        }
        thread::yield_now();
        *parcel.weight.lock().unwrap() = 7; //~
    }
}

impl Desk {
    pub fn open() -> Desk {
        let (parcels, arriving) = mpsc::channel();
        thread::spawn(move || pack(parcels));
        Desk { parcels: Mutex::new(arriving) }
    }

    pub fn serve(&self) {
        let Ok(parcel) = self.parcels.lock().unwrap().recv() else { return };
        let weight = *parcel.weight.lock().unwrap(); //~
        *parcel.weight.lock().unwrap() = weight + 1; //~
    }
}

/// In a message of several kinds, by a clone of the sender.
pub mod orders {
    use std::sync::{Arc, Mutex};
    use tokio::sync::mpsc;

    pub struct Order {
        lines: Mutex<u32>,
    }

    enum Message {
        Place(Arc<Order>),
        Stop,
    }

    pub struct Office {
        messages: mpsc::UnboundedSender<Message>,
    }

    async fn handle(mut messages: mpsc::UnboundedReceiver<Message>) {
        while let Some(message) = messages.recv().await {
            match message {
                Message::Place(order) => {
                    let lines = *order.lines.lock().unwrap(); //~
                    *order.lines.lock().unwrap() = lines + 1; //~
                }
                Message::Stop => return,
            }
        }
    }

    impl Office {
        pub fn new() -> Office {
            let (messages, arriving) = mpsc::unbounded_channel();
            tokio::spawn(handle(arriving));
            Office { messages }
        }

        pub async fn place(&self, lines: u32) {
            let order = Arc::new(Order { lines: Mutex::new(0) });
            let (messages, placed) = (self.messages.clone(), order.clone());
            tokio::spawn(async move {
                let _ = messages.send(Message::Place(placed));
            });
            *order.lines.lock().unwrap() = lines; //~
        }

        pub fn stop(&self) {
            let _ = self.messages.send(Message::Stop);
        }
    }
}

/// Each looks and changes in one go.
pub mod notes {
    use std::sync::{Arc, Mutex};
    use tokio::sync::mpsc;

    pub struct Note {
        read: Mutex<u32>,
    }

    pub struct Board {
        notes: mpsc::UnboundedSender<Arc<Note>>,
    }

    async fn handle(mut notes: mpsc::UnboundedReceiver<Arc<Note>>) {
        while let Some(note) = notes.recv().await {
            *note.read.lock().unwrap() += 1;
        }
    }

    impl Board {
        pub fn new() -> Board {
            let (notes, arriving) = mpsc::unbounded_channel();
            tokio::spawn(handle(arriving));
            Board { notes }
        }

        pub async fn pin(&self) {
            let note = Arc::new(Note { read: Mutex::new(0) });
            let _ = self.notes.send(note.clone());
            *note.read.lock().unwrap() += 1;
        }
    }
}
