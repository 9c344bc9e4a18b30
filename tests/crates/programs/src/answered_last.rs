//! The answer is sent when what is asked for is there; what comes behind it is about something else.
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

async fn load(users: Arc<Mutex<Vec<String>>>, log: Arc<Mutex<u32>>, ready: oneshot::Sender<()>) {
    users.lock().unwrap().push("root".to_owned());
    let _ = ready.send(());
    *log.lock().unwrap() += 1;
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let users = Arc::new(Mutex::new(Vec::new()));
    let (ready, told) = oneshot::channel();
    tokio::spawn(load(users.clone(), Arc::default(), ready));
    let _ = told.await;
    println!("{:?}", users.lock().unwrap().first());
}
