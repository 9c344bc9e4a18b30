//! The evaluation of the ESOP 2017 paper: each scenario of its applications, and what the tool says of it.

mod figures;
mod scenario;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cargo_robust::extract::{self, CargoOptions};
use robust_analyzer::check::{self, Options, Outcome, Verdict as Answer};
use robust_analyzer::finding::{Finding, Level, Role, Step};
use robust_analyzer::limits::Limits;
use robust_analyzer::lower::{self, Lowered, Scope};
use robust_analyzer::mir::Crate;
use robust_models::Models;

use scenario::{Part, Property, Scenario, Verdict};

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Greatest number of event instances where any number may come
    #[arg(long, default_value_t = 3)]
    events: u32,
    /// Also print the programs
    #[arg(long)]
    show: bool,
    /// Only scenarios whose application and name (`irccloud/SerSendBack`) have this in them
    filter: Option<String>,
}

/// A scenario and what was found out.
struct Row {
    application: String,
    /// Where its sources are.
    folder: PathBuf,
    name: String,
    scenario: Scenario,
    /// With the events as in the driver.
    driver: Run,
    /// With any number of instances of each event.
    any_number: Option<Run>,
}

/// What was found out about a set of events.
struct Run {
    lowered: Lowered,
    outcome: Outcome,
    took: Duration,
}

/// Prints the tables; fails when a verdict is not as expected.
pub fn main(args: &Args) -> ExitCode {
    let done = figures::rows(args.filter.as_deref()).and_then(|figures| Ok((figures, rows(args)?)));
    match done {
        Ok((figures, rows)) => {
            figures::print(&figures);
            print(&rows);
            let mut wrong: Vec<String> = figures.iter().filter_map(figures::Row::complaint).collect();
            let scenarios = rows.iter().filter(|row| !row.is_right());
            wrong.extend(scenarios.map(|row| format!("{}/{}", row.application, row.name)));
            let all = figures.len() + rows.len();
            println!("\n{} of {all} verdicts as expected", all - wrong.len());
            wrong.iter().for_each(|what| println!("not as expected: {what}"));
            if wrong.is_empty() && all > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn rows(args: &Args) -> Result<Vec<Row>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("esop17");
    let tool = args.tool.canonicalize().map_err(|error| format!("{}: {error}", args.tool.display()))?;
    let models = Models::built_in();
    let mut rows = Vec::new();
    for folder in scenario::applications(&root) {
        let application = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut scenarios = scenario::of(&folder)?;
        scenarios.retain(|(name, _)| {
            args.filter
                .as_ref()
                .is_none_or(|filter| format!("{application}/{name}").contains(filter.as_str()))
        });
        if scenarios.is_empty() {
            continue;
        }
        // Once for all scenarios.
        let crates = extract(&folder, &tool)?;
        for (name, scenario) in scenarios {
            let run = |any_number| Run::new(&crates, &models, &scenario, any_number, args);
            let driver = run(false)?;
            let ask_more = scenario.question == Property::Serializability && scenario.any_number;
            let any_number = ask_more.then(|| run(true)).transpose()?;
            rows.push(Row {
                application: application.clone(),
                folder: folder.clone(),
                name,
                scenario,
                driver,
                any_number,
            });
        }
    }
    Ok(rows)
}

fn extract(folder: &Path, tool: &Path) -> Result<Vec<Arc<Crate>>, String> {
    let options = CargoOptions { lib: true, wrapper: Some(tool.to_owned()), ..CargoOptions::default() }
        .of(&folder.join("Cargo.toml"));
    let extraction = extract::extract(&options, &mut ());
    extraction.map(|extraction| extraction.crates).map_err(|error| format!("{}: {error}", folder.display()))
}

impl Run {
    fn new(
        crates: &[Arc<Crate>],
        models: &Models,
        scenario: &Scenario,
        any_number: bool,
        args: &Args,
    ) -> Result<Run, String> {
        let start = Instant::now();
        let lowered = lower::lower_told(
            crates,
            models,
            &scenario.told(any_number),
            Scope::All,
            Limits::of_memory(Options::default().memory),
        );
        if args.show && !any_number {
            println!("{}", lowered.program);
        }
        if let Some(missing) = lowered.not_analysed.first() {
            return Err(format!("{}: {}", missing.name, missing.reason));
        }
        // As many instances as there are events, where each comes once: then the answer is about all runs.
        let events = if any_number { args.events } else { args.events.max(scenario.event.len() as u32) };
        let outcome = check::check(&lowered.program, &Options { events, ..Options::default() });
        Ok(Run { lowered, outcome, took: start.elapsed() })
    }

    /// What is said about the property.
    fn answer(&self, property: Property) -> &Answer {
        const FINE: &Answer = &Answer::Holds { bound: None };
        match property {
            Property::Serializability => &self.outcome.serializability,
            // An event that touches nothing shared is not in the program.
            Property::Determinism => self.outcome.determinism.values().next().unwrap_or(FINE),
        }
    }

    fn findings(&self, property: Property) -> impl Iterator<Item = &Finding> {
        use robust_analyzer::finding::Property as Of;
        self.outcome.findings.iter().filter(move |finding| {
            matches!(finding.property, Of::Determinism { .. }) == (property == Property::Determinism)
        })
    }
}

impl Row {
    fn verdict(&self) -> Option<Verdict> {
        match self.driver.answer(self.scenario.question) {
            Answer::Holds { .. } => Some(Verdict::Holds),
            Answer::Violated => Some(Verdict::Violated),
            Answer::Unknown { .. } => None,
        }
    }

    /// The worst level of what was found.
    fn level(&self) -> Option<Level> {
        self.driver.findings(self.scenario.question).map(|finding| finding.level).max()
    }

    fn is_right(&self) -> bool {
        let expect = &self.scenario.expect;
        let level = expect.level.as_deref().or((expect.verdict == Verdict::Violated).then_some("deny"));
        let named = |name: &String| {
            self.driver.findings(self.scenario.question).any(|finding| {
                let steps = finding.steps.iter().filter(|step| step.role != Role::Step);
                steps.into_iter().any(|step| step.text.contains(name.as_str()))
            })
        };
        let mut part = expect.part.clone();
        part.sort();
        self.verdict() == Some(expect.verdict)
            && self.level().map(cargo_robust::report::level_name) == level
            && expect.names.iter().all(named)
            && (part.is_empty() || self.violations().any(|violation| violation == part))
    }

    /// What was found, as the parts of each.
    fn violations(&self) -> impl Iterator<Item = Vec<Part>> {
        self.driver.findings(self.scenario.question).map(|finding| {
            let steps = finding.steps.iter().filter(|step| step.role != Role::Step);
            let mut parts: Vec<Part> = steps.map(|step| part(&self.folder, finding, step)).collect();
            parts.sort();
            parts
        })
    }
}

/// A step as a part of a violation, with the line that stands in the source.
fn part(folder: &Path, finding: &Finding, step: &Step) -> Part {
    let code = step.place.as_ref().and_then(|place| {
        let text = std::fs::read_to_string(folder.join(&place.file)).ok()?;
        text.lines().nth((place.line as usize).checked_sub(1)?).map(|line| line.trim().to_owned())
    });
    Part {
        role: cargo_robust::report::role_name(step.role).to_owned(),
        task: finding.lanes.get(step.lane).map_or(String::new(), |lane| lane.name.clone()),
        code: code.unwrap_or_default(),
    }
}

/// How a verdict is printed: with the bound, where there is one.
fn words(answer: &Answer) -> String {
    match answer {
        Answer::Holds { bound: None } => "holds".into(),
        Answer::Holds { bound: Some(bound) } => format!("holds ({bound})"),
        Answer::Violated => "violated".into(),
        Answer::Unknown { reason } => format!("unknown ({reason})"),
    }
}

fn print(rows: &[Row]) {
    for property in [Property::Determinism, Property::Serializability] {
        let of_property: Vec<&Row> = rows.iter().filter(|row| row.scenario.question == property).collect();
        if of_property.is_empty() {
            continue;
        }
        println!("\n{property:?}\n");
        let last = if property == Property::Serializability { " any number |" } else { "" };
        println!(
            "| scenario | MIR | functions | tasks | choices | ms | verdict | level | expected | paper |{last}"
        );
        println!(
            "|---|---:|---:|---:|---:|---:|---|---|---|---|{}",
            if last.is_empty() { "" } else { "---|" }
        );
        for row in &of_property {
            println!("{}", line(row));
        }
        println!();
        for row in &of_property {
            let of = format!("{}/{}", row.application, row.name);
            row.driver.findings(property).for_each(|finding| violation(&of, finding));
        }
    }
}

fn line(row: &Row) -> String {
    let seen = &row.driver.lowered.statistics;
    let (property, expect) = (row.scenario.question, &row.scenario.expect);
    let any_number = row.any_number.as_ref().map(|run| {
        let worst = run.findings(property).map(|finding| finding.level).max();
        let level = worst.map(|level| format!(", {}", cargo_robust::report::level_name(level)));
        format!(" {}{} |", words(run.answer(property)), level.unwrap_or_default())
    });
    let any_number = any_number.or((property == Property::Serializability).then(|| " |".into()));
    format!(
        "| {}/{} | {} | {} | {} | {} | {} | {} | {} | {} | {} |{}",
        row.application,
        row.name,
        seen.statements,
        seen.functions,
        seen.tasks,
        row.driver.outcome.statistics.choices,
        row.driver.took.as_millis(),
        words(row.driver.answer(property)),
        row.level().map_or("", cargo_robust::report::level_name),
        expect.verdict.word(),
        expect.paper,
        any_number.unwrap_or_default(),
    )
}

/// Pivot and root of a violation, or the cycle.
fn violation(of: &str, finding: &Finding) {
    let level = cargo_robust::report::level_name(finding.level);
    println!("{of}, {level}: {}", finding.message);
    for step in finding.steps.iter().filter(|step| step.role != Role::Step) {
        let place = step.place.as_ref().map(|place| format!("{}:{}", place.file, place.line));
        let lane = finding.lanes.get(step.lane).map_or("", |lane| lane.name.as_str());
        println!(
            "    {:10} {} {} ({lane})",
            cargo_robust::report::role_name(step.role),
            place.unwrap_or_default(),
            step.text
        );
    }
}
