// An executable on one thread: between two borrows of a cell there is an await.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tokio::task::{spawn_local, LocalSet};

#[derive(Default)]
struct Cart { items: RefCell<BTreeMap<String, u32>> }

async fn in_stock(item: &str, n: u32) -> bool { tokio::task::yield_now().await; item.len() as u32 >= n }

async fn add(cart: Rc<Cart>, item: String) {
    let n = { let mut items = cart.items.borrow_mut(); let n = items.entry(item.clone()).or_insert(0); *n += 1; *n };
    if !in_stock(&item, n).await {
        if let Some(n) = cart.items.borrow_mut().get_mut(&item) { *n -= 1; }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cart = Rc::new(Cart::default());
    LocalSet::new().run_until(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        while let Ok((_, from)) = listener.accept().await {
            spawn_local(add(cart.clone(), from.ip().to_string()));
        }
    }).await;
}
