//! The report as JSON, and the schema of that.

use super::{Report, SCHEMA_VERSION};

/// Where schemas are published.
const SCHEMAS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/docs/src/schema");

/// The whole report.
pub fn render(report: &Report) -> String {
    pretty(report)
}

/// The JSON schema of the report, as published in `docs/src/schema`.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("$id".to_owned(), format!("{SCHEMAS}/report-v{SCHEMA_VERSION}.json").into());
    pretty(&schema)
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("maps have string keys");
    text.push('\n');
    text
}
