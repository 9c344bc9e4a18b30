// Repaired as in MystenLabs/seal PR #148: the handles are kept and watched beside the server; what an updater
// ends with ends the server.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, Context, Result};
use async_trait::async_trait;
use tokio::sync::watch::{channel, Receiver};
use tokio::task::JoinError;
use tokio::time::MissedTickBehavior;
use tokio_util::task::AbortOnDropHandle;
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

type Updater = AbortOnDropHandle<Result<()>>;

fn why_it_ended(value_name: &str, ended: Result<Result<()>, JoinError>) -> anyhow::Error {
    match ended {
        Ok(Ok(())) => anyhow!("the updater of the {value_name} has ended"),
        Ok(Err(e)) => e,
        Err(e) => anyhow::Error::new(e).context(format!("the updater of the {value_name}")),
    }
}

/// Fetches a value once per interval; the first one is there when this returns.
async fn spawn_periodic_updater<F, Fut>(
    update_interval: Duration,
    value_name: &'static str,
    fetch_fn: F,
) -> Result<(Receiver<u64>, Updater)>
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<u64>> + Send + 'static,
{
    let (sender, mut receiver) = channel(0);
    let mut interval = tokio::time::interval(update_interval);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);

    let handle = tokio::spawn(async move {
        let mut failures = 0;
        loop {
            interval.tick().await;
            match fetch_fn().await {
                Ok(value) => {
                    debug!("{value_name} is {value}");
                    failures = 0;
                    sender.send(value).context("nobody wants the value")?;
                }
                Err(e) => {
                    warn!("failed to get {value_name}: {e:?}");
                    failures += 1;
                    if failures == MAX_FAILURES {
                        return Err::<(), _>(e.context(format!("giving up on {value_name}")));
                    }
                }
            }
        }
    });

    let handle = AbortOnDropHandle::new(handle);
    if receiver.changed().await.is_err() {
        return Err(why_it_ended(value_name, handle.await));
    }
    Ok((receiver, handle))
}

pub async fn run_server<C, S, Fut>(client: Arc<C>, options: Options, serve: S) -> Result<()>
where
    C: SuiClient,
    S: FnOnce(MyState) -> Fut,
    Fut: Future<Output = Result<()>>,
{
    let timestamps = client.clone();
    let (latest_checkpoint_timestamp, timestamp_updater) =
        spawn_periodic_updater(options.checkpoint_update_interval, "checkpoint timestamp", move || {
            let client = timestamps.clone();
            async move { client.latest_checkpoint_timestamp().await }
        })
        .await?;
    let (reference_gas_price, gas_price_updater) =
        spawn_periodic_updater(options.rgp_update_interval, "reference gas price", move || {
            let client = client.clone();
            async move { client.reference_gas_price().await }
        })
        .await?;

    tokio::select! {
        result = serve(MyState { latest_checkpoint_timestamp, reference_gas_price }) => result,
        ended = timestamp_updater => Err(why_it_ended("checkpoint timestamp", ended)),
        ended = gas_price_updater => Err(why_it_ended("reference gas price", ended)),
    }
}
