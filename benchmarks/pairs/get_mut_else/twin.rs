//! And_modify, or_insert on the entry.
use dashmap::DashMap;
use std::net::IpAddr;
use std::time::Instant;
#[derive(Clone, Copy)]
pub struct Seen { first: Instant, times: u32 }
#[derive(Default)]
pub struct Visitors { by_ip: DashMap<IpAddr, Seen> }
impl Visitors {
    pub fn saw(&self, ip: IpAddr) {
        self.by_ip
            .entry(ip)
            .and_modify(|seen| seen.times += 1)
            .or_insert_with(|| Seen { first: Instant::now(), times: 1 });
    }
    pub fn times(&self, ip: &IpAddr) -> u32 { self.by_ip.get(ip).map_or(0, |seen| seen.times) }
    pub fn since(&self, ip: &IpAddr) -> Option<Instant> { self.by_ip.get(ip).map(|seen| seen.first) }
}
