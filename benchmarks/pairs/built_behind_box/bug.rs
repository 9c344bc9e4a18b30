// A private type that a builder gives away as a boxed trait object.
use std::collections::BTreeMap;
use std::sync::Mutex;

pub trait Quota: Send + Sync {
    fn charge(&self, tenant: &str, bytes: u64) -> Result<u64, u64>;
    fn reset(&self, tenant: &str);
}

struct InMemory { used: Mutex<BTreeMap<String, u64>>, limit: u64 }

impl Quota for InMemory {
    fn charge(&self, tenant: &str, bytes: u64) -> Result<u64, u64> {
        let used = self.used.lock().unwrap().get(tenant).copied().unwrap_or(0); //~
        if used + bytes > self.limit {
            return Err(self.limit - used);
        }
        *self.used.lock().unwrap().entry(tenant.to_string()).or_default() += bytes; //~
        Ok(used + bytes)
    }
    fn reset(&self, tenant: &str) { self.used.lock().unwrap().remove(tenant); }
}

#[derive(Default)]
pub struct Builder { limit: Option<u64> }
impl Builder {
    pub fn limit(mut self, limit: u64) -> Self { self.limit = Some(limit); self }
    pub fn build(self) -> Box<dyn Quota> {
        Box::new(InMemory { used: Mutex::default(), limit: self.limit.unwrap_or(1 << 20) })
    }
}
