//! The report as JSON, and the schema of that.

use super::Report;

/// The whole report.
pub fn render(report: &Report) -> String {
    pretty(report)
}

/// The JSON schema of the report, as published in `docs/src/schema`.
pub fn schema() -> String {
    pretty(&schemars::schema_for!(Report))
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("maps have string keys");
    text.push('\n');
    text
}
