//! `rcu` tries again.
use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Routes { to: HashMap<String, u16>, version: u32 }
pub struct Router { routes: Arc<ArcSwap<Routes>> }
impl Router {
    pub fn new() -> Self { Router { routes: Arc::new(ArcSwap::from_pointee(Routes::default())) } }
    pub fn add(&self, path: &str, port: u16) {
        self.routes.rcu(|now| {
            let mut routes = Routes::clone(now);
            routes.to.insert(path.into(), port);
            routes.version += 1;
            routes
        });
    }
    pub fn find(&self, path: &str) -> Option<u16> { self.routes.load().to.get(path).copied() }
}

