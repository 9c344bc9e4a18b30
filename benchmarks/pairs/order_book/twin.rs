// Repaired: journal first (await), then lock and change without suspension.
//! A little exchange on one thread: every session may place orders, each change is journalled first.
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Result, ensure};
use parking_lot::RwLock;
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::LocalSet;

#[derive(Default)]
struct Book {
    bids: BTreeMap<u64, u64>,
    orders: u64,
}

impl Book {
    fn place(&mut self, price: u64, amount: u64) {
        *self.bids.entry(price).or_default() += amount;
        self.orders += 1;
    }

    fn best(&self) -> Option<(u64, u64)> {
        self.bids.last_key_value().map(|(price, amount)| (*price, *amount))
    }
}

struct Exchange {
    book: RwLock<Book>,
    journal: Mutex<File>,
}

impl Exchange {
    async fn append(&self, line: &str) -> Result<()> {
        let mut journal = self.journal.lock().await;
        journal.write_all(line.as_bytes()).await?;
        journal.sync_data().await?;
        Ok(())
    }

    async fn place(&self, price: u64, amount: u64) -> Result<u64> {
        ensure!(price > 0 && amount > 0, "nothing to place");
        self.append(&format!("{price} {amount}\n")).await?;
        let mut book = self.book.write();
        book.place(price, amount);
        Ok(book.orders)
    }

    fn quote(&self) -> String {
        match self.book.read().best() {
            Some((price, amount)) => format!("{amount} at {price}\n"),
            None => "no bids\n".into(),
        }
    }
}

async fn session(exchange: Rc<Exchange>, stream: TcpStream) -> Result<()> {
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    while let Some(line) = lines.next_line().await? {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["bid", price, amount] => match exchange.place(price.parse()?, amount.parse()?).await {
                Ok(number) => format!("order {number}\n"),
                Err(error) => format!("refused: {error}\n"),
            },
            ["quote"] => exchange.quote(),
            _ => "what?\n".into(),
        };
        output.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let journal = OpenOptions::new().create(true).append(true).open("/tmp/orders.log").await?;
    let exchange = Rc::new(Exchange { book: RwLock::default(), journal: Mutex::new(journal) });
    let listener = TcpListener::bind("127.0.0.1:7777").await?;
    let sessions = LocalSet::new();
    let accept = sessions.run_until(async move {
        loop {
            let (stream, peer) = listener.accept().await?;
            let exchange = exchange.clone();
            tokio::task::spawn_local(async move {
                if let Err(error) = session(exchange, stream).await {
                    tracing::warn!("{peer}: {error:#}");
                }
            });
        }
    });
    accept.await
}
