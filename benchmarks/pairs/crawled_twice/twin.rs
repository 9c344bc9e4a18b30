// A page is fetched by whoever marks it first.
use futures::future::BoxFuture;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::Mutex;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Url(pub String);

#[derive(Clone)]
pub struct Crawler<F> { seen: Arc<Mutex<HashSet<Url>>>, fetch: F }

impl<F> Crawler<F> where F: Fn(Url) -> BoxFuture<'static, Vec<Url>> + Clone + Send + Sync + 'static {
    pub fn new(fetch: F) -> Self { Crawler { seen: Arc::default(), fetch } }
    pub async fn visit(&self, url: Url) -> Vec<Url> {
        if !self.seen.lock().await.insert(url.clone()) {
            return Vec::new();
        }
        (self.fetch)(url).await
    }
    pub async fn forget(&self) { self.seen.lock().await.clear(); }
}
