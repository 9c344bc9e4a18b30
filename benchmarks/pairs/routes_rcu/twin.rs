// A table that is replaced as a whole: read, copied, changed, stored.
use arc_swap::ArcSwap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub struct Route { pub prefix: String, pub target: String }

pub struct Table { routes: ArcSwap<Vec<Route>> }

impl Table {
    pub fn new() -> Table { Table { routes: ArcSwap::from_pointee(Vec::new()) } }
    pub fn add(&self, route: Route) {
        self.routes.rcu(|routes| {
            let mut routes = Vec::clone(routes);
            routes.retain(|r| r.prefix != route.prefix);
            routes.push(route.clone());
            routes
        });
    }
    pub fn find(&self, path: &str) -> Option<String> {
        self.routes.load().iter().find(|r| path.starts_with(&r.prefix)).map(|r| r.target.clone())
    }
}
