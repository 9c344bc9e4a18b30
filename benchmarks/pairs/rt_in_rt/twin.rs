//! Within block_in_place... on a thread of the blocking pool.
use tokio::runtime::Handle;
#[derive(Clone)]
pub struct Db { url: String }
impl Db {
    async fn query(&self, sql: &str) -> Vec<String> { tokio::task::yield_now().await; vec![format!("{}: {sql}", self.url)] }
    fn query_sync(&self, sql: &str) -> Vec<String> { Handle::current().block_on(self.query(sql)) }
}
trait Repo { fn names(&self) -> Vec<String>; }
impl Repo for Db { fn names(&self) -> Vec<String> { self.query_sync("select name") } }
fn longest(repo: &impl Repo) -> Option<String> { repo.names().into_iter().max_by_key(String::len) }
pub fn report(db: Db) -> tokio::task::JoinHandle<Option<String>> {
    tokio::task::spawn_blocking(move || longest(&db))
}
