//! Keys that are handed out: an event makes a key, sends it to somebody, and only then puts something in under it. Whoever answers may
//! come first, and finds nothing under that key.
//!
//! Nobody else knows the key before it is sent, so that is where its entry is there for others. Such a place is an access of its own, a look
//! at the collection ([`Basis::hands_out`]).

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Basis, BasisId, Change};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{
    AggregateKind, BorrowKind, CallTarget, Callee, Local, Name, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, TyKind,
};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::Action;
use crate::world::callers::Callers;
use crate::world::points::points_to::InstId;
use crate::world::values::keys::Keys;
use crate::world::values::owned::Places;

/// Calls from where a key is made up to where it is put in, and down to where it is sent.
const MAX_CALLS: u32 = 6;

/// Places that hand keys out: by the block whose call does so, the variables whose keys they are, with what each such look is based on.
pub(crate) type HandedOut = BTreeMap<(InstId, usize), Vec<(usize, BasisId)>>;

impl Search<'_, '_> {
    /// Finds the places that hand out keys of entries that are made later. `own` says by access where its key is made; the bases are added
    /// to the list.
    pub(in crate::lower::sharing) fn handed_out(
        &self,
        keys: &Keys<'_, '_, '_>,
        own: &[(AccessAt, Option<Places>)],
        list: &mut Vec<Basis>,
    ) -> HandedOut {
        let changes = |at: &AccessAt, change: Change| {
            let basis = self.ids.get(at).and_then(|id| list.get(id.index()));
            basis.is_some_and(|basis| basis.keyed && basis.change == Some(change))
        };
        let given = own.iter().filter(|(at, made)| made.is_none() && changes(at, Change::Remove));
        let given: BTreeSet<usize> = given.flat_map(|(at, _)| self.vars(*at)).copied().collect();
        let mut found: BTreeSet<(InstId, usize, usize)> = BTreeSet::new();
        let callers = if given.is_empty() { Callers::default() } else { Callers::of(&self.facts.effects) };
        for (at, made) in own {
            let vars: Vec<usize> = self.vars(*at).intersection(&given).copied().collect();
            // Into an entry that was asked for it is put, too.
            let asked_for = |at: &AccessAt| {
                let basis = self.ids.get(at).and_then(|id| list.get(id.index()));
                let entry = self.flow.model_at(at.0, at.1).is_some_and(|model| model.checks);
                basis.is_some_and(|basis| basis.keyed && basis.change.is_none() && entry)
            };
            let (Some(made), true) = (made, changes(at, Change::Set) || asked_for(at)) else { continue };
            let [made] = made.iter().copied().collect::<Vec<_>>()[..] else { continue };
            if vars.is_empty() || self.flow.is_late() {
                continue;
            }
            let mut hands = HandsOut {
                search: self,
                keys,
                enter: callers.with([at.0]),
                captured: BTreeMap::new(),
                silent: BTreeSet::new(),
            };
            for (inst, block) in hands.before(*at, made) {
                found.extend(vars.iter().map(|var| (inst, block, *var)));
            }
        }
        let mut handed_out = HandedOut::new();
        for (inst, block, var) in found {
            let id = BasisId(list.len() as u32);
            list.push(Basis::handing_out());
            handed_out.entry((inst, block)).or_default().push((var, id));
        }
        handed_out
    }
}

/// What of a body is made of a key: locals, and parts of what it has captured.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    locals: BTreeSet<Local>,
    captured: BTreeSet<u32>,
}

impl Made {
    fn has(&self, place: &Place) -> bool {
        let part = place.projection.iter().find_map(|step| match step {
            Projection::Field(number, _) => Some(*number),
            _ => None,
        });
        self.locals.contains(&place.local)
            || place.local == Local(1) && part.is_some_and(|part| self.captured.contains(&part))
    }

    fn has_operand(&self, operand: &Operand) -> bool {
        operand.place().is_some_and(|place| self.has(place))
    }
}

/// Follows a key from where it is made.
struct HandsOut<'h, 's, 'a> {
    search: &'h Search<'s, 'a>,
    keys: &'h Keys<'h, 's, 'a>,
    /// Instances that make the entry, or call one that does.
    enter: BTreeSet<InstId>,
    /// By closure or future: the parts of what it captures that are made of the key.
    captured: BTreeMap<Name, BTreeSet<u32>>,
    /// Instances that do not send what they are given, or are being looked at.
    silent: BTreeSet<(InstId, Made)>,
}

impl HandsOut<'_, '_, '_> {
    /// The places at which a key that is made by the end of a block is handed out before the entry under it is made.
    fn before(&mut self, entry: AccessAt, made: (InstId, usize)) -> BTreeSet<(InstId, usize)> {
        let search = self.search;
        let mut open = vec![made];
        for _ in 0..MAX_CALLS {
            let mut callers = Vec::new();
            for (inst, block) in open {
                let Some(call) = call(search, inst, block) else { continue };
                let locals = BTreeSet::from([call.dest.local]);
                let made = self.made_of(inst, Made { locals, captured: BTreeSet::new() });
                let cfg = search.cfg(inst);
                let enters = |&block: &usize| {
                    let called = self.callees(inst, block);
                    (inst, block) == (entry.0, entry.1)
                        || called.iter().any(|callee| self.enter.contains(callee))
                };
                let entries: BTreeSet<usize> = cfg.reached.iter().copied().filter(enters).collect();
                if entries.is_empty() && made.locals.contains(&Local::RETURN) {
                    let calls = self.keys.fresh.callers(inst).into_iter().flatten();
                    callers.extend(calls.map(|(inst, block)| (*inst, *block as usize)));
                }
                // Another key is made where it begins anew.
                let mut succs = cfg.succs.clone();
                succs[block].clear();
                let leads = |from: usize| {
                    let after = reach(&succs, succs[from].iter().copied());
                    entries.iter().any(|entry| *entry != from && after.contains(entry))
                };
                let others = cfg.reached.iter().copied().filter(|block| !entries.contains(block));
                let found: BTreeSet<(InstId, usize)> = others
                    .filter(|block| leads(*block) && self.hands_out(inst, *block, &made, MAX_CALLS))
                    .map(|block| (inst, block))
                    .collect();
                if !entries.is_empty() {
                    return found;
                }
            }
            open = callers;
        }
        BTreeSet::new()
    }

    /// All that a body makes of parts that are made of the key.
    fn made_of(&mut self, inst: InstId, mut made: Made) -> Made {
        let body = self.search.flow.body_of(inst);
        loop {
            let before = made.clone();
            for &block in &self.search.cfg(inst).reached {
                let data = &body.blocks[block];
                for statement in &data.statements {
                    let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                    if let Rvalue::Aggregate(kind, operands) = rvalue
                        && let AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } =
                            &**kind
                    {
                        let parts = (0u32..).zip(operands).filter(|(_, operand)| made.has_operand(operand));
                        let parts: BTreeSet<u32> = parts.map(|(part, _)| part).collect();
                        self.captured.entry(body.clone()).or_default().extend(parts);
                    }
                    if rvalue.places().into_iter().any(|of| made.has(of)) {
                        made.locals.insert(place.local);
                    }
                    // What is put into something that is lent is put there.
                    if let Rvalue::Ref(BorrowKind::Mut, of) = rvalue
                        && made.locals.contains(&place.local)
                    {
                        made.locals.insert(of.local);
                    }
                }
                if let TerminatorKind::Call(call) = &data.terminator.kind
                    && call.args.iter().any(|arg| made.has_operand(arg))
                {
                    made.locals.insert(call.dest.local);
                    // What the program's own functions are lent besides may be given the key.
                    let is_own = self.search.flow.model_at(inst, block).is_none();
                    let lent = call.args.iter().filter(|_| is_own).filter_map(Operand::place).filter(|arg| {
                        let ty = self.search.flow.place_ty(inst, arg);
                        ty.is_some_and(|ty| matches!(&*ty, TyKind::Ref { mutable: true, .. }))
                    });
                    made.locals.extend(lent.map(|arg| arg.local));
                }
            }
            if made == before {
                return made;
            }
        }
    }

    /// Whether the call that ends a block sends something that is made of the key, or what it calls does.
    fn hands_out(&mut self, inst: InstId, block: usize, made: &Made, fuel: u32) -> bool {
        let search = self.search;
        let (Some(call), Some(fuel)) = (call(search, inst, block), fuel.checked_sub(1)) else { return false };
        // The first argument is whom it is sent to.
        let sends =
            search.facts.effects[inst.0 as usize][block].iter().any(|step| step.action == Action::Output);
        if sends {
            return call.args.iter().skip(1).any(|arg| made.has_operand(arg));
        }
        let direct = matches!(call.callee, Callee::Fn { .. });
        let given = (1u32..).zip(&call.args).filter(|(_, arg)| direct && made.has_operand(arg));
        let locals: BTreeSet<Local> = given.map(|(number, _)| Local(number)).collect();
        self.callees(inst, block).into_iter().any(|callee| {
            let captured = self.captured.get(&search.flow.body_of(callee).def).cloned().unwrap_or_default();
            let is_future = search.flow.body_of(callee).own_type().is_some();
            let locals = if is_future { BTreeSet::new() } else { locals.clone() };
            if locals.is_empty() && captured.is_empty() {
                return false;
            }
            let given = Made { locals, captured };
            if !self.silent.insert((callee, given.clone())) {
                return false;
            }
            let made = self.made_of(callee, given.clone());
            let mut blocks = search.cfg(callee).reached.iter();
            let sends = blocks.any(|block| self.hands_out(callee, *block, &made, fuel));
            if sends {
                self.silent.remove(&(callee, given));
            }
            sends
        })
    }

    fn callees(&self, inst: InstId, block: usize) -> Vec<InstId> {
        let info = self.search.flow.calls.get(&(inst, block as u32));
        info.into_iter().flat_map(|info| info.callees.iter().chain(&info.spawned)).copied().collect()
    }
}

/// The call that ends a block.
fn call<'a>(search: &Search<'_, 'a>, inst: InstId, block: usize) -> Option<&'a CallTarget> {
    match &search.flow.body_of(inst).blocks.get(block)?.terminator.kind {
        TerminatorKind::Call(call) => Some(call),
        _ => None,
    }
}
