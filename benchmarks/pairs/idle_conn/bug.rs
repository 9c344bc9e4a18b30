//! The idle ones are listed under one lock and closed under the next, whoever took them meanwhile.
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
        let idle: Vec<String> = {
            let conns = self.conns.lock().unwrap();
            conns.iter().filter(|(_, c)| Arc::strong_count(c) == 1).map(|(h, _)| h.clone()).collect() //~
        };
        let mut conns = self.conns.lock().unwrap();
        idle.iter().filter(|host| conns.remove(host.as_str()).is_some()).count() //~
    }
}
