//! Two threads find the cell empty, the second `set` fails and is unwrapped.
use std::sync::OnceLock;
#[derive(Debug)]
pub struct Pool { url: String, size: usize }
static POOL: OnceLock<Pool> = OnceLock::new();
fn connect(url: &str) -> Pool { Pool { url: url.to_owned(), size: url.len() } }
pub fn pool(url: &str) -> &'static Pool {
    if let Some(pool) = POOL.get() { //~
        return pool;
    }
    POOL.set(connect(url)).expect("set once"); //~
    POOL.get().unwrap()
}
pub fn size() -> usize { POOL.get().map_or(0, |pool| pool.size) }
