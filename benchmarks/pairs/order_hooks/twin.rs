// Repaired: the same helper, but the future handles each error and returns `()`.
//! Takes orders of a shop and tells the partners' systems about them in the background.
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Clone)]
pub struct Partner {
    pub name: String,
    pub address: String,
}

#[derive(Debug)]
pub enum HookError {
    Unreachable(String, std::io::Error),
    Refused(String, u8),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookError::Unreachable(partner, error) => write!(f, "{partner} is unreachable: {error}"),
            HookError::Refused(partner, code) => write!(f, "{partner} refused the order with code {code}"),
        }
    }
}

impl Partner {
    async fn exchange(&self, order: &[u8]) -> std::io::Result<u8> {
        let mut system = TcpStream::connect(&self.address).await?;
        system.write_u32(order.len() as u32).await?;
        system.write_all(order).await?;
        system.read_u8().await
    }

    async fn tell(&self, order: &[u8]) -> Result<(), HookError> {
        match self.exchange(order).await {
            Ok(0) => Ok(()),
            Ok(code) => Err(HookError::Refused(self.name.clone(), code)),
            Err(error) => Err(HookError::Unreachable(self.name.clone(), error)),
        }
    }
}

async fn tell_all(partners: Vec<Partner>, order: Bytes) {
    for partner in &partners {
        if let Err(error) = partner.tell(&order).await {
            tracing::error!("an order was not passed on: {error}");
        }
    }
}

fn in_background<F>(work: F)
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    tokio::spawn(work);
}

pub struct Shop {
    pub partners: Vec<Partner>,
    pub taken: AtomicU64,
}

async fn take_order(State(shop): State<Arc<Shop>>, order: Bytes) -> (StatusCode, String) {
    if order.is_empty() {
        return (StatusCode::BAD_REQUEST, "an empty order".into());
    }
    let number = shop.taken.fetch_add(1, Ordering::Relaxed) + 1;
    in_background(tell_all(shop.partners.clone(), order));
    (StatusCode::ACCEPTED, number.to_string())
}

pub fn routes(shop: Arc<Shop>) -> Router {
    Router::new().route("/orders", post(take_order)).with_state(shop)
}
