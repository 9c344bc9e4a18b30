//! What is known of every instance before anybody asks who runs it: its control flow, what its blocks do, and which of them wait.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::Order;
use rustc_hash::FxHashMap;

use crate::ir::ENLIST;
use crate::mir::BodyKind;

use crate::world::actions::cfg::{Cfg, components};
use crate::world::actions::effects::{Action, Effects, Step, Touch};
use crate::world::actions::holders::HolderCounts;
use crate::world::callers::doing;
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Phase, Visit};
use crate::world::values::presence::Presence;
use crate::world::values::rechecks::Implied;
use crate::world::values::stale::{Bodies, Called, FirstLook};

/// Each step of the way to all facts may take this part of the time that is left.
const PART: f64 = 0.4;

/// Control flow and actions of every instance, and which of them wait for the outside.
pub(crate) struct Facts {
    pub cfgs: Vec<Rc<Cfg>>,
    pub effects: Vec<Effects>,
    pub waits: BTreeSet<InstId>,
    /// Loops that wait, but go through so many elements: by instance and smallest block.
    finite: BTreeSet<(InstId, usize)>,
    /// Blocks that wait for the answer of one task, and join it.
    pub answered: BTreeSet<(InstId, usize)>,
    /// By task that has more to do behind its answer: the block of that.
    pub tails: BTreeMap<InstId, usize>,
    /// Instances that there was no time for: they do nothing.
    pub left_out: BTreeSet<InstId>,
    /// Blocks that look whether somebody is at work to whom they leave what was put in, with what the flag is when nobody is.
    pub leaving: BTreeMap<(InstId, usize), bool>,
}

impl Facts {
    pub fn collect(flow: &mut Flow<'_>) -> Self {
        flow.next_stage(PART);
        // Most instances of a body have the same control flow.
        type Alike = (BodyId, Vec<bool>, BTreeMap<usize, usize>);
        let mut known: FxHashMap<Alike, Rc<Cfg>> = FxHashMap::default();
        let mut cfgs = Vec::new();
        let mut effects = Vec::new();
        let mut left_out = BTreeSet::new();
        let holders = HolderCounts::find(flow);
        for index in 0..flow.instances.len() {
            let inst = InstId(index as u32);
            let body = flow.body_of(inst);
            let ends = |block: usize| {
                let Some(info) = flow.calls.get(&(inst, block as u32)) else { return false };
                !info.callees.is_empty() || flow.model_of(info).is_some_and(|model| model.diverges)
            };
            let ends: Vec<bool> = (0..body.blocks.len()).map(ends).collect();
            let decided = flow.decided.get(&inst).map(|decided| decided.to.clone()).unwrap_or_default();
            let key = (flow.instances[index].body, ends, decided);
            let cfg = Rc::clone(known.entry(key).or_insert_with_key(|(_, ends, decided)| {
                Rc::new(Cfg::new(body, (ends, decided), &|place| {
                    crate::world::actions::guards::is_after_panic(flow, place)
                }))
            }));
            // Where not all pointers were followed, some locks are not known: then nothing is, since whose they are is not either.
            if flow.lacks_pointers() || flow.is_late_by_now() {
                left_out.insert(inst);
                effects.push(vec![Vec::new(); body.blocks.len()]);
                cfgs.push(cfg);
                continue;
            }
            let mut steps = crate::world::actions::effects::effects(flow, &cfg, &holders, inst);
            // What is never reached does nothing.
            let dead = steps.iter_mut().enumerate().filter(|(block, _)| !cfg.reached.contains(block));
            dead.for_each(|(_, steps)| steps.clear());
            cfgs.push(cfg);
            effects.push(steps);
        }
        let (answered, tails) = (BTreeSet::new(), BTreeMap::new());
        let (waits, finite, leaving) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        let mut facts = Facts { cfgs, effects, waits, finite, answered, tails, left_out, leaving };
        let absorbed = facts.absorb(flow);
        facts.forget_initial();
        flow.next_stage(PART);
        if !absorbed || !crate::world::values::inline_readers::inline(&mut facts, flow) {
            facts.leave_out_all();
        }
        facts.mark_reads(flow);
        facts.find_waits(flow);
        flow.next_stage(PART);
        if !crate::world::values::plain::forget(flow, &mut facts.effects)
            || !crate::world::values::alone::forget(flow, &mut facts.effects)
        {
            facts.leave_out_all();
        }
        facts
    }

    /// For what has to be known of all instances, or is known of none.
    fn leave_out_all(&mut self) {
        self.left_out = (0..self.effects.len() as u32).map(InstId).collect();
        self.effects.iter_mut().flatten().for_each(Vec::clear);
    }

    /// What a closure does to the data that the operation it is given to accesses is part of that operation: the condition
    /// of a `remove_if`, the body of a `retain`. `false`: there was too little time to find that out.
    fn absorb(&mut self, flow: &Flow<'_>) -> bool {
        let mut part_of: Vec<(InstId, Touch, Vec<LocId>)> = Vec::new();
        for steps in self.effects.iter().flatten() {
            if flow.is_late() {
                return false;
            }
            let accesses = steps.iter().filter_map(|step| match &step.action {
                Action::Access { touch, locs, .. } => Some((step.at, touch, locs)),
                _ => None,
            });
            let accesses: Vec<_> = accesses.collect();
            for call in steps {
                let Action::Call { callees, scope: true, .. } = &call.action else { continue };
                for (_, touch, locs) in accesses.iter().filter(|(at, ..)| *at == call.at) {
                    let closures = callees
                        .iter()
                        .filter(|callee| matches!(flow.body_of(**callee).kind, BodyKind::Closure { .. }));
                    part_of.extend(closures.map(|closure| (*closure, (*touch).clone(), (*locs).clone())));
                }
            }
        }
        for (closure, outer, covered) in part_of {
            if flow.is_late() {
                return false;
            }
            for steps in &mut self.effects[closure.0 as usize] {
                for step in steps {
                    let Action::Access { touch, locs, .. } = &mut step.action else { continue };
                    if outer == Touch::Write || *touch == Touch::Read {
                        locs.retain(|loc| !flow.heap.within(*loc).any(|around| covered.contains(&around)));
                    }
                }
            }
        }
        true
    }

    /// What only initialisers do to shared data is as if it had always been there.
    fn forget_initial(&mut self) {
        let mut initial = vec![true; self.effects.len()];
        let mut called: BTreeSet<InstId> = BTreeSet::new();
        let mut work: Vec<InstId> = Vec::new();
        for step in self.effects.iter().flatten().flatten() {
            match &step.action {
                Action::Call { callees, .. } => called.extend(callees),
                Action::Spawn { tasks, .. } => work.extend(tasks),
                _ => {}
            }
        }
        let count = self.effects.len() as u32;
        work.extend((0..count).map(InstId).filter(|inst| !called.contains(inst)));
        while let Some(inst) = work.pop() {
            if !std::mem::take(&mut initial[inst.0 as usize]) {
                continue;
            }
            for step in self.effects[inst.0 as usize].iter().flatten() {
                if let Action::Call { callees, times, .. } = &step.action
                    && *times != Order::Initially
                {
                    work.extend(callees);
                }
            }
        }
        for (effects, _) in self.effects.iter_mut().zip(initial).filter(|(_, initial)| *initial) {
            for steps in effects {
                steps.retain(|step| !matches!(step.action, Action::Access { .. }));
            }
        }
    }

    /// Finds reads that may not matter: see [`crate::world::values::revalidate`].
    fn mark_reads(&mut self, flow: &Flow<'_>) {
        let changing = crate::lower::sharing::share::changing(flow);
        crate::world::answers::join(self, &changing);
        let looking = doing(&self.effects, |step| match &step.action {
            Action::Access { touch: Touch::Read | Touch::Write, locs, .. } => {
                locs.iter().any(|loc| changing.contains(loc))
            }
            _ => false,
        });
        for (index, (cfg, effects)) in self.cfgs.iter().zip(&mut self.effects).enumerate() {
            let inst = InstId(index as u32);
            let shows = |block| flow.model_at(inst, block).is_some_and(|model| model.shows);
            crate::world::values::listened::leave_out(cfg, effects, (&changing, &looking), &shows);
        }
        let shared = |loc: &LocId| changing.contains(loc);
        let whole = |loc: &LocId| crate::world::actions::tags::whole(flow, *loc);
        let writers = self.writers(&changing);
        let idle = crate::world::values::inline_readers::idle(self);
        let first_looks = self.first_looks(flow, &changing, &writers, &idle);
        let waiting = self.waiting();
        self.leaving = crate::world::values::queued::looks(self, &changing);
        for index in 0..self.cfgs.len() {
            if flow.is_late_by_now() {
                self.left_out.insert(InstId(index as u32));
                self.effects[index].iter_mut().for_each(Vec::clear);
                continue;
            }
            let known = Known { flow, changing: &changing, writers: &writers, idle: &idle };
            let fates = known.ask(self, index, &first_looks, |bodies| {
                crate::world::values::revalidate::fates(bodies, &shared, &whole)
            });
            let leaving = |block| self.leaving.contains_key(&(InstId(index as u32), block));
            let (cfg, effects) = (&self.cfgs[index], &mut self.effects[index]);
            crate::world::values::revalidate::mark_reads(cfg, effects, fates.without(leaving), &waiting);
        }
    }

    /// Instances that begin to wait at a condition, directly or by calls.
    fn waiting(&self) -> BTreeSet<InstId> {
        doing(&self.effects, Step::enlists)
    }

    /// What instances look at before they do anything, where a branch on that can still avoid all that they change.
    fn first_looks(
        &self,
        flow: &Flow<'_>,
        changing: &BTreeSet<LocId>,
        writers: &BTreeSet<InstId>,
        idle: &BTreeSet<InstId>,
    ) -> BTreeMap<InstId, FirstLook> {
        let known = Known { flow, changing, writers, idle };
        let mut found: BTreeMap<InstId, FirstLook> = BTreeMap::new();
        for _ in 0..crate::world::values::inline_readers::MAX_DEPTH {
            let next = (0..self.effects.len()).filter_map(|index| {
                if flow.is_late_by_now() {
                    return None;
                }
                let looks = crate::world::values::inline_readers::first_look(self, index, &found);
                if looks.is_empty() {
                    return None;
                }
                let careful = known.ask(self, index, &found, |bodies| {
                    let Bodies { body, cfg, called, .. } = *bodies;
                    let presence = Presence { body, cfg, called };
                    let avoids = |(at, locs): &&(_, Vec<LocId>)| bodies.can_avoid(*at, locs);
                    let careful = || looks.iter().filter(avoids);
                    FirstLook {
                        locs: careful().flat_map(|(_, locs)| locs.clone()).collect(),
                        presence: careful().all(|(at, _)| bodies.asks_presence_at(&presence, *at)),
                    }
                });
                (!careful.locs.is_empty()).then_some((InstId(index as u32), careful))
            });
            found = next.collect();
        }
        found
    }

    /// Instances that change something that others may see, or start tasks, directly or by calls.
    fn writers(&self, changing: &BTreeSet<LocId>) -> BTreeSet<InstId> {
        doing(&self.effects, |step| match &step.action {
            Action::Access { touch, locs, .. } => {
                *touch != Touch::Read && !step.enlists() && locs.iter().any(|loc| changing.contains(loc))
            }
            Action::Spawn { .. } => true,
            _ => false,
        })
    }

    fn find_waits(&mut self, flow: &Flow<'_>) {
        // What is never reached does nothing.
        self.waits = doing(&self.effects, |step| matches!(step.action, Action::Source { .. }));
        for index in 0..self.cfgs.len() {
            let inst = InstId(index as u32);
            let waits = |block: usize| self.block_waits(inst, block);
            let goes_through = |round: &BTreeSet<usize>| {
                super::elements::goes_through_them(flow, inst, &self.cfgs[index], round, &waits)
            };
            let loops = self.event_loops(inst).into_iter();
            let finite: Vec<_> =
                loops.filter(|(_, round)| goes_through(round)).map(|(first, _)| (inst, first)).collect();
            self.finite.extend(finite);
        }
    }

    fn block_waits(&self, inst: InstId, block: usize) -> bool {
        self.effects[inst.0 as usize][block].iter().any(|step| match &step.action {
            Action::Source { .. } => true,
            Action::Call { callees, .. } => callees.iter().any(|callee| self.waits.contains(callee)),
            _ => false,
        })
    }

    /// The outermost loops of an instance that wait for the outside: their smallest block names them. A loop over the
    /// futures that are polled in turn is none, nor is one over so many elements.
    pub fn event_loops(&self, inst: InstId) -> Vec<(usize, &BTreeSet<usize>)> {
        if self.cfgs[inst.0 as usize].polls {
            return Vec::new();
        }
        self.cfgs[inst.0 as usize]
            .loops
            .iter()
            .filter(|blocks| blocks.iter().any(|block| self.block_waits(inst, *block)))
            .filter_map(|blocks| Some((*blocks.first()?, blocks)))
            .filter(|(first, _)| !self.finite.contains(&(inst, *first)))
            .collect()
    }

    /// Whether a block is in a loop, be its rounds runs of their own or not.
    pub fn is_in_loop(&self, inst: InstId, block: usize) -> bool {
        self.cfgs[inst.0 as usize].loop_of(block).is_some()
    }

    /// Whether a block is run again and again in one run of the instance. The rounds of a loop that waits are runs of their
    /// own.
    pub fn comes_again(&self, inst: InstId, block: usize) -> bool {
        let cfg = &self.cfgs[inst.0 as usize];
        let Some(around) = cfg.loop_of(block) else { return false };
        let mut round = cfg.loops[around].clone();
        let event =
            round.first().is_some_and(|first| self.event_loops(inst).iter().any(|(event, _)| event == first));
        round.pop_first();
        !event || components(&cfg.succs, &round).iter().any(|inner| inner.contains(&block))
    }

    /// The blocks of a visit. What comes after a loop whose rounds are events comes with the round that leaves it, up to where tasks or
    /// others are waited for: what comes then, they have done their part for.
    pub fn blocks(&self, (inst, phase, part): Visit) -> BTreeSet<usize> {
        let cfg = &self.cfgs[inst.0 as usize];
        let loops = self.event_loops(inst);
        let in_loop = |block: &usize| loops.iter().any(|(_, blocks)| blocks.contains(block));
        match part {
            Some(first) => {
                let Some((_, round)) = loops.iter().find(|(name, _)| *name == first) else {
                    return BTreeSet::new();
                };
                let left = round.iter().flat_map(|block| &cfg.succs[*block]).copied();
                let mut found =
                    reach(cfg, left.collect(), |block| in_loop(block) || self.joins(inst, *block));
                found.extend(round.iter().copied());
                found
            }
            None if phase == Phase::Event || loops.is_empty() => cfg.reached.clone(),
            None => reach(cfg, vec![0], in_loop),
        }
    }

    /// Whether a block waits for a task to end, or for others to have got somewhere.
    fn joins(&self, inst: InstId, block: usize) -> bool {
        let waits =
            |step: &Step| matches!(step.action, Action::Join { .. } | Action::Wait | Action::Expect { .. });
        self.effects[inst.0 as usize][block].iter().any(waits)
    }
}

/// The blocks that these lead to, with them, but for those that the way ends before.
fn reach(cfg: &Cfg, mut work: Vec<usize>, ends: impl Fn(&usize) -> bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    while let Some(block) = work.pop() {
        if cfg.reached.contains(&block) && !ends(&block) && found.insert(block) {
            work.extend(&cfg.succs[block]);
        }
    }
    found
}

/// What is asked about an instance when its reads are judged.
struct Known<'k, 'a> {
    flow: &'k Flow<'a>,
    changing: &'k BTreeSet<LocId>,
    writers: &'k BTreeSet<InstId>,
    idle: &'k BTreeSet<InstId>,
}

impl Known<'_, '_> {
    fn ask<T>(
        &self,
        facts: &Facts,
        index: usize,
        first_looks: &BTreeMap<InstId, FirstLook>,
        f: impl FnOnce(&Bodies<'_>) -> T,
    ) -> T {
        let inst = InstId(index as u32);
        let body = self.flow.body_of(inst);
        let changes = |step: &Step, of: Option<&[LocId]>| match &step.action {
            Action::Access { touch, locs, .. } => match touch {
                Touch::Read => false,
                Touch::Write => locs.iter().any(|loc| self.changing.contains(loc)),
                // Who looks again when it was woken goes by that.
                Touch::Update(class) if class == ENLIST => false,
                Touch::Update(_) => locs
                    .iter()
                    .any(|loc| of.map_or_else(|| self.changing.contains(loc), |of| of.contains(loc))),
            },
            Action::Call { callees, .. } => callees.iter().any(|callee| self.writers.contains(callee)),
            Action::Spawn { .. } => true,
            _ => false,
        };
        let called = |block: usize| Called::of(self.flow, inst, block);
        let cfg = &facts.cfgs[index];
        f(&Bodies {
            body,
            cfg,
            effects: &facts.effects[index],
            changes: &changes,
            called: &called,
            idle: self.idle,
            first_looks,
            implied: Implied::of(body, cfg),
        })
    }
}
