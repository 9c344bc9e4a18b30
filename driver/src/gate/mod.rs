//! What users say: levels, events, comments in the source, and the baseline; what becomes of findings then.

mod baseline;
mod config;
mod events;
mod malformed;
mod suppress;

use std::collections::{BTreeMap, BTreeSet};

use robust_analyzer::finding::{Class, Finding, Level};

pub use baseline::{Baseline, BaselineError};
pub use config::{Config, ConfigError, FILE as CONFIG_FILE};
pub use events::{Event, add_comments};
pub use malformed::Malformed;
pub use suppress::Suppressions;

use crate::report::{Hidden, Notice, Sources};

/// The level of each class that has one given.
pub type Levels = BTreeMap<Class, Level>;

/// Decides which findings are shown, and how much they matter.
#[derive(Debug, Default)]
pub struct Gate {
    /// What the project's files say.
    pub config: Config,
    /// What the command line says: it has the last word.
    pub levels: Levels,
    /// Findings known and accepted.
    pub baseline: Option<Baseline>,
}

/// What the gate let through.
#[derive(Debug, Default)]
pub struct Gated {
    /// The findings to show, worst level first.
    pub findings: Vec<Finding>,
    /// What was kept back.
    pub hidden: Hidden,
    /// What is odd about suppressions and baseline.
    pub notices: Vec<Notice>,
}

impl Gate {
    /// Applies levels, then suppressions, then the baseline.
    ///
    /// `files` are all files that were analysed: comments in them that nothing needs are reported. `units` are the units
    /// that were analysed: baseline entries of others are left alone.
    pub fn apply(
        &self,
        findings: Vec<Finding>,
        sources: &Sources,
        files: &BTreeSet<String>,
        units: &BTreeSet<String>,
    ) -> Gated {
        let mut gated = Gated::default();
        let mut suppressions = Suppressions::read(files, sources);
        let mut used = BTreeSet::new();
        for mut finding in findings {
            if let Some(level) = self.level(&finding) {
                finding.level = level;
            }
            if finding.level == Level::Allow {
                gated.hidden.allowed += 1;
            } else if suppressions.allow(&finding, sources) {
                gated.hidden.suppressed += 1;
            } else if self.baseline.as_ref().is_some_and(|baseline| baseline.has(&finding)) {
                used.insert(finding.fingerprint);
                gated.hidden.baseline += 1;
            } else {
                gated.findings.push(finding);
            }
        }
        gated.findings.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| order(a).cmp(&order(b))));
        gated.notices = suppressions.notices();
        gated.notices.extend(self.baseline.iter().flat_map(|baseline| baseline.stale(&used, units)));
        gated
    }

    fn level(&self, finding: &Finding) -> Option<Level> {
        let own = self.levels.get(&finding.class).copied();
        own.or_else(|| self.config.level(finding.class, &finding.unit))
    }
}

/// The order of findings of one level, wherever they come from.
pub(crate) fn order(finding: &Finding) -> (Option<(&str, u32, u32)>, &str) {
    let place = finding.steps.iter().find_map(|step| step.place.as_ref());
    (place.map(|place| (&*place.file, place.line, place.column)), &finding.fingerprint)
}

#[cfg(test)]
mod tests;
