//! Confinement: what belongs to a thread runs there, what blocks does not run on an executor.
//!
//! An operation asks something of the place where it runs ([`atoms`]): models say what. Places are records of what is there
//! ([`place`]): models say which there are, and where tasks and handlers run. From the points-to result comes who calls whom
//! and where the place changes on the way ([`graph`]); what a function asks of whoever calls it is the least solution over
//! that ([`infer`]). Then all that starts on a place of its own is followed to what its place does not provide
//! ([`descend`]), with the shortest chain of calls. Guards are followed to where their task is suspended ([`held`]).
//!
//! **Invariants.** Nothing here knows the IR, a solver, or the name of a library or place. Where it is not known what a place
//! provides, nothing is reported; what was not looked into is named.

mod arms;
mod atoms;
mod descend;
mod describe;
mod describe_held;
mod graph;
mod held;
mod infer;
mod levels;
mod owned;
mod place;
mod reach;
mod streams;
mod tables;
mod tested;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::mir::Crate;
use crate::world::facts::Facts;
use crate::world::points::points_to::Flow;
use crate::world::units::Units;

use descend::Descent;
pub(crate) use descend::{is_for_development, reader_name};
use describe::Describe;
use graph::Graph;
use place::Places;

pub use tables::Placed;

/// What was found out about where code runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What runs where it should not.
    pub findings: Vec<Finding>,
    /// Bodies of functions, closures and futures.
    pub bodies: u64,
    /// Those that something runs of which it is known where it runs.
    pub placed: u64,
    /// What was not looked into: its name, and why.
    pub not_analysed: Vec<(String, String)>,
    /// Each function: for whoever asks for the list. It is not remembered.
    #[serde(skip)]
    pub functions: Vec<Placed>,
}

/// Follows all that runs, and judges what it does where it runs.
pub(crate) fn confine(flow: &Flow<'_>, facts: &Facts, units: &Units, crates: &[Arc<Crate>]) -> Confinement {
    // Whoever calls a library may have made other threads.
    let is_whole = crates.iter().any(|one| !one.is_library());
    let made = if is_whole { graph::made(flow) } else { BTreeSet::new() };
    let places = Places::new(flow.models, &made, graph::unblocked(flow));
    let graph = Graph::new(flow, facts, &places);
    let effects = infer::effects(flow, &graph, &places);
    let mut descent = Descent::new(flow, facts, &places, &graph, &effects);
    descent.explore(units, crates);
    let describe = Describe { flow, places: &places };
    let mut findings: Vec<Finding> =
        descent.breaches().iter().map(|breach| describe.finding(breach)).collect();
    findings.extend(held::overlaps(flow, facts, units, &graph, &descent).iter().map(|overlap| {
        let [holds, takes] = [&overlap.holder, &overlap.taker].map(|root| descent.reach(root));
        describe.overlap(overlap, &holds, &takes)
    }));
    let code = |id: usize| graph::is_code(flow.code.bodies[id]);
    let placed: BTreeSet<usize> = descent.placed().filter(|id| code(*id)).collect();
    Confinement {
        findings,
        bodies: (0..flow.code.bodies.len()).filter(|id| code(*id)).count() as u64,
        placed: placed.len() as u64,
        not_analysed: descent.not_analysed(),
        functions: tables::functions(flow, &places, &descent, &infer::asked(flow, &graph, &places), crates),
    }
}
