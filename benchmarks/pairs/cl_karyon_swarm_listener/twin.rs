// karyon_swarm after b7acf74: registered before the node is started.
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

#[derive(Clone, Default)]
pub struct Node {
    listeners: Arc<Mutex<Vec<mpsc::UnboundedSender<u64>>>>,
}

impl Node {
    fn register(&self) -> mpsc::UnboundedReceiver<u64> {
        let (tx, rx) = mpsc::unbounded_channel();
        self.listeners.lock().unwrap().push(tx);
        rx
    }
    fn emit(&self, peer: u64) {
        for listener in self.listeners.lock().unwrap().iter() {
            let _ = listener.send(peer);
        }
    }
    async fn run(&self, seeds: Vec<u64>) {
        let node = self.clone();
        tokio::spawn(async move {
            for seed in seeds {
                tokio::task::yield_now().await;
                node.emit(seed);
            }
        });
    }
}

#[derive(Clone, Default)]
pub struct Swarm {
    node: Node,
    members: Arc<Mutex<HashSet<u64>>>,
}

impl Swarm {
    pub async fn run(&self, seeds: Vec<u64>) {
        let mut rx = self.node.register();
        self.node.run(seeds).await;
        let this = self.clone();
        tokio::spawn(async move {
            while let Some(peer) = rx.recv().await {
                this.members.lock().unwrap().insert(peer);
            }
        });
    }
    pub fn members(&self) -> usize {
        self.members.lock().unwrap().len()
    }
}
