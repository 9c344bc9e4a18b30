//! A provided method looks and changes by two required ones.
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
pub trait Leases: Send + Sync {
    fn is_leased(&self, ip: u32) -> bool;
    fn lease(&self, ip: u32);
    fn first_free(&self, from: u32, to: u32) -> Option<u32> {
        let free = (from..to).find(|ip| !self.is_leased(*ip))?;
        self.lease(free);
        Some(free)
    }
}
#[derive(Default)]
struct Table { leased: Mutex<BTreeSet<u32>> }
impl Leases for Table {
    fn is_leased(&self, ip: u32) -> bool { self.leased.lock().unwrap().contains(&ip) } //~
    fn lease(&self, ip: u32) { self.leased.lock().unwrap().insert(ip); } //~
}
pub struct Dhcp { leases: Arc<dyn Leases> }
impl Dhcp {
    pub fn new() -> Self { Dhcp { leases: Arc::new(Table::default()) } }
    pub fn offer(&self) -> Option<u32> { self.leases.first_free(10, 200) }
}
