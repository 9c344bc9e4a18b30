//! What `#[handler]` makes of a function is an endpoint.
use std::sync::Mutex;

use poem::{Endpoint, Request};

#[derive(Default)]
pub struct Hits {
    count: Mutex<u64>,
}

#[allow(non_camel_case_types, dead_code)]
struct double;

impl Endpoint for double {
    async fn call(&self, request: Request) -> u64 {
        let Some(hits) = request.data::<Hits>() else { return 0 };
        let seen = *hits.0.count.lock().unwrap(); //~
        tokio::task::yield_now().await;
        *hits.0.count.lock().unwrap() = seen * 2; //~
        seen
    }
}
