//! One message looks and changes.
use tokio::sync::{mpsc, oneshot};
enum Msg { Get(oneshot::Sender<u64>), Set(u64), Add(u64) }
async fn account(mut inbox: mpsc::Receiver<Msg>) {
    let mut balance = 0;
    while let Some(message) = inbox.recv().await {
        match message {
            Msg::Get(reply) => { let _ = reply.send(balance); }
            Msg::Set(to) => balance = to,
            Msg::Add(by) => balance += by,
        }
        println!("{balance}");
    }
}
#[derive(Clone)]
struct Account(mpsc::Sender<Msg>);
impl Account {
    async fn deposit(&self, by: u64) -> Option<()> {
        self.0.send(Msg::Add(by)).await.ok()
    }
}
#[tokio::main]
async fn main() {
    let (send, inbox) = mpsc::channel(16);
    tokio::spawn(account(inbox));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    while let Ok((_, from)) = listener.accept().await {
        let account = Account(send.clone());
        tokio::spawn(async move { account.deposit(u64::from(from.port())).await });
    }
    let _ = (Msg::Set(0), |r| Msg::Get(r));
}
