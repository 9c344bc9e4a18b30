// What runs when a lease is dropped: the last one of a host takes the host out.
use dashmap::DashMap;
use std::sync::Arc;

#[derive(Default)]
pub struct Hosts { open: DashMap<String, usize> }

pub struct Lease { hosts: Arc<Hosts>, host: String }

impl Hosts {
    pub fn lease(self: &Arc<Self>, host: &str) -> Lease {
        *self.open.entry(host.to_string()).or_insert(0) += 1;
        Lease { hosts: self.clone(), host: host.to_string() }
    }
    pub fn open(&self, host: &str) -> usize { self.open.get(host).map_or(0, |n| *n) }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let left = match self.hosts.open.get_mut(&self.host) {
            Some(mut n) => { *n -= 1; *n } //~
            None => return,
        };
        if left == 0 {
            self.hosts.open.remove(&self.host); //~
        }
    }
}
