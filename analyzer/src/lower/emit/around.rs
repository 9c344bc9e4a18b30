//! Locks around a loop: a loop whose rounds are events may be in a critical section as a whole. Each round has the lock, then, and whoever leaves
//! the loop has it until it is given back.

use crate::ir::{Block, Expr, LocalId, LockId, Mode, PlaceId, StmtKind, Value};
use crate::lower::emit::emitter::{Build, Emitter};
use crate::lower::emit::structure::header;
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Step};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::rechecks::Dominators;

/// A lock that is held wherever a loop is.
#[derive(Clone)]
pub(crate) struct Around {
    pub loc: LocId,
    lock: LockId,
    /// Whether a round has it still.
    has: LocalId,
}

impl Emitter<'_, '_> {
    /// Takes the locks that a loop of an instance is in the critical sections of, the loop being one whose rounds are events.
    pub fn take_around(&mut self, build: &mut Build, part: Option<usize>, out: &mut Block) {
        let Some(first) = part else { return };
        for held in self.held_around(build.inst, first) {
            self.hold(build, held, out);
        }
    }

    /// Takes the locks that whoever calls an event has: by a guard in what it is called with.
    pub fn take_of_callers(&mut self, build: &mut Build, out: &mut Block) {
        for (loc, mode) in self.of_callers.held.get(&build.inst).cloned().unwrap_or_default() {
            let lock = self.lock_of(loc);
            if build.around.iter().all(|around| around.lock != lock) {
                self.hold(build, (loc, mode, None), out);
            }
        }
    }

    /// Takes a lock that is given back where what is emitted ends, unless it was before.
    fn hold(
        &mut self,
        build: &mut Build,
        (loc, mode, place): (LocId, Mode, Option<PlaceId>),
        out: &mut Block,
    ) {
        let lock = self.lock_of(loc);
        let has = build.local(format!("has{}", lock.0), true);
        out.push(self.stmt(None, StmtKind::SetLocal(has, Expr::Const(Value::Bool(true)))));
        out.push(self.stmt(place, StmtKind::Acquire(lock, mode)));
        build.around.push(Around { loc, lock, has });
    }

    /// Gives back the locks that an event leaves to whoever has called it, who may do so at any time.
    pub fn give_to_caller(&mut self, inst: InstId, out: &mut Block) {
        for loc in self.of_callers.given.get(&inst).cloned().unwrap_or_default() {
            let lock = self.lock_of(loc);
            out.push(self.stmt(None, StmtKind::Release(lock)));
        }
    }

    /// Notes that such a lock was given back, if it is one.
    pub fn note_given_back(&mut self, build: &Build, loc: LocId, out: &mut Block) {
        for around in build.around.iter().filter(|around| around.loc == loc) {
            out.push(self.stmt(None, StmtKind::SetLocal(around.has, Expr::Const(Value::Bool(false)))));
        }
    }

    /// Ends a round: the next one has these locks anew.
    pub fn give_back_around(&mut self, build: &Build, out: &mut Block) {
        for around in build.around.iter().rev() {
            let release = self.stmt(None, StmtKind::Release(around.lock));
            out.push(self.stmt(None, StmtKind::If(Expr::Local(around.has), vec![release], Vec::new())));
        }
    }

    /// The locks that are taken on every way to a loop, and not given back before it or in it.
    fn held_around(&mut self, inst: InstId, first: usize) -> Vec<(LocId, Mode, Option<PlaceId>)> {
        let facts = self.facts;
        let cfg = &facts.cfgs[inst.0 as usize];
        let loops = facts.event_loops(inst);
        let Some((_, round)) = loops.into_iter().find(|(name, _)| *name == first) else { return Vec::new() };
        let entry = header(&cfg.succs, &cfg.reached, round);
        let effects = &facts.effects[inst.0 as usize];
        let gives_back = |step: &Step, loc: LocId| matches!(&step.action, Action::Release { locks } if locks.contains(&loc));
        let above = Dominators::of(cfg).chain(entry);
        let leading = reach(&cfg.preds, [entry]);
        let mut found: Vec<(LocId, Mode, Option<PlaceId>)> = Vec::new();
        for &block in above.iter().rev().filter(|block| !round.contains(block)) {
            for (number, step) in effects[block].iter().enumerate() {
                let Action::Acquire { locks, mode } = &step.action else { continue };
                let [loc] = locks[..] else { continue };
                let here = effects[block][number..].iter();
                let later = reach(&cfg.succs, cfg.succs[block].iter().copied());
                let in_between = later.into_iter().filter(|other| leading.contains(other));
                let mut steps = here.chain(in_between.flat_map(|other| &effects[other]));
                let is_known = step.only_if.is_none() && found.iter().all(|(known, ..)| *known != loc);
                if is_known && !steps.any(|step| gives_back(step, loc)) {
                    let place = self.place(step.span(self.flow, inst, block));
                    found.push((loc, *mode, place));
                }
            }
        }
        found
    }
}
