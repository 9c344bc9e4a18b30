// Copy on write: the copy is made from what was there when it is written.
use parking_lot::RwLock;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Rules { allowed: Vec<String>, denied: Vec<String> }

#[derive(Default)]
pub struct Firewall { rules: RwLock<Arc<Rules>> }

impl Firewall {
    pub fn rules(&self) -> Arc<Rules> { self.rules.read().clone() }
    pub fn allow(&self, host: &str) {
        let mut rules = Rules::clone(&self.rules()); //~
        rules.allowed.push(host.to_string());
        *self.rules.write() = Arc::new(rules); //~
    }
    pub fn deny(&self, host: &str) { Arc::make_mut(&mut self.rules.write()).denied.push(host.to_string()); }
    pub fn is_allowed(&self, host: &str) -> bool { let rules = self.rules(); rules.allowed.iter().any(|h| h == host) && !rules.denied.iter().any(|h| h == host) }
}
