//! The answer is sent before what is asked for is there.
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

async fn load(users: Arc<Mutex<Vec<String>>>, ready: oneshot::Sender<()>) {
    let _ = ready.send(());
    users.lock().unwrap().push("root".to_owned()); //~
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let users = Arc::new(Mutex::new(Vec::new()));
    let (ready, told) = oneshot::channel();
    tokio::spawn(load(users.clone(), ready));
    let _ = told.await;
    println!("{:?}", users.lock().unwrap().first()); //~
}
