//! What findings matter: levels, the baseline, a revision to compare with.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};
use robust_analyzer::finding::{Class, Level};

use super::Cli;
use crate::gate::Levels;
use crate::report::{CLASSES, CONFIRMED, INCOMPLETE, class_name, parse_class};

/// Stands for every class.
const ALL: &str = "all";

/// What findings matter.
#[derive(Args, Debug)]
pub struct GateOptions {
    /// Findings of this class fail the run (`all` for every class); `incomplete`: a run that did not look at everything fails;
    /// `confirmed`: with `--replay`, only findings that it confirms fail the run
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
    /// Write a comment into the source for each finding that is shown, which allows it: `// robust: allow(CLASS): REASON`
    #[arg(long, value_name = "REASON", num_args = 0..=1, require_equals = true, help_heading = "Levels",
        default_missing_value = crate::fix::NO_REASON, conflicts_with_all = ["explain", "watch", "write_baseline", "partition"])]
    pub add_allow: Option<String>,
}

/// `None` for all classes.
type ClassOrAll = Option<Class>;

/// What can fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    Findings(ClassOrAll),
    Incomplete,
    Confirmed,
}

impl GateOptions {
    /// Whether a run that is not complete fails.
    pub fn denies_incomplete(&self) -> bool {
        self.deny.contains(&Denied::Incomplete)
    }

    /// Whether only what was confirmed fails the run.
    pub fn denies_confirmed(&self) -> bool {
        self.deny.contains(&Denied::Confirmed)
    }

    /// The level of each class; what is said of a class outweighs what is said of all.
    ///
    /// # Errors
    /// Two levels for the same class, or for all.
    pub fn levels(&self) -> Result<Levels, clap::Error> {
        let denied = self.deny.iter().filter_map(|denied| match denied {
            Denied::Findings(class) => Some(*class),
            Denied::Incomplete | Denied::Confirmed => None,
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
    let names = CLASSES.map(class_name).into_iter().chain([ALL, INCOMPLETE, CONFIRMED]);
    PossibleValuesParser::new(names).map(|name| match &*name {
        INCOMPLETE => Denied::Incomplete,
        CONFIRMED => Denied::Confirmed,
        _ => Denied::Findings(parse_class(&name)),
    })
}

pub(super) fn classes() -> impl TypedValueParser<Value = Class> {
    PossibleValuesParser::new(CLASSES.map(class_name))
        .try_map(|name| parse_class(&name).ok_or("there is no such class"))
}

fn classes_or_all() -> impl TypedValueParser<Value = ClassOrAll> {
    let names = CLASSES.map(class_name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names).map(|name| parse_class(&name))
}
