//! Who of a finding's lanes is called, and who comes about because others run.

use std::path::Path;

use robust_analyzer::finding::{Finding, Role, StepKind};
use robust_analyzer::ir::SourcePlace;

use super::NotDriven;
use super::construct::builds;
use super::source::{CrateSource, OwnFunction};

/// The calls that a finding's lanes come from. A lane that is no call of its own is whoever comes to its first step.
pub struct Cast<'s> {
    /// The finding's lanes that are calls, and their functions.
    pub called: Vec<(usize, OwnFunction<'s>)>,
    /// What is called as well, so that other lanes come about.
    pub helpers: Vec<OwnFunction<'s>>,
    /// Lanes that are over when the object is there: what they start is in the making.
    pub made: Vec<usize>,
    /// Whether a program is run as a whole.
    pub program: bool,
}

/// A lane that is an event: its function, or the one around it.
enum Part<'s> {
    Function(OwnFunction<'s>),
    Inside(OwnFunction<'s>),
}

impl<'s> Cast<'s> {
    /// The calls of a finding about what is written in that crate. None: an event of it is not in its source.
    pub fn of(
        finding: &Finding,
        source: &'s CrateSource,
        root: &Path,
    ) -> Option<Result<Cast<'s>, NotDriven>> {
        let mut parts = Vec::new();
        for (lane, own) in finding.lanes.iter().enumerate().filter(|(_, lane)| lane.is_event) {
            let place = own.place.as_ref()?;
            parts.push((lane, part(source, &root.join(&place.file), place)?));
        }
        let main = source.main();
        let is_main = |function: &OwnFunction<'_>| main.as_ref().is_some_and(|main| main.same(function));
        let whole = source.program
            && parts.iter().any(|(_, part)| match part {
                Part::Function(function) => is_main(function),
                Part::Inside(_) => true,
            });
        let mut cast = Cast { called: Vec::new(), helpers: Vec::new(), made: Vec::new(), program: whole };
        if whole {
            let of_main = |(lane, part): &(usize, Part<'_>)| match part {
                Part::Function(function) if is_main(function) => Some(*lane),
                _ => None,
            };
            let lane = parts.iter().find_map(of_main);
            let Some(main) = main else {
                let why = "its `main` is not written as a function in the root file".to_owned();
                return Some(Err(NotDriven(why)));
            };
            match lane {
                Some(lane) => cast.called.push((lane, main)),
                None => cast.helpers.push(main),
            }
            return Some(Ok(cast));
        }
        for (lane, part) in parts {
            match part {
                Part::Function(function) if !makes_its_own(&function) => cast.called.push((lane, function)),
                Part::Function(_) if only_starts(finding, lane) => cast.made.push(lane),
                Part::Function(function) => {
                    let name = function.name();
                    let why = format!("`{name}` makes the object, and is not driven beside its other calls");
                    return Some(Err(NotDriven(why)));
                }
                Part::Inside(function) if makes_its_own(&function) => {}
                Part::Inside(function) => cast.helpers.push(function),
            }
        }
        let Cast { called, helpers, .. } = &mut cast;
        helpers.retain(|helper| !called.iter().any(|(_, function)| function.same(helper)));
        helpers.dedup_by(|one, other| one.same(other));
        Some(Ok(cast))
    }

    /// Whether lanes that are no calls of their own run where others do as well. Calls have threads of their own, and are held only
    /// where the finding has them wait.
    pub fn shares_a_thread(&self, finding: &Finding) -> bool {
        let is_called = |lane: usize| !self.program && self.called.iter().any(|(own, _)| *own == lane);
        let one = |lane: usize| finding.lanes[lane].executor != "any" && !self.made.contains(&lane);
        let all: Vec<usize> = (0..finding.lanes.len()).filter(|&lane| one(lane)).collect();
        all.iter().any(|&lane| {
            let same = |&&other: &&usize| finding.lanes[other].executor == finding.lanes[lane].executor;
            !is_called(lane) && all.iter().filter(same).count() > 1
        })
    }

    /// The functions that are called, in the order of the scenario's lanes.
    pub fn functions(&self) -> Vec<OwnFunction<'s>> {
        self.called.iter().map(|(_, function)| function).chain(&self.helpers).cloned().collect()
    }
}

fn part<'s>(source: &'s CrateSource, file: &Path, place: &SourcePlace) -> Option<Part<'s>> {
    match source.event_at(file, place) {
        Some(function) => Some(Part::Function(function)),
        None => source.around(file, place).map(Part::Inside),
    }
}

/// Whether a function makes the object that it is associated with.
fn makes_its_own(function: &OwnFunction<'_>) -> bool {
    function.self_type().is_some_and(|own| function.signature.receiver().is_none() && builds(function, &own))
}

/// Whether all that a lane does in the finding is to start others.
fn only_starts(finding: &Finding, lane: usize) -> bool {
    let mut steps = finding.steps.iter().filter(|step| step.lane == lane);
    steps.all(|step| step.role == Role::Step && !step.kind.is_access() || step.kind == StepKind::Spawn)
}
