//! Loaded, changed, stored: of two changes one is lost.
use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Routes { to: HashMap<String, u16>, version: u32 }
pub struct Router { routes: Arc<ArcSwap<Routes>> }
impl Router {
    pub fn new() -> Self { Router { routes: Arc::new(ArcSwap::from_pointee(Routes::default())) } }
    pub fn add(&self, path: &str, port: u16) {
        let mut routes = Routes::clone(&self.routes.load()); //~
        routes.to.insert(path.into(), port);
        routes.version += 1;
        self.routes.store(Arc::new(routes)); //~
    }
    pub fn find(&self, path: &str) -> Option<u16> { self.routes.load().to.get(path).copied() }
}

