//! A guard of tokio's mutex is kept while awaiting: nobody gets in between.
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

struct Account {
    balance: i64,
    pending: Vec<i64>,
}

async fn withdraw(account: Arc<Mutex<Account>>, amount: i64) -> bool {
    let mut account = account.lock().await;
    if account.balance < amount {
        return false;
    }
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    account.balance -= amount;
    account.pending.push(amount);
    true
}

#[tokio::main]
async fn main() {
    let account = Arc::new(Mutex::new(Account { balance: 10, pending: vec![] }));
    let (_sender, mut requests) = mpsc::unbounded_channel::<i64>();
    while let Some(amount) = requests.recv().await {
        tokio::spawn(withdraw(account.clone(), amount));
    }
}
