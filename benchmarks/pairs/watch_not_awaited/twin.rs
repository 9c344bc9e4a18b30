// An executable. The table is complete once the watch says so.
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{watch, RwLock};

#[derive(Default)]
struct Routes { table: RwLock<BTreeMap<String, String>> }

async fn fill(routes: Arc<Routes>, ready: watch::Sender<bool>) {
    let text = tokio::fs::read_to_string("routes.txt").await.unwrap_or_default();
    for line in text.lines() {
        if let Some((from, to)) = line.split_once(' ') {
            routes.table.write().await.insert(from.into(), to.into());
        }
    }
    let _ = ready.send(true);
}

#[tokio::main]
async fn main() {
    let routes = Arc::new(Routes::default());
    let (ready, mut is_ready) = watch::channel(false);
    tokio::spawn(fill(routes.clone(), ready));
    if is_ready.wait_for(|ready| *ready).await.is_err() { return; }
    let home = routes.table.read().await.get("/").cloned();
    println!("{}", home.unwrap_or_else(|| "no home".into()));
}
