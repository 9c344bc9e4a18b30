//! What a filter returns, the next one is given.
use std::sync::{Arc, Mutex};

use warp::Filter;

#[derive(Default)]
pub struct Store {
    value: Mutex<u64>,
    fine: Mutex<u64>,
}

async fn double(store: Arc<Store>) -> Result<String, ()> {
    let seen = *store.value.lock().unwrap(); //~
    *store.value.lock().unwrap() = seen * 2; //~
    Ok(String::new())
}

async fn double_well(store: Arc<Store>) -> Result<String, ()> {
    let mut fine = store.fine.lock().unwrap();
    let seen = *fine;
    *fine = seen * 2;
    Ok(String::new())
}

pub fn serve() {
    let store = Arc::new(Store::default());
    let kept = store.clone();
    let with = || warp::any().map({ let store = kept.clone(); move || store.clone() });
    warp::serve(warp::path("double").and(with()).and_then(double));
    warp::serve(warp::path("well").and(with()).and_then(double_well));
}
