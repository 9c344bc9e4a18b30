//! A future that is kept in a box runs when its owner is awaited.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub struct Restaurant {
    pub orders: UnboundedSender<u32>,
    work: Pin<Box<dyn Future<Output = ()> + Send>>,
}

struct Kitchen {
    meals: Arc<AtomicU32>,
    sold: Arc<AtomicU32>,
}

fn oven(meals: Arc<AtomicU32>, sold: Arc<AtomicU32>) {
    for line in std::io::stdin().lines() {
        println!("{}", line.unwrap());
        let made = meals.load(SeqCst); //~
        meals.store(made + 1, SeqCst); //~
        sold.fetch_add(1, SeqCst);
    }
}

impl Kitchen {
    fn start() -> Kitchen {
        let (meals, sold) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (theirs, all) = (meals.clone(), sold.clone());
        std::thread::spawn(move || oven(theirs, all));
        Kitchen { meals, sold }
    }

    async fn run(mut orders: UnboundedReceiver<u32>) {
        let kitchen = Kitchen::start();
        while orders.recv().await.is_some() {
            let made = kitchen.meals.load(SeqCst); //~
            kitchen.meals.store(made + 1, SeqCst); //~
            kitchen.sold.fetch_add(1, SeqCst);
        }
    }
}

impl Restaurant {
    pub fn new() -> Restaurant {
        let (orders, received) = unbounded_channel();
        Restaurant { orders, work: Box::pin(Kitchen::run(received)) }
    }

    pub async fn wait(self) {
        self.work.await
    }
}
