// Whoever stops the server takes the sender out; two that have seen it there cannot both have it.
use std::sync::Mutex;
use tokio::sync::oneshot;

pub struct Server { stop: Mutex<Option<oneshot::Sender<()>>>, served: Mutex<u64> }

impl Server {
    pub fn new() -> (Server, oneshot::Receiver<()>) {
        let (stop, stopped) = oneshot::channel();
        (Server { stop: Mutex::new(Some(stop)), served: Mutex::new(0) }, stopped)
    }
    pub fn serve(&self) { *self.served.lock().unwrap() += 1; }
    pub fn stop(&self) -> bool {
        if self.stop.lock().unwrap().is_none() { return false; } //~
        let stop = self.stop.lock().unwrap().take().expect("not stopped yet"); //~
        stop.send(()).is_ok()
    }
}
