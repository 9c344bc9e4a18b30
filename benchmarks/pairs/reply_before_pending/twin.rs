// An executable. The answer may be there before the question has been entered among the pending ones.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::oneshot;

type Pending = Arc<Mutex<HashMap<u64, oneshot::Sender<String>>>>;

async fn read(socket: OwnedReadHalf, pending: Pending) {
    let mut lines = BufReader::new(socket).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Some((id, answer)) = line.split_once(' ') else { continue };
        let Ok(id) = id.parse::<u64>() else { continue };
        let asked = pending.lock().unwrap().remove(&id);
        if let Some(asked) = asked { let _ = asked.send(answer.to_string()); }
    }
}

async fn ask(socket: &mut OwnedWriteHalf, pending: &Pending, id: u64, question: &str) -> Option<String> {
    let (reply, answer) = oneshot::channel();
    pending.lock().unwrap().insert(id, reply);
    if socket.write_all(format!("{id} {question}\n").as_bytes()).await.is_err() {
        pending.lock().unwrap().remove(&id);
        return None;
    }
    answer.await.ok()
}

#[tokio::main]
async fn main() {
    let Ok(stream) = tokio::net::TcpStream::connect("127.0.0.1:7").await else { return };
    let (from, mut to) = stream.into_split();
    let pending = Pending::default();
    tokio::spawn(read(from, pending.clone()));
    for id in 0..10 {
        println!("{:?}", ask(&mut to, &pending, id, "how are you").await);
    }
}
