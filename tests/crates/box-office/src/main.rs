//! A box office: seats, tickets, vouchers.

mod payment;
mod store;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};

use store::{Hall, PRICE};

type Shared = State<Arc<Hall>>;

async fn seats(State(hall): Shared) -> String {
    format!("{} left", hall.left())
}

async fn visit(State(hall): Shared, Path(who): Path<String>) {
    hall.visit(who);
}

async fn buy(State(hall): Shared, Path(buyer): Path<String>) -> (StatusCode, String) {
    if hall.left() == 0 {
        return (StatusCode::CONFLICT, "sold out".into());
    }
    if payment::charge(&buyer, PRICE).await.is_err() {
        return (StatusCode::PAYMENT_REQUIRED, "declined".into());
    }
    hall.take();
    let number = hall.issue(buyer).await;
    (StatusCode::OK, format!("ticket {number}"))
}

/// A voucher is good for one drink.
async fn redeem(State(hall): Shared, Path(code): Path<String>) -> StatusCode {
    if hall.is_redeemed(&code) {
        return StatusCode::GONE;
    }
    hall.note(code);
    StatusCode::OK
}

async fn ticket(State(hall): Shared, Path(number): Path<u64>) -> (StatusCode, String) {
    match hall.holder(number).await {
        Some(buyer) => (StatusCode::OK, buyer),
        None => (StatusCode::NOT_FOUND, String::new()),
    }
}

async fn sweep(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        hall.sweep();
    }
}

#[tokio::main]
async fn main() {
    let hall = Arc::new(Hall::new(200));
    tokio::spawn(sweep(Arc::clone(&hall)));
    let app = Router::new()
        .route("/seats", get(seats))
        .route("/visit/{who}", post(visit))
        .route("/buy/{buyer}", post(buy))
        .route("/redeem/{code}", post(redeem))
        .route("/ticket/{number}", get(ticket))
        .with_state(hall);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.unwrap();
    axum::serve(listener, app).await.unwrap();
}
