//! Lifecycles: what becomes of tasks, of their results, and of who is asked to wait.
//!
//! Where tasks are started, and where their handles get to, is read off the points-to result ([`sites`]); what is done with
//! the result of a join off the types and moves of its function ([`results`]); which loops end, and because of what, off
//! their exits ([`ends`]). The rules decide on that: who sees a task's error ([`errors`]), whether a panic or an abort passes
//! for an answer ([`answers`]), whether a task ends with its owner ([`owners`], [`told`]), whether work that nobody needs any more can
//! be stopped ([`asks`]), whether who suspends has arranged to be woken ([`woken`]). Each violation carries what happens, on which the
//! property's monitor says that it is violated ([`witness`]); what can happen at all at a site, and so which properties hold there, is
//! certain of some ([`letters`]).
//!
//! **Invariants.** A violation needs every step to be definite: a handle that gets where it is not followed is *not decided*,
//! which is counted. Where not all pointers were followed, nothing is concluded from what was not seen, but from the text alone
//! ([`by_text`], [`parts`]). Nothing here knows the IR, a solver, or the name of a library.

mod answers;
mod asks;
mod body;
mod by_text;
mod describe;
mod ends;
mod errors;
mod letters;
mod owners;
mod parts;
mod results;
mod sites;
mod told;
mod witness;
mod woken;

pub(crate) use body::fate;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Property};
use crate::ir::SourcePlace;
use crate::mir::Crate;
use crate::world::facts::Facts;
use crate::world::points::points_to::Flow;
use crate::world::units::Units;
use std::sync::Arc;

use describe::Describe;
use sites::Sites;

/// What was found out about tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// What does not end as it should.
    pub findings: Vec<Finding>,
    /// Where tasks are started, each with what is known of it.
    pub sites: Vec<Told>,
}

/// A place where tasks are started.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Told {
    /// Where.
    pub place: Option<SourcePlace>,
    /// The task's name.
    pub task: String,
    /// What becomes of its handle.
    pub fate: String,
    /// The own type, or a set, that keeps its handle.
    pub owner: String,
    /// The function that starts it.
    pub by: String,
    /// What its output is.
    pub output: String,
    /// Whether its loops end.
    pub ends: String,
    /// Whether there is nothing of it that is not known; else why.
    pub undecided: String,
    /// What holds of its tasks at each step, as properties in corLTL name it.
    pub always: BTreeSet<String>,
    /// What holds of them at no step.
    pub never: BTreeSet<String>,
    /// The properties that they violate.
    pub violated: BTreeSet<String>,
}

impl Lifecycle {
    /// How many places were not decided.
    pub fn undecided(&self) -> usize {
        self.sites.iter().filter(|site| !site.undecided.is_empty()).count()
    }
}

/// Looks at all tasks, and at all that polls.
pub(crate) fn examine(flow: &Flow<'_>, facts: &Facts, units: &Units, crates: &[Arc<Crate>]) -> Lifecycle {
    let sites = Sites::find(flow, facts, units, crates);
    let describe = Describe { flow };
    let mut findings = errors::findings(&sites, &describe);
    findings.extend(answers::findings(&sites, &describe));
    findings.extend(owners::findings(&sites, &describe));
    findings.extend(asks::findings(&sites, &describe));
    findings.extend(woken::findings(&sites, units, &describe));
    let mut told = sites.told(&describe);
    for site in told.iter_mut().filter(|site| site.place.is_some()) {
        let is_there = |finding: &&Finding| finding.steps.iter().any(|step| step.place == site.place);
        let violated = findings.iter().filter(is_there).filter_map(|finding| match &finding.property {
            Property::Lifecycle { property, .. } => Some(property.clone()),
            _ => None,
        });
        site.violated = violated.collect();
    }
    Lifecycle { findings, sites: told }
}
