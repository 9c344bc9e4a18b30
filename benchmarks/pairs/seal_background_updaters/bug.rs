// Modelled on MystenLabs/seal PR #148 ("monitor and catch background task error").
// The updaters are spawned and their handles dropped: when one of them gives up nobody hears of it, and the key
// server goes on with the timestamp and the gas price that it had last.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use async_trait::async_trait;
use tokio::sync::watch::{channel, Receiver};
use tokio::time::MissedTickBehavior;
use tracing::{debug, warn};

const MAX_FAILURES: u32 = 10;

#[async_trait]
pub trait SuiClient: Send + Sync + 'static {
    async fn latest_checkpoint_timestamp(&self) -> Result<u64>;
    async fn reference_gas_price(&self) -> Result<u64>;
}

pub struct Options {
    pub checkpoint_update_interval: Duration,
    pub rgp_update_interval: Duration,
}

#[derive(Clone)]
pub struct MyState {
    latest_checkpoint_timestamp: Receiver<u64>,
    reference_gas_price: Receiver<u64>,
}

impl MyState {
    pub fn latest_checkpoint_timestamp(&self) -> u64 {
        *self.latest_checkpoint_timestamp.borrow()
    }

    pub fn reference_gas_price(&self) -> u64 {
        *self.reference_gas_price.borrow()
    }
}

/// Fetches a value once per interval; the first one is there when this returns.
async fn spawn_periodic_updater<F, Fut>(
    update_interval: Duration,
    value_name: &'static str,
    fetch_fn: F,
) -> Result<Receiver<u64>>
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u64>> + Send + 'static,
{
    let (sender, mut receiver) = channel(0);
    let mut interval = tokio::time::interval(update_interval);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);

    tokio::spawn(async move { //~
        let mut failures = 0;
        loop {
            interval.tick().await;
            match fetch_fn().await {
                Ok(value) => {
                    debug!("{value_name} is {value}");
                    failures = 0;
                    sender.send(value).context("nobody wants the value")?; //~
                }
                Err(e) => {
                    warn!("failed to get {value_name}: {e:?}");
                    failures += 1;
                    if failures == MAX_FAILURES {
                        return Err::<(), _>(e.context(format!("giving up on {value_name}"))); //~
                    }
                }
            }
        }
    });

    receiver.changed().await.with_context(|| format!("Failed to get {value_name}"))?;
    Ok(receiver)
}

pub async fn run_server<C, S, Fut>(client: Arc<C>, options: Options, serve: S) -> Result<()>
where
    C: SuiClient,
    S: FnOnce(MyState) -> Fut,
    Fut: Future<Output = Result<()>>,
{
    let timestamps = client.clone();
    let latest_checkpoint_timestamp =
        spawn_periodic_updater(options.checkpoint_update_interval, "checkpoint timestamp", move || {
            let client = timestamps.clone();
            async move { client.latest_checkpoint_timestamp().await }
        })
        .await?;
    let reference_gas_price =
        spawn_periodic_updater(options.rgp_update_interval, "reference gas price", move || {
            let client = client.clone();
            async move { client.reference_gas_price().await }
        })
        .await?;

    serve(MyState { latest_checkpoint_timestamp, reference_gas_price }).await
}
