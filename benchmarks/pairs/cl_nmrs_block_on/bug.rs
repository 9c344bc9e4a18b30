// nmrs 3.x (fixed by commit e21d23d, May 2026), src/core/vpn.rs: an async function blocks its thread in `futures::executor::block_on`, within a
// closure of `and_then`, for what is answered by the same runtime.
use std::collections::HashMap;
use tokio::sync::{mpsc, oneshot};

#[derive(Clone)]
pub struct Bus {
    calls: mpsc::Sender<(String, oneshot::Sender<String>)>,
}

impl Bus {
    pub fn new() -> Bus {
        let (calls, mut rx) = mpsc::channel::<(String, oneshot::Sender<String>)>(8);
        tokio::spawn(async move {
            while let Some((path, answer)) = rx.recv().await {
                let _ = answer.send(format!("{path}: wlan0"));
            }
        });
        Bus { calls }
    }

    async fn property(&self, path: &str) -> Option<String> {
        let (tx, rx) = oneshot::channel();
        self.calls.send((path.to_string(), tx)).await.ok()?;
        rx.await.ok()
    }
}

async fn active_map(bus: &Bus, paths: &[String]) -> HashMap<String, Option<String>> {
    let mut map = HashMap::new();
    for path in paths {
        let devices = bus.property(path).await;
        let interface = devices
            .and_then(|device| futures::executor::block_on(async { bus.property(&device).await }));
        map.insert(path.clone(), interface);
    }
    map
}

pub async fn list(bus: Bus, paths: Vec<String>) -> usize {
    active_map(&bus, &paths).await.len()
}
