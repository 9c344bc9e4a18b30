//! From a finding to gates: the steps that lanes have to come to, in order.

use robust_analyzer::finding::{Finding, Property, Role, StepKind};
use robust_analyzer::ir::SourcePlace;

use super::cast::Cast;
use super::worker::{Gate, WHOLE};

/// What is forced.
#[derive(Clone, Debug)]
pub struct Plan {
    pub gates: Vec<Gate>,
    /// By gate: the step that it stands for.
    pub steps: Vec<usize>,
    /// What gates speak of.
    pub places: Vec<SourcePlace>,
    /// The scenario's lane that is torn apart.
    pub torn: usize,
    /// The gates in the order that the program's text suggests, when the finding is about one event's tasks.
    pub expected: Option<Vec<Gate>>,
}

impl Plan {
    /// The finding's own schedule. Accesses under a lock and releases come by themselves: demanding them would have accesses through a
    /// guard be waited for that have no code of their own. None: it has no two lanes.
    pub fn of(finding: &Finding, cast: &Cast<'_>) -> Option<Plan> {
        // Calls come first, then what only helps; the others are whoever comes to their first steps.
        let called = cast.called.iter().map(|(lane, _)| Some(*lane)).chain(cast.helpers.iter().map(|_| None));
        let is_called = |lane: usize| cast.called.iter().any(|(own, _)| *own == lane);
        let others = (0..finding.lanes.len()).filter(|&lane| !is_called(lane) && !cast.made.contains(&lane));
        let order: Vec<Option<usize>> = called.chain(others.map(Some)).collect();
        let number = |lane: usize| order.iter().position(|&own| own == Some(lane));
        let mut plan =
            Plan { gates: Vec::new(), steps: Vec::new(), places: Vec::new(), torn: 0, expected: None };
        let mut held = vec![0u32; finding.lanes.len()];
        for (at, step) in finding.steps.iter().enumerate() {
            let is_gate = match step.kind {
                StepKind::Lock | StepKind::LockShared => {
                    held[step.lane] += 1;
                    true
                }
                StepKind::Unlock => {
                    held[step.lane] = held[step.lane].saturating_sub(1);
                    false
                }
                StepKind::Spawn => true,
                kind => kind.is_access() && held[step.lane] == 0,
            };
            let (Some(place), Some(lane), true) = (&step.place, number(step.lane), is_gate) else { continue };
            if step.role == Role::Pivot {
                plan.torn = lane;
            }
            let place = plan.place(place);
            let last = plan.gates.iter().rposition(|gate| gate.lane == lane);
            // Steps of one lane at one place are one gate.
            if last.is_some_and(|last| plan.gates[last].place == place && last + 1 == plan.gates.len()) {
                continue;
            }
            plan.gates.push(Gate { lane, place });
            plan.steps.push(at);
        }
        let pivot = finding.steps.iter().find(|step| step.role == Role::Pivot);
        plan.torn = pivot.and_then(|step| number(step.lane)).unwrap_or(plan.torn);
        if matches!(finding.property, Property::Determinism { .. }) {
            let early = finding.steps.iter().find(|step| step.role == Role::Root);
            plan.expected = early.and_then(|step| plan.exchanged(number(step.lane)?));
        }
        let lanes = |lane: usize| plan.gates.iter().any(|gate| gate.lane == lane);
        (lanes(plan.torn) && plan.gates.iter().any(|gate| gate.lane != plan.torn)).then_some(plan)
    }

    /// The gates with those of the lane that came too late before those of the one that came too early. None: they are in no such
    /// order.
    fn exchanged(&self, early: usize) -> Option<Vec<Gate>> {
        let first = self.gates.iter().position(|gate| gate.lane == early)?;
        let (before, rest) = self.gates.split_at(first);
        let (late, others): (Vec<Gate>, Vec<Gate>) = rest.iter().partition(|gate| gate.lane == self.torn);
        (!late.is_empty() && early != self.torn).then(|| [before, &late, &others].concat())
    }

    fn place(&mut self, place: &SourcePlace) -> u32 {
        let at = self.places.iter().position(|known| known == place).unwrap_or_else(|| {
            self.places.push(place.clone());
            self.places.len() - 1
        });
        at as u32
    }

    /// The lane that is torn apart, as lane 0, with somebody else's whole call (lane 1) where the others come in. None: it is not
    /// torn apart between two of its steps.
    pub fn whole(&self) -> Option<Vec<Gate>> {
        let first = self.gates.iter().position(|gate| gate.lane == self.torn)?;
        let between = first + self.gates[first..].iter().position(|gate| gate.lane != self.torn)?;
        let own = |gates: &[Gate]| -> Vec<Gate> {
            gates.iter().filter(|gate| gate.lane == self.torn).map(|gate| Gate { lane: 0, ..*gate }).collect()
        };
        let after = own(&self.gates[between..]);
        if after.is_empty() {
            return None;
        }
        Some([own(&self.gates[..between]), vec![Gate { lane: 1, place: WHOLE }], after].concat())
    }
}
