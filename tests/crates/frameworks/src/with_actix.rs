//! `web::Data` is one object per type.
use std::sync::Mutex;

use actix_web::{App, HttpServer, web};

#[derive(Default)]
pub struct Counter {
    value: Mutex<u64>,
    fine: Mutex<u64>,
}

async fn double(counter: web::Data<Counter>) -> String {
    let seen = *counter.value.lock().unwrap(); //~
    *counter.value.lock().unwrap() = seen * 2; //~
    String::new()
}

async fn double_well(counter: web::Data<Counter>) -> String {
    let mut fine = counter.fine.lock().unwrap();
    let seen = *fine;
    *fine = seen * 2;
    String::new()
}

pub fn serve() {
    let counter = web::Data::new(Counter::default());
    let _server = HttpServer::new(move || {
        App::new()
            .app_data(counter.clone())
            .route("/double", web::get().to(double))
            .route("/double_well", web::get().to(double_well))
    });
}
