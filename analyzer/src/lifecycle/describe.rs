//! Findings on tasks in the user's words.

use std::collections::BTreeSet;

use crate::finding::{Class, Finding, Lane, Level, Property, Role, Step, StepKind};
use crate::ir::SourcePlace;
use crate::mir::Body;
use crate::world::coverage::{declared, end_of_block, source_place};
use crate::world::points::points_to::{Flow, InstId};

use super::witness::Witness;

/// Turns violations into findings.
pub(crate) struct Describe<'d, 'a> {
    pub flow: &'d Flow<'a>,
}

/// Who runs.
pub(crate) struct Who {
    /// The name for readers.
    name: String,
    /// The same with the modules that it is in.
    whole: String,
    /// Where it is declared.
    place: Option<SourcePlace>,
}

impl Who {
    /// Whoever runs a body.
    pub fn runs(body: &Body) -> Who {
        let (name, whole) = (body.reader_name().to_owned(), body.whole_name());
        Who { name, whole, place: source_place(&body.span) }
    }
}

/// A violation of one of the properties.
pub(crate) struct Violation {
    pub class: Class,
    pub level: Level,
    /// The property's name.
    pub property: &'static str,
    /// What it is about.
    pub subject: String,
    pub message: String,
    pub hint: &'static str,
    pub excuse: &'static str,
    /// Who runs.
    pub lanes: Vec<Who>,
    /// What happens to the task by which it violates the property.
    pub witness: Witness,
    /// What happens: in which lane, its part, in words, and where.
    pub steps: Vec<(usize, Role, String, Option<SourcePlace>)>,
}

impl Describe<'_, '_> {
    /// A body's name, for readers.
    pub fn name(&self, inst: InstId) -> String {
        crate::confinement::reader_name(self.flow, inst)
    }

    /// Who runs an instance.
    pub fn lane(&self, inst: InstId) -> Who {
        Who::runs(self.flow.body_of(inst))
    }

    /// Where the end of a block is in the source.
    pub fn place(&self, inst: InstId, block: u32) -> Option<SourcePlace> {
        end_of_block(self.flow, inst, block)
    }

    /// Where a body begins.
    pub fn declared(&self, inst: InstId) -> Option<SourcePlace> {
        declared(self.flow, inst)
    }

    /// The finding that a violation amounts to, if the property's monitor agrees. Its unit is left to the caller.
    pub fn finding(&self, violation: Violation) -> Option<Finding> {
        let Violation { class, level, property, subject, message, hint, excuse, lanes, witness, steps } =
            violation;
        if !witness.violates(property) {
            return None;
        }
        let whole = |who: Option<&Who>| who.map_or_else(String::new, |who| who.whole.clone());
        let (owner, ends) = (whole(lanes.first()), whole(lanes.last()));
        let task = lanes.last().map_or_else(String::new, |who| who.name.clone());
        let lane = |(number, Who { name, place, .. }): (usize, Who)| Lane {
            name,
            instance: 0,
            is_event: number == 0,
            is_spawned: number > 0,
            elsewhere: false,
            executor: "any".to_owned(),
            place,
        };
        let step = |(lane, role, text, place): (usize, Role, String, Option<SourcePlace>)| {
            let kind = if role == Role::Start { StepKind::Begin } else { StepKind::Run };
            Step::told(lane, kind, role, text, place)
        };
        let mut finding = Finding {
            class,
            level,
            property: Property::Lifecycle { property: property.to_owned(), task: task.clone() },
            fingerprint: format!("{class:?}\0{subject}\0{owner}\0{ends}"),
            variable: subject,
            message,
            lanes: lanes.into_iter().enumerate().map(lane).collect(),
            steps: steps.into_iter().map(step).collect(),
            assumption: String::new(),
            hint: hint.to_owned(),
            excuse: excuse.to_owned(),
            unit: String::new(),
            alike: BTreeSet::new(),
        };
        finding.seal();
        Some(finding)
    }
}
