// Repaired: the same call chain inside `spawn_blocking`, awaited; JoinError folded into the answer.
//! Label service of a parcel kiosk: takes ZPL over HTTP and hands it to the CUPS queue of a counter.
use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::net::TcpListener;

trait LabelPrinter: Send + Sync {
    fn describe(&self) -> String;
    fn submit(&self, zpl: &str) -> Result<String>;
}

struct CupsPrinter {
    queue: String,
    dpi: u16,
}

impl LabelPrinter for CupsPrinter {
    fn describe(&self) -> String {
        format!("{} ({} dpi)", self.queue, self.dpi)
    }

    fn submit(&self, zpl: &str) -> Result<String> {
        let mut lp = Command::new("lp");
        lp.arg("-d").arg(&self.queue).arg("-o").arg("raw").arg("-t").arg(zpl);
        let output = lp.output().context("lp could not be started")?;
        if !output.status.success() {
            bail!("lp refused the label: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    }
}

/// For counters without a printer: labels are only logged.
struct LogPrinter;

impl LabelPrinter for LogPrinter {
    fn describe(&self) -> String {
        "log".into()
    }

    fn submit(&self, zpl: &str) -> Result<String> {
        tracing::info!(bytes = zpl.len(), "label");
        Ok("log-0".into())
    }
}

type Counters = Arc<HashMap<String, Box<dyn LabelPrinter>>>;

fn print_label(counters: &Counters, counter: &str, zpl: &str) -> Result<String> {
    let printer = counters.get(counter).with_context(|| format!("no counter {counter}"))?;
    if !zpl.starts_with("^XA") {
        bail!("not a label");
    }
    printer.submit(zpl)
}

async fn post_label(
    State(counters): State<Counters>,
    Path(counter): Path<String>,
    zpl: String,
) -> Result<String, (StatusCode, String)> {
    let printed = tokio::task::spawn_blocking(move || print_label(&counters, &counter, &zpl))
        .await
        .unwrap_or_else(|error| Err(error.into()));
    printed.map_err(|error| (StatusCode::BAD_GATEWAY, format!("{error:#}")))
}

async fn list(State(counters): State<Counters>) -> String {
    let mut lines: Vec<String> = counters.iter().map(|(name, p)| format!("{name}: {}", p.describe())).collect();
    lines.sort();
    lines.join("\n")
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut counters: HashMap<String, Box<dyn LabelPrinter>> = HashMap::new();
    counters.insert("north".into(), Box::new(CupsPrinter { queue: "zebra-north".into(), dpi: 203 }));
    counters.insert("office".into(), Box::new(LogPrinter));
    let app = Router::new()
        .route("/counters", get(list))
        .route("/counters/{counter}/labels", post(post_label))
        .with_state(Arc::new(counters));
    let listener = TcpListener::bind("127.0.0.1:8087").await?;
    axum::serve(listener, app).await?;
    Ok(())
}
