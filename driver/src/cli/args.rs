//! The options, as clap reads them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, value_parser};
use clap_complete::Shell;
use robust_analyzer::check::{Options, Part};
use robust_analyzer::finding::{Class, Level};

use super::exit;
use crate::extract::CargoOptions;
use crate::gate::Levels;
use crate::report::{CLASSES, INCOMPLETE, class_name, parse_class};

/// For `--help`.
const EXAMPLES: &str = "\
Examples:
  cargo robust                                 the crate or workspace in this directory
  cargo robust -p server --bin api             one package, one executable
  cargo robust --html report.html              with a page of swim lanes for the browser
  cargo robust --diff main                     only what is new since the branch `main`
  cargo robust --warn all --deny lost-update   fail on lost updates alone
  cargo robust --baseline known.json --write-baseline
                                               accept what there is; later runs with `--baseline known.json`
                                               show what comes on top
  cargo robust --explain check-then-act        what a class of findings means, and how to fix it";

/// Stands for every class.
const ALL: &str = "all";

/// Finds concurrency bugs in safe Rust: code that should be atomic but is not
///
/// It builds the crate in this directory with cargo, reads its MIR, finds what the environment can start at any time (events),
/// the tasks they start and the state they share, and asks a solver for a schedule in which running them concurrently leads
/// where running them one after the other cannot. Each finding is such a schedule, replayed before it is shown.
#[derive(Parser, Debug)]
#[command(
    name = "cargo-robust",
    bin_name = "cargo robust",
    version,
    after_help = exit::HELP,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::HELP),
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    subcommand_help_heading = "Other commands",
    override_usage = "cargo robust [OPTIONS]\n       cargo robust <COMMAND>"
)]
pub struct Cli {
    /// What to do instead of analysing a crate.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options for the analysis of a crate.
    #[command(flatten)]
    pub analyse: AnalyseArgs,
}

/// What there is besides the analysis of a crate.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a program in text form
    #[command(after_help = exit::HELP)]
    Check(CheckArgs),
    /// Print what a stage makes of a crate or of a program in text form
    Dump(DumpArgs),
    /// List the handlers (events) of a program: what the outside can start, and where it runs
    Events(EventsArgs),
    /// Join the JSON reports of runs that shared the checks (`--partition`)
    #[command(after_help = exit::HELP)]
    Merge(MergeArgs),
    /// Print a shell's completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page
    Man {
        /// The command it is about; this program as a whole without one
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Print the JSON schema of the JSON report
    Schema {
        /// That of model files instead
        #[arg(long)]
        models: bool,
    },
}

/// The analysis of a crate.
#[derive(Args, Debug)]
pub struct AnalyseArgs {
    /// Explain a class of findings, with an example and its fix
    #[arg(long, value_name = "CLASS", value_parser = classes(), conflicts_with_all = ["format", "html", "baseline"])]
    pub explain: Option<Class>,
    /// Analyse again whenever a file is saved, and show what changed
    #[arg(long, conflicts_with_all = ["explain", "format", "html", "write_baseline", "partition", "diff"])]
    pub watch: bool,
    /// How to report.
    #[command(flatten)]
    pub report: ReportOptions,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// How far to search.
    #[command(flatten)]
    pub limits: LimitOptions,
    /// What findings matter.
    #[command(flatten)]
    pub gate: GateOptions,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// The check of a file.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The program
    #[arg(value_name = "FILE.rob")]
    pub file: PathBuf,
    /// How to report.
    #[command(flatten)]
    pub report: ReportOptions,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// How far to search.
    #[command(flatten)]
    pub limits: LimitOptions,
}

/// The joining of reports.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The reports of all parts, as `--format json` prints them
    #[arg(value_name = "FILE.json", required = true)]
    pub files: Vec<PathBuf>,
    /// How to report.
    #[command(flatten)]
    pub report: ReportOptions,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
}

/// The printing of stages.
#[derive(Args, Debug)]
pub struct DumpArgs {
    /// The stage whose result is printed
    #[arg(long)]
    pub stage: Stage,
    /// Only this event (detstr, detseq and smt)
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// The larger translation, which also orders completed sections of one lock among each other
    #[arg(long)]
    pub fine: bool,
    /// Greatest number of event instances in a run (robseq and smt)
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(1..))]
    pub events: u32,
    /// A program in text form, in place of a crate
    #[arg(value_name = "FILE.rob")]
    pub file: Option<PathBuf>,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// The list of events.
#[derive(Args, Debug)]
pub struct EventsArgs {
    /// A program in text form, in place of a crate
    #[arg(value_name = "FILE.rob")]
    pub file: Option<PathBuf>,
    /// The form of the list
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    pub format: ListFormat,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// The forms of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    Human,
    /// An array of objects
    Json,
}

/// The stages that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The compiler's intermediate representation, as read
    Mir,
    /// Events, tasks, locks and shared variables
    Ir,
    /// Each event, instrumented
    Detstr,
    /// Each event as a sequential program
    Detseq,
    /// The set of events as a sequential program
    Robseq,
    /// What the solver is asked first: each event, and the set of events, in SMT-LIB
    Smt,
}

/// How to report.
#[derive(Args, Debug)]
pub struct ReportOptions {
    /// The form of the report on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    pub format: Format,
    /// Also write the report as a page for browsers
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub html: Option<PathBuf>,
}

/// The forms of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// The whole report as JSON
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations for GitHub Actions
    Github,
    /// JSON messages like cargo's, for editors
    Rustc,
    /// A line for each finding
    Concise,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit's XML
    Junit,
}

/// How much to say.
#[derive(Args, Debug, Default)]
pub struct ShowOptions {
    /// Also say how the checks went, where the time went, and name everything that was not analysed
    #[arg(short, long, help_heading = "Report")]
    pub verbose: bool,
    /// Only report findings and what was not looked at: no progress, no summary
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    pub quiet: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", help_heading = "Report")]
    pub color: Option<Color>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ShowOptions {
    /// The options for cargo, which is to be as quiet and as colourful.
    pub fn cargo(&self, options: &CargoOptions) -> CargoOptions {
        let color = self.color.map(|color| match color {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        });
        CargoOptions { quiet: self.quiet, color, ..options.clone() }
    }
}

/// How far to search.
#[derive(Args, Debug)]
pub struct LimitOptions {
    /// Greatest number of concurrent calls of handlers in a run, all handlers together
    #[arg(long, value_name = "N", default_value_t = Options::default().events, help_heading = "Search",
        value_parser = value_parser!(u32).range(1..))]
    pub events: u32,
    /// Greatest number of times a loop is unrolled and a recursive function is nested; fewer are tried first
    #[arg(long, value_name = "N", default_value_t = Options::default().unroll, help_heading = "Search")]
    pub unroll: u32,
    /// Time for one check
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().timeout.as_secs(), help_heading = "Search",
        value_parser = value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Time for the whole run; what cargo takes to compile comes on top
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().total.as_secs(), help_heading = "Search",
        value_parser = value_parser!(u64).range(1..=86_400))]
    pub total_timeout: u64,
    /// Memory for the run: what would need more is looked at less closely, or left out, and said to be
    #[arg(long, value_name = "MB", default_value_t = Options::default().memory, help_heading = "Search",
        value_parser = value_parser!(u32).range(1..))]
    pub memory: u32,
    /// Maximum findings per check
    #[arg(long, value_name = "N", default_value_t = Options::default().findings as u32, help_heading = "Search",
        value_parser = value_parser!(u32).range(1..))]
    pub findings: u32,
    /// Checks worked on at a time; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub question_jobs: usize,
    /// Run only the I-th of N parts of the checks; `cargo robust merge` joins the parts' JSON reports
    #[arg(long, value_name = "I/N", value_parser = part, help_heading = "Search")]
    pub partition: Option<Part>,
}

/// `2/4`
fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((index, of)) if 1 <= index && index <= of => Ok(Part { index, of }),
        _ => Err("expected a part and the number of parts, as in `2/4`".to_owned()),
    }
}

impl LimitOptions {
    /// In the analysis' terms.
    pub fn options(&self) -> Options {
        Options {
            events: self.events,
            unroll: self.unroll,
            findings: self.findings as usize,
            timeout: Duration::from_secs(self.timeout),
            total: Duration::from_secs(self.total_timeout),
            memory: self.memory,
            jobs: self.question_jobs,
            part: self.partition,
        }
    }
}

/// What findings matter.
#[derive(Args, Debug)]
pub struct GateOptions {
    /// Findings of this class fail the run (`all` for every class); `incomplete`: a run that did not look at everything fails
    #[arg(long, value_name = "CLASS", value_parser = deniable(), help_heading = "Levels")]
    deny: Vec<Denied>,
    /// Findings of this class are shown as warnings
    #[arg(long, value_name = "CLASS", value_parser = classes_or_all(), help_heading = "Levels")]
    warn: Vec<ClassOrAll>,
    /// Findings of this class are shown as notes
    #[arg(long, value_name = "CLASS", value_parser = classes_or_all(), help_heading = "Levels")]
    note: Vec<ClassOrAll>,
    /// Findings of this class are not shown
    #[arg(long, value_name = "CLASS", value_parser = classes_or_all(), help_heading = "Levels")]
    allow: Vec<ClassOrAll>,
    /// A file of findings that are known and not shown again
    #[arg(long, value_name = "FILE", help_heading = "Levels")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to the baseline, and succeed
    #[arg(long, requires = "baseline", conflicts_with = "partition", help_heading = "Levels")]
    pub write_baseline: bool,
    /// Only show findings that are new since this git revision: it is checked out beside the project and analysed, too
    #[arg(long, value_name = "REV", conflicts_with = "write_baseline", help_heading = "Levels")]
    pub diff: Option<String>,
}

/// `None` for all classes.
type ClassOrAll = Option<Class>;

/// What can fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    Findings(ClassOrAll),
    Incomplete,
}

impl GateOptions {
    /// Whether a run that is not complete fails.
    pub fn denies_incomplete(&self) -> bool {
        self.deny.contains(&Denied::Incomplete)
    }

    /// The level of each class; what is said of a class outweighs what is said of all.
    ///
    /// # Errors
    /// Two levels for the same class, or for all.
    pub fn levels(&self) -> Result<Levels, clap::Error> {
        let denied = self.deny.iter().filter_map(|denied| match denied {
            Denied::Findings(class) => Some(*class),
            Denied::Incomplete => None,
        });
        let given = [
            (Level::Deny, &denied.collect::<Vec<_>>()),
            (Level::Warn, &self.warn),
            (Level::Note, &self.note),
            (Level::Allow, &self.allow),
        ];
        let given =
            || given.into_iter().flat_map(|(level, classes)| classes.iter().map(move |c| (level, *c)));
        let mut levels = Levels::new();
        let mut every = None;
        for (level, class) in given() {
            let before = match class {
                Some(class) => levels.insert(class, level),
                None => every.replace(level),
            };
            if before.is_some_and(|before| before != level) {
                let name = class.map_or(ALL, class_name);
                let message = format!("two levels are given for `{name}`");
                return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
            }
        }
        for class in CLASSES {
            if let Some(level) = every {
                levels.entry(class).or_insert(level);
            }
        }
        Ok(levels)
    }
}

fn deniable() -> impl TypedValueParser<Value = Denied> {
    let names = CLASSES.map(class_name).into_iter().chain([ALL, INCOMPLETE]);
    PossibleValuesParser::new(names).map(|name| match &*name {
        INCOMPLETE => Denied::Incomplete,
        _ => Denied::Findings(parse_class(&name)),
    })
}

fn classes() -> impl TypedValueParser<Value = Class> {
    PossibleValuesParser::new(CLASSES.map(class_name))
        .try_map(|name| parse_class(&name).ok_or("there is no such class"))
}

fn classes_or_all() -> impl TypedValueParser<Value = ClassOrAll> {
    let names = CLASSES.map(class_name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names).map(|name| parse_class(&name))
}

/// The arguments as clap wants them: without the `robust` that cargo passes on, and with `+NAME` as `--toolchain NAME`.
pub(super) fn normalise(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|arg| arg == "robust") {
        args.remove(1);
    }
    let toolchain = args.get(1).and_then(|arg| arg.to_str()?.strip_prefix('+').map(str::to_owned));
    if let Some(name) = toolchain.filter(|name| !name.is_empty()) {
        args[1] = format!("--toolchain={name}").into();
        // The option belongs to the subcommand, when there is one.
        if args.get(2).is_some_and(|arg| arg == "dump" || arg == "events") {
            args.swap(1, 2);
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(normalise(args.iter().map(OsString::from)))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cargo_passes_its_subcommand_on() {
        for args in [&["cargo-robust", "robust", "-q"][..], &["cargo-robust", "-q"]] {
            assert!(parse(args).unwrap().analyse.show.quiet);
        }
    }

    #[test]
    fn a_toolchain_may_be_named_as_for_cargo() {
        let cli = parse(&["cargo-robust", "robust", "+nightly", "--lib"]).unwrap();
        assert_eq!(cli.analyse.cargo.toolchain.as_deref(), Some("nightly"));
        let cli = parse(&["cargo-robust", "+nightly", "dump", "--stage", "mir"]).unwrap();
        let Some(Command::Dump(args)) = cli.command else { panic!("{cli:?}") };
        assert_eq!(args.cargo.toolchain.as_deref(), Some("nightly"));
    }

    #[test]
    fn a_class_outweighs_all_and_two_levels_are_an_error() {
        let cli = parse(&["x", "--warn", "all", "--deny", "order", "--deny", "order"]).unwrap();
        let levels = cli.analyse.gate.levels().unwrap();
        assert_eq!(levels[&Class::Order], Level::Deny);
        assert_eq!(levels[&Class::TornRead], Level::Warn);
        let cli = parse(&["x", "--warn", "order", "--allow", "order"]).unwrap();
        assert_eq!(cli.analyse.gate.levels().unwrap_err().exit_code(), i32::from(exit::USAGE));
    }
}
