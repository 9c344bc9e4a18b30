//! Two fields that change together are read under two locks of the same mutex.
use std::sync::{Arc, RwLock};
#[derive(Clone, Debug)]
struct Endpoint { host: String, port: u16 }
#[derive(Clone)]
pub struct Target(Arc<RwLock<Endpoint>>);
impl Target {
    pub fn new(host: &str, port: u16) -> Self { Target(Arc::new(RwLock::new(Endpoint { host: host.into(), port }))) }
    fn host(&self) -> String { self.0.read().unwrap().host.clone() } //~
    fn port(&self) -> u16 { self.0.read().unwrap().port } //~
    fn both(&self) -> (String, u16) { let e = self.0.read().unwrap(); (e.host.clone(), e.port) }
    pub fn fail_over(&self, host: &str, port: u16) {
        let mut endpoint = self.0.write().unwrap();
        endpoint.host = host.to_owned();
        endpoint.port = port;
    }
    pub fn url(&self) -> String {
        let _ = Self::both;
        format!("http://{}:{}/", self.host(), self.port())
    }
}
