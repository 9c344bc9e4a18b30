//! From a finding to gates: the steps that lanes have to come to, in order.

use robust_analyzer::finding::{Finding, Role, StepKind};
use robust_analyzer::ir::SourcePlace;

use super::worker::{Gate, WHOLE};

/// What is forced.
#[derive(Clone, Debug)]
pub struct Plan {
    pub gates: Vec<Gate>,
    /// By gate: the step that it stands for.
    pub steps: Vec<usize>,
    /// What gates speak of.
    pub places: Vec<SourcePlace>,
    /// The lanes that are events, in the order of the scenario's lanes.
    pub events: Vec<usize>,
    /// The scenario's lane that is torn apart.
    pub torn: usize,
}

impl Plan {
    /// The finding's own schedule. Accesses under a lock and releases come by themselves: demanding them would have accesses through a
    /// guard be waited for that have no code of their own. None: it has no two lanes.
    pub fn of(finding: &Finding) -> Option<Plan> {
        let events: Vec<usize> =
            (0..finding.lanes.len()).filter(|&lane| finding.lanes[lane].is_event).collect();
        let others = (0..finding.lanes.len()).filter(|&lane| !finding.lanes[lane].is_event);
        // Events are called; what they start is whoever comes to its first step.
        let order: Vec<usize> = events.iter().copied().chain(others).collect();
        let number = |lane: usize| order.iter().position(|&own| own == lane);
        let mut plan = Plan { gates: Vec::new(), steps: Vec::new(), places: Vec::new(), events, torn: 0 };
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
        let lanes = |lane: usize| plan.gates.iter().any(|gate| gate.lane == lane);
        (lanes(plan.torn) && plan.gates.iter().any(|gate| gate.lane != plan.torn)).then_some(plan)
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
