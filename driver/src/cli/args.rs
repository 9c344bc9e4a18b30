//! The options, as clap reads them.

mod levels;
mod limits;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
pub use levels::GateOptions;
pub use limits::{LimitOptions, RunLimits};
use robust_analyzer::finding::Class;

use super::completions::Shell;
use super::exit;
use crate::extract::CargoOptions;

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
    styles = clap_cargo::style::CLAP_STYLING,
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
    /// List what each public function asks of the thread that calls it: what it needs, refuses, and how it blocks
    Effects(EffectsArgs),
    /// Run findings: force their schedules on the real program, and compare with what all orders of whole calls show
    #[command(after_help = exit::RUN_HELP)]
    Replay(Box<ReplayArgs>),
    /// Call a type's operations at random, interleaved in many ways, until results are those of no order of whole calls
    #[command(after_help = exit::RUN_HELP)]
    Test(Box<TestArgs>),
    /// Run a program, or its tests, and watch what becomes of its tasks: `monitor -- test`, `monitor -- run`
    #[command(after_help = exit::HELP)]
    Monitor(MonitorArgs),
    /// Join the JSON reports of runs that shared the checks (`--partition`)
    #[command(after_help = exit::HELP)]
    Merge(MergeArgs),
    /// Write a `robust.toml` with all settings, commented out; one that is there is left alone
    Init(InitArgs),
    /// Print a shell's completion script, for `cargo robust` and `cargo-robust`
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
    #[arg(long, value_name = "CLASS", value_parser = levels::classes(), conflicts_with_all = ["format", "html", "baseline"])]
    pub explain: Option<Class>,
    /// Analyse again whenever a file is saved, and show what changed
    #[arg(long, conflicts_with_all = ["explain", "format", "html", "write_baseline", "partition", "diff"])]
    pub watch: bool,
    /// Run each finding that has the level `deny` on the real program, and say what came of it: this runs the crate's code, with
    /// your rights, as `cargo test` does
    #[arg(long, conflicts_with_all = ["explain", "watch"])]
    pub replay: bool,
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
    /// The program; `-` for standard input
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

/// The writing of a configuration.
#[derive(Args, Debug)]
pub struct InitArgs {
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// The workspace.
    #[command(flatten)]
    pub manifest: clap_cargo::Manifest,
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
    /// Greatest number of concurrent calls of handlers in a run (robseq and smt)
    #[arg(long, alias = "events", value_name = "N", default_value_t = 3, value_parser = limits::positive())]
    pub instances: u32,
    /// A program in text form, in place of a crate
    #[arg(value_name = "FILE.rob")]
    pub file: Option<PathBuf>,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// What the run may take.
    #[command(flatten)]
    pub limits: RunLimits,
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
    /// What the run may take.
    #[command(flatten)]
    pub limits: RunLimits,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// Watching a program.
#[derive(Args, Debug)]
pub struct MonitorArgs {
    /// Properties to watch beside those that are built in
    #[arg(long, value_name = "FILE.cor")]
    pub props: Vec<PathBuf>,
    /// Only check the properties (without `--props`: those that are built in), and say how large their monitors are
    #[arg(long)]
    pub check: bool,
    /// Only these properties, not those that are built in
    #[arg(long, requires = "props")]
    pub only: bool,
    /// No limit of time is longer than this, as tests are short
    #[arg(long, value_name = "MILLISECONDS")]
    pub within: Option<u64>,
    /// Do not analyse the program first: then it is not known which tasks have owners
    #[arg(long)]
    pub no_static: bool,
    /// Watch also what was decided by the analysis, and say where it was wrong
    #[arg(long, conflicts_with = "no_static")]
    pub all_sites: bool,
    /// Directory for all outputs [default: `robust` in cargo's own]
    #[arg(long, value_name = "DIRECTORY")]
    pub target_dir: Option<PathBuf>,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// What cargo is to do: `run`, `test` or `nextest`, with arguments
    #[arg(last = true, required_unless_present = "check", value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The replaying of findings.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Fingerprints of findings, or how they begin [default: all findings that have the level `deny`]
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All findings, whatever their level
    #[arg(long, conflicts_with = "ids")]
    pub every: bool,
    /// Write what is confirmed as tests of a crate in this folder, which needs nothing but stable Rust and fails until it is repaired
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
    /// How many times a schedule is tried, with other arguments and states
    #[arg(long, value_name = "N", default_value_t = crate::replay::TRIES)]
    pub tries: u64,
    /// Seconds for one finding, once it is built
    #[arg(long, value_name = "SECONDS", default_value_t = crate::replay::TIME.as_secs())]
    pub time: u64,
    /// What arguments and states are made of
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    pub format: ListFormat,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// How far to search.
    #[command(flatten)]
    pub limits: LimitOptions,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// The testing of types.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// Names of types [default: all with operations on shared state]
    #[arg(value_name = "TYPE")]
    pub types: Vec<String>,
    /// Seconds for each type, once it is built
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub time: u64,
    /// Calls side by side
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=4))]
    pub lanes: u8,
    /// Interleavings tried of each scenario
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub schedules: u64,
    /// What calls, arguments and interleavings are made of
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What results have to be like
    #[arg(long, value_name = "CONSISTENCY", default_value = "linearizable")]
    pub consistency: Consistency,
    /// Each call has to end while another one is stopped anywhere
    #[arg(long)]
    pub obstruction_free: bool,
    /// An operation that is not called
    #[arg(long, value_name = "NAME")]
    pub skip: Vec<String>,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    pub format: ListFormat,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// How far to search.
    #[command(flatten)]
    pub limits: LimitOptions,
    /// What to build.
    #[command(flatten)]
    pub cargo: CargoOptions,
}

/// What results of concurrent calls have to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Consistency {
    /// Those of an order of whole calls in which who ended before another one began comes first
    Linearizable,
    /// Those of an order of whole calls
    Sequential,
}

/// What functions ask of the thread that calls them.
#[derive(Args, Debug)]
pub struct EffectsArgs {
    /// List those that are not public, and those that ask for nothing, too
    #[arg(long)]
    pub every: bool,
    /// Also write it as a model file, for projects that use this library: they name it in `models` of `robust.toml`
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub write_models: Option<PathBuf>,
    /// The form of the list
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    pub format: ListFormat,
    /// How much to say.
    #[command(flatten)]
    pub show: ShowOptions,
    /// What the run may take.
    #[command(flatten)]
    pub limits: RunLimits,
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
    /// Events, tasks, and what each block of a function does to which locations
    World,
    /// Events, tasks, locks and shared variables
    Ir,
    /// Where each function may run
    Places,
    /// Where tasks are started, and what becomes of them
    Lifecycle,
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
    use clap::CommandFactory;
    use robust_analyzer::finding::Level;

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
