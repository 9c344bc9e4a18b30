//! rerun-io/rerun#10187: a library for those who do not await has a runtime of its own, and is used by a future. C6.
use tokio::runtime::Runtime;

struct Client {
    runtime: Runtime,
}

impl Client {
    fn tables(&self) -> usize {
        self.runtime.block_on(async { 3 })
    }
}

async fn list(client: &'static Client) -> usize {
    tokio::task::spawn_blocking(|| client.tables()).await.unwrap_or_default()
}

#[tokio::main]
async fn main() {
    let runtime = std::thread::spawn(|| Runtime::new().unwrap()).join().unwrap();
    let client: &'static Client = Box::leak(Box::new(Client { runtime }));
    println!("{}", list(client).await);
}
