// FuelLabs/faucet PR 26 and its `dispense_tokens`: The look at `LAST_DISPENSED` and the insert after `submit().await` are apart: concurrent requests of one account are all paid (4 of 4; twin 1).
//! Faucet: each account gets assets once in 24 hours.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{json, Value};
use tokio::sync::Mutex;
use tracing::{error, info};

pub type Address = String;

pub struct FaucetConfig {
    pub dispense_amount: u64,
    pub dispense_limit: u64,
    pub timeout: u64,
}

/// The node that transactions are submitted to.
#[derive(Default)]
pub struct ProviderClient {
    submitted: Mutex<Vec<(Address, u64)>>,
}

impl ProviderClient {
    pub async fn submit(&self, to: &str, amount: u64) -> anyhow::Result<usize> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let mut submitted = self.submitted.lock().await;
        submitted.push((to.to_string(), amount));
        Ok(submitted.len())
    }
}

pub struct FaucetState {
    config: FaucetConfig,
    provider: ProviderClient,
    last_dispensed: Mutex<HashMap<Address, u64>>,
}

pub type SharedFaucetState = Arc<FaucetState>;
type DispenseError = (StatusCode, Json<Value>);

fn error(status: StatusCode, error: String) -> DispenseError {
    error!("{}", error);
    (status, Json(json!({ "error": error })))
}

fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

async fn verify_captcha(response: &str) -> bool {
    tokio::time::sleep(Duration::from_millis(20)).await;
    !response.is_empty()
}

pub async fn dispense_tokens(
    State(state): State<SharedFaucetState>,
    Json(input): Json<Value>,
) -> Result<(StatusCode, Json<Value>), DispenseError> {
    let address = match input["address"].as_str() {
        Some(address) if address.starts_with("fuel1") => address.to_string(),
        _ => return Err(error(StatusCode::BAD_REQUEST, "invalid address".to_string())),
    };

    if !verify_captcha(input["captcha"].as_str().unwrap_or_default()).await {
        return Err(error(StatusCode::UNAUTHORIZED, "captcha failed".to_string()));
    }

    let current_time = unix_time();
    let last_dispensed =
        state.last_dispensed.lock().await.get(&address).copied().unwrap_or_default(); //~

    // Check if the account has received assets in the last 24 hours
    if current_time.saturating_sub(last_dispensed) < state.config.dispense_limit {
        return Err(error(
            StatusCode::FORBIDDEN,
            "Account has already received assets today".to_string(),
        ));
    }

    let amount = state.config.dispense_amount;
    let result = tokio::time::timeout(
        Duration::from_secs(state.config.timeout),
        state.provider.submit(&address, amount),
    )
    .await;

    match result {
        Ok(Ok(_)) => {
            state.last_dispensed.lock().await.insert(address.clone(), current_time); //~
        }
        Ok(Err(e)) => {
            return Err(error(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("Failed to submit transaction: {e}"),
            ));
        }
        Err(_) => {
            return Err(error(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Timeout while submitting transaction".to_string(),
            ));
        }
    }

    info!("dispensed {} tokens to {}", amount, &address);
    Ok((StatusCode::CREATED, Json(json!({ "status": "Success", "tokens": amount }))))
}

pub async fn dispense_info(State(state): State<SharedFaucetState>) -> Json<Value> {
    Json(json!({ "amount": state.config.dispense_amount }))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let state = Arc::new(FaucetState {
        config: FaucetConfig { dispense_amount: 10_000_000, dispense_limit: 24 * 60 * 60, timeout: 30 },
        provider: ProviderClient::default(),
        last_dispensed: Mutex::new(HashMap::new()),
    });
    let app = Router::new()
        .route("/dispense", get(dispense_info))
        .route("/dispense", post(dispense_tokens))
        .with_state(state);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app).await?;
    Ok(())
}
