//! How events and tasks go on: whether they end, or serve whoever comes from outside.

use crate::ir::Course;
use crate::lower::emit::emitter::Emitter;
use crate::mir::TyKind;
use crate::world::actions::effects::Action;
use crate::world::api::is_shared_pointer;
use crate::world::exclusive::run_for_callers;
use crate::world::followed::started_once;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::InstId;
use crate::world::units::{Phase, Unit, UnitId};
use crate::world::values::leaving::{Decider, decider};

/// Tasks that tasks wait for are followed so far.
const WAITED: usize = 4;

impl Emitter<'_, '_> {
    /// How a unit goes on.
    pub fn course(&self, id: UnitId) -> Course {
        if self.units.units[id.0].part.is_some() {
            return Course::Round { of: self.served(id) };
        }
        if self.serves(id, WAITED) { Course::Serves } else { Course::Ends }
    }

    /// Whether a unit has loops whose rounds are events, or waits for tasks that it has started and that serve: it ends as they do.
    fn serves(&self, id: UnitId, fuel: usize) -> bool {
        let visits = || {
            let all = self.units.visits[id.0].iter();
            all.filter(|(_, phase, part)| part.is_none() && *phase != Phase::Event)
        };
        if visits().any(|(inst, ..)| !self.facts.event_loops(*inst).is_empty()) {
            return true;
        }
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let waits = visits().any(|(inst, ..)| {
            let mut steps = self.facts.effects[inst.0 as usize].iter().flatten();
            steps.any(|step| matches!(step.action, Action::Join { .. }))
        });
        let is_started = |other: &usize| {
            let unit = &self.units.units[*other];
            unit.parent == Some(id) && unit.part.is_none() && UnitId(*other) != id
        };
        waits && (0..self.units.units.len()).filter(is_started).any(|other| self.serves(UnitId(other), fuel))
    }

    /// What callers run, if this is a round of one of several things that it does side by side, each of them once, and waits for.
    fn run_beside(&self, unit: &Unit) -> Option<InstId> {
        let task = unit.parent.filter(|task| unit.part.is_some() && !self.units.units[task.0].event)?;
        let event = self.units.units[task.0].parent.filter(|event| self.serves(*event, WAITED))?;
        let run = run_for_callers(self.flow, self.units, &self.units.units[event.0])?;
        let once =
            started_once(self.facts, self.units, event, |inst, block| self.facts.is_in_loop(inst, block));
        once.contains(&self.units.units[task.0].inst).then_some(run)
    }

    /// The object that a loop is run for, if callers of the library run it: they lend it to a function that does not end, or give it a pointer
    /// of its own, and get nothing from it.
    fn served(&self, id: UnitId) -> Option<u32> {
        let unit = &self.units.units[id.0];
        let flow = self.flow;
        let run = run_for_callers(flow, self.units, unit).or_else(|| self.run_beside(unit))?;
        let called = flow.function_of(run);
        let receiver = flow.local_ty(called, 1).filter(|ty| is_shared_pointer(flow, ty))?;
        let given = flow.heap.find(&Root::Local(called, 1))?;
        let mut objects = flow.heap.targets(given).into_iter().map(|of| self.sharing.object(flow, of));
        let object = objects.next()?;
        if !objects.all(|other| other == object) {
            return None;
        }
        let cfg = &self.facts.cfgs[unit.inst.0 as usize];
        let around = cfg.loop_of(unit.part?)?;
        let blocks = &cfg.loops[around];
        let mut exits = blocks
            .iter()
            .filter(|block| cfg.succs[**block].iter().any(|next| !blocks.contains(next)))
            .peekable();
        let is_part = |loc: &LocId| self.sharing.object(flow, *loc) == object;
        // Who leaves because of what it finds has waited for that, and many may.
        let waits_for_it = |block: &usize| match decider(flow, self.facts, unit.inst, *block) {
            Decider::Access { locs, .. } => locs.iter().any(is_part),
            Decider::Function => true,
            Decider::Other => false,
        };
        let is_kept = !matches!(&*receiver, TyKind::Ref { .. });
        let runs_on = exits.peek().is_none() || is_kept && !exits.any(waits_for_it);
        (runs_on && tells_nothing(flow.body_of(run).output())).then_some(object.0)
    }
}

/// Whether a value of this type says no more than that something has ended, or failed.
fn tells_nothing(ty: &TyKind) -> bool {
    match ty {
        TyKind::Never => true,
        TyKind::Tuple(parts) => parts.is_empty(),
        TyKind::Path(path) if matches!(path.last(), "Poll" | "Result") => {
            path.type_args().next().is_some_and(|of| tells_nothing(of))
        }
        _ => false,
    }
}
