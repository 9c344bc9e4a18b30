//! A table that one task owns is nobody else's, in however many places such a task is started.
use std::collections::HashMap;
use tokio::sync::mpsc::{Receiver, Sender, channel};

enum Order {
    Join(String, String, Sender<String>),
    Say(String, String),
}

#[derive(Default)]
struct Rooms {
    rooms: HashMap<String, HashMap<String, Sender<String>>>,
}

impl Rooms {
    fn join(&mut self, room: String, who: String, to: Sender<String>) {
        self.rooms.entry(room).or_default().entry(who).or_insert(to);
    }

    async fn say(&mut self, room: &str, what: String) {
        let Some(members) = self.rooms.get_mut(room) else { return };
        let mut gone = Vec::new();
        for (who, to) in members.iter() {
            if to.send(what.clone()).await.is_err() {
                gone.push(who.clone());
            }
        }
        for who in gone {
            members.remove(&who);
        }
    }
}

async fn keep(mut orders: Receiver<Order>) {
    let mut rooms = Rooms::default();
    while let Some(order) = orders.recv().await {
        match order {
            Order::Join(room, who, to) => rooms.join(room, who, to),
            Order::Say(room, what) => rooms.say(&room, what).await,
        }
    }
}

async fn serve(address: &str) {
    let (orders, kept) = channel(8);
    tokio::spawn(keep(kept));
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    while let Ok((_, from)) = listener.accept().await {
        let (to, _received) = channel(8);
        let (room, who) = ("all".to_owned(), from.to_string());
        let _ = orders.send(Order::Join(room.clone(), who, to)).await;
        let _ = orders.send(Order::Say(room, "hello".to_owned())).await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tokio::spawn(serve("127.0.0.1:0"));
    serve("127.0.0.1:1").await;
}
