// One task owns the balance; a deposit that asks and then sets is two messages, and others come in between.
use tokio::sync::{mpsc, oneshot};

enum Order {
    Get(oneshot::Sender<u64>),
    Set(u64),
    Add(u64, oneshot::Sender<u64>),
}

#[derive(Clone)]
pub struct Account { orders: mpsc::Sender<Order> }

async fn run(mut orders: mpsc::Receiver<Order>) {
    let mut balance = 0u64;
    while let Some(order) = orders.recv().await {
        match order {
            Order::Get(reply) => { let _ = reply.send(balance); }
            Order::Set(to) => balance = to,
            Order::Add(n, reply) => { balance += n; let _ = reply.send(balance); }
        }
    }
}

impl Account {
    pub fn open() -> Account { let (orders, queue) = mpsc::channel(16); tokio::spawn(run(queue)); Account { orders } }
    pub async fn balance(&self) -> Option<u64> {
        let (reply, answer) = oneshot::channel();
        self.orders.send(Order::Get(reply)).await.ok()?;
        answer.await.ok()
    }
    pub async fn close(&self) { let _ = self.orders.send(Order::Set(0)).await; }
    pub async fn deposit(&self, n: u64) -> Option<u64> {
        let balance = self.balance().await? + n; //~
        self.orders.send(Order::Set(balance)).await.ok()?; //~
        Some(balance)
    }
    pub async fn bonus(&self) { let (reply, _) = oneshot::channel(); let _ = self.orders.send(Order::Add(10, reply)).await; }
}
