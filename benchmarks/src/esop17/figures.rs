//! The paper's figures, in the text form of programs.

use std::path::Path;
use std::time::{Duration, Instant};

use robust_analyzer::check::{self, Options, Outcome};
use robust_analyzer::expect::Expected;
use robust_analyzer::ir::text;

use super::words;

/// A figure and what was found out.
pub struct Row {
    name: String,
    expected: Expected,
    outcome: Outcome,
    took: Duration,
}

/// Checks the figures whose name (`figure/fig2`) has the filter in it.
pub fn rows(filter: Option<&str>) -> Result<Vec<Row>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob/paper");
    let files = super::scenario::sorted(&folder, |path| path.extension().is_some_and(|e| e == "rob"));
    let mut rows = Vec::new();
    for path in files {
        let name = format!("figure/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        if filter.is_some_and(|filter| !name.contains(filter)) {
            continue;
        }
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let source = std::fs::read_to_string(&path).map_err(|error| said(&error))?;
        let expected = Expected::read(&source).map_err(|error| said(&error))?;
        let program = text::parse(&source, &name).map_err(|error| said(&error))?;
        let start = Instant::now();
        let outcome = check::check(&program, &Options::default());
        rows.push(Row { name, expected, outcome, took: start.elapsed() });
    }
    Ok(rows)
}

/// Prints the table.
pub fn print(rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    println!("\nFigures\n");
    println!("| figure | ms | determinism | serializability | expected |");
    println!("|---|---:|---|---|---|");
    for row in rows {
        let determinism: Vec<String> = row
            .outcome
            .determinism
            .iter()
            .map(|(event, answer)| format!("{event} {}", words(answer)))
            .collect();
        println!(
            "| {} | {} | {} | {} | {} |",
            row.name,
            row.took.as_millis(),
            determinism.join(", "),
            words(&row.outcome.serializability),
            if row.expected.is_violated() { "violated" } else { "holds" },
        );
    }
    println!();
    for row in rows {
        row.outcome.findings.iter().for_each(|finding| super::violation(&row.name, finding));
    }
}

impl Row {
    /// What is not as expected.
    pub fn complaint(&self) -> Option<String> {
        let wrong = self.expected.differences(&self.outcome);
        (!wrong.is_empty()).then(|| format!("{}: {}", self.name, wrong.join("; ")))
    }
}
