//! Listed and closed under one lock.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
pub struct Conn { pub host: String }
#[derive(Default)]
pub struct Pool { conns: Mutex<HashMap<String, Arc<Conn>>> }
impl Pool {
    pub fn get(&self, host: &str) -> Arc<Conn> {
        let mut conns = self.conns.lock().unwrap();
        conns.entry(host.to_string()).or_insert_with(|| Arc::new(Conn { host: host.to_string() })).clone()
    }
    pub fn sweep(&self) -> usize {
        let mut conns = self.conns.lock().unwrap();
        let idle: Vec<String> =
            conns.iter().filter(|(_, c)| Arc::strong_count(c) == 1).map(|(h, _)| h.clone()).collect();
        idle.iter().filter(|host| conns.remove(host.as_str()).is_some()).count()
    }
}
