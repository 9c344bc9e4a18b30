//! risc0/risc0#1062: what has a client that blocks, and with it a runtime, is dropped by a future. C6.
use tokio::runtime::Runtime;

struct Bonsai {
    runtime: Runtime,
}

impl Bonsai {
    fn new() -> Self {
        Bonsai { runtime: Runtime::new().unwrap() }
    }

    fn key(&self) -> u64 {
        let _ = &self.runtime;
        3
    }
}

async fn prove() -> u64 {
    let key = tokio::task::spawn_blocking(|| Bonsai::new().key());
    key.await.unwrap_or_default()
}

#[tokio::main]
async fn main() {
    println!("{}", prove().await);
}
