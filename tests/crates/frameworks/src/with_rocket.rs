//! What `#[get("/")]` makes of a function takes the request and its body.
use std::sync::Mutex;

use rocket::{Data, Request, State};

#[derive(Default)]
pub struct Hits {
    count: Mutex<u64>,
}

fn double(hits: &State<Hits>) {
    let seen = *hits.count.lock().unwrap(); //~
    *hits.count.lock().unwrap() = seen * 2; //~
}

#[allow(dead_code)]
fn monomorphized_function(request: &Request, _data: Data) {
    if let Some(hits) = request.guard::<Hits>() {
        double(hits);
    }
}
