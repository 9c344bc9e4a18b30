//! How long somebody sleeps says when something happens, not what.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Feed {
    pause: AtomicU64,
    urgent: AtomicBool,
    items: Mutex<Vec<u64>>,
    sent: Mutex<u64>,
}

impl Feed {
    /// The pause may be another one by then: it was one that somebody wanted.
    async fn collect(&self) {
        let pause = self.pause.load(Ordering::SeqCst);
        tokio::select! {
            _ = tokio::time::sleep(Duration::from_millis(pause)) => {
                self.items.lock().unwrap().clear();
            }
            _ = std::future::pending::<()>() => {}
        }
    }

    /// That it is urgent decides what is sent.
    async fn send(&self) {
        let urgent = self.urgent.load(Ordering::SeqCst); //~
        tokio::time::sleep(Duration::from_millis(1)).await;
        if urgent {
            *self.sent.lock().unwrap() = 0; //~
        }
    }

    fn slow_down(&self) {
        self.pause.store(1000, Ordering::SeqCst);
        self.items.lock().unwrap().push(1);
    }

    fn calm_down(&self) {
        self.urgent.store(false, Ordering::SeqCst);
        *self.sent.lock().unwrap() += 1;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let feed = Arc::new(Feed {
        pause: AtomicU64::new(10),
        urgent: AtomicBool::new(true),
        items: Mutex::default(),
        sent: Mutex::default(),
    });
    let [collecting, sending, slow, calm] = [(); 4].map(|()| feed.clone());
    tokio::spawn(async move { collecting.collect().await });
    tokio::spawn(async move { sending.send().await });
    tokio::spawn(async move { slow.slow_down() });
    tokio::spawn(async move { calm.calm_down() });
    tokio::time::sleep(Duration::from_secs(1)).await;
}
