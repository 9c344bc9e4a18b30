// Repaired: last ticket calls `notify_waiters`; `notified()` is made before the count is read.
//! Builds reports in the background; at shutdown those that are under way are finished first.
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use axum::Router;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Counts what is under way.
#[derive(Default)]
struct UnderWay {
    count: AtomicUsize,
    idle: Notify,
}

impl UnderWay {
    fn enter(self: &Arc<Self>) -> Ticket {
        self.count.fetch_add(1, Ordering::AcqRel);
        Ticket { under_way: self.clone() }
    }

    async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            let count = self.count.load(Ordering::Acquire);
            if count == 0 {
                return;
            }
            tracing::info!("waiting for {count} reports");
            idle.await;
        }
    }
}

struct Ticket {
    under_way: Arc<UnderWay>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let before = self.under_way.count.fetch_sub(1, Ordering::AcqRel);
        if before == 1 {
            self.under_way.idle.notify_waiters();
        }
    }
}

struct Reports {
    folder: PathBuf,
    under_way: Arc<UnderWay>,
}

async fn build(folder: &Path, customer: u64) -> std::io::Result<()> {
    let bookings = tokio::fs::read_to_string(folder.join(format!("{customer}.csv"))).await?;
    let report = format!("{} bookings\n{bookings}", bookings.lines().count());
    tokio::fs::write(folder.join(format!("{customer}.report")), report).await
}

async fn order(State(reports): State<Arc<Reports>>, UrlPath(customer): UrlPath<u64>) -> StatusCode {
    let ticket = reports.under_way.enter();
    tokio::spawn(async move {
        if let Err(error) = build(&reports.folder, customer).await {
            tracing::error!("report of {customer}: {error}");
        }
        drop(ticket);
    });
    StatusCode::ACCEPTED
}

/// Serves until `stop` is ready, and then returns when the last report is written.
pub async fn serve(
    listener: TcpListener,
    folder: PathBuf,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let under_way = Arc::new(UnderWay::default());
    let reports = Arc::new(Reports { folder, under_way: under_way.clone() });
    let app = Router::new().route("/reports/{customer}", post(order)).with_state(reports);
    axum::serve(listener, app).with_graceful_shutdown(stop).await?;
    under_way.drained().await;
    Ok(())
}
