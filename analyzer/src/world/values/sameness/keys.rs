//! Which element of a collection an access is about, as far as that is one that nobody else has the key of.

use crate::mir::{
    AggregateKind, BodyKind, CallTarget, Callee, Local, Operand, Rvalue, StatementKind, TerminatorKind,
};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::points::calls::CALL;
use crate::world::points::points_to::InstId;
use crate::world::units::Units;
use crate::world::values::fresh::Fresh;
use crate::world::values::owned::Places;
use crate::world::values::value::{Values, given};

/// Steps from an element to the call that found it.
const MAX_STEPS: u32 = 16;

/// How an event comes to have a key that no other one has.
#[derive(Clone, Copy)]
enum Key {
    /// It has made it.
    Made,
    /// It has taken it out of a collection.
    Taken,
}

/// Finds accesses to elements under keys that their event made for itself.
pub(crate) struct Keys<'k, 's, 'a> {
    search: &'k Search<'s, 'a>,
    pub fresh: Fresh<'k, 's, 'a>,
}

impl<'k, 's, 'a> Keys<'k, 's, 'a> {
    pub fn new(search: &'k Search<'s, 'a>, values: &'k Values<'s, 'a>, units: &Units) -> Self {
        Keys { search, fresh: Fresh::new(search, values, units) }
    }

    /// Where the key is made anew that an access is about, if it is.
    pub fn made(&self, at: AccessAt) -> Option<Places> {
        self.had(at, Key::Made)
    }

    /// Where the key is taken out of a collection that an access is about, if it is.
    pub fn taken(&self, at: AccessAt) -> Option<Places> {
        self.had(at, Key::Taken)
    }

    fn had(&self, (inst, block, number): AccessAt, how: Key) -> Option<Places> {
        let step = &self.search.facts.effects[inst.0 as usize][block][number];
        let data = &self.search.flow.body_of(inst).blocks[block];
        match (data.statements.get(step.at).map(|statement| &statement.kind), &data.terminator.kind) {
            (Some(StatementKind::Assign(place, rvalue)), _) => {
                let from = match rvalue {
                    _ if !place.projection.is_empty() => Some(place.local),
                    Rvalue::Use(operand) => operand.place().map(|place| place.local),
                    Rvalue::Discriminant(place) | Rvalue::CopyForDeref(place) | Rvalue::Ref(_, place) => {
                        Some(place.local)
                    }
                    _ => None,
                };
                self.element((inst, from?), how, MAX_STEPS)
            }
            (None, TerminatorKind::Call(call)) => match self.key_of(inst, block) {
                Some(key) => self.origin(inst, key, how),
                None => {
                    let first = call.args.first().and_then(Operand::place)?;
                    self.element((inst, first.local), how, MAX_STEPS)
                }
            },
            _ => None,
        }
    }

    /// Where a key comes from.
    fn origin(&self, inst: InstId, key: &Operand, how: Key) -> Option<Places> {
        match how {
            Key::Made => self.fresh.operand(inst, key),
            Key::Taken => self.fresh.taken(inst, key),
        }
    }

    /// The key that the call that ends a block is about.
    fn key_of(&self, inst: InstId, block: usize) -> Option<&Operand> {
        let at = self.search.flow.body_of(inst).blocks[block].statements.len();
        self.search.keyed(inst, block, at).map(|(_, key)| key)
    }

    /// Where the keys are made under which what a local refers to was found, if all are.
    fn element(&self, (inst, local): (InstId, Local), how: Key, fuel: u32) -> Option<Places> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.search.flow.body_of(inst);
        let mut made = Places::new();
        if (1..=body.arg_count).contains(&local.0) {
            made.extend(self.lent((inst, local.0 - 1), how, fuel)?);
        }
        let definitions = self.fresh.definitions(inst);
        for &(index, at) in definitions.get(local.0 as usize).into_iter().flatten() {
            if !self.search.cfg(inst).reached.contains(&index) {
                continue;
            }
            let block = &body.blocks[index];
            match (block.statements.get(at).map(|statement| &statement.kind), &block.terminator.kind) {
                (Some(StatementKind::Assign(place, rvalue)), _) if place.as_local() == Some(local) => {
                    let from = match rvalue {
                        Rvalue::Use(operand) => operand.place(),
                        Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) => Some(place),
                        _ => None,
                    };
                    made.extend(self.element((inst, from?.local), how, fuel)?);
                }
                (None, TerminatorKind::Call(call)) if call.dest.as_local() == Some(local) => {
                    made.extend(self.found((inst, index), call, how, fuel)?);
                }
                _ => {}
            }
        }
        Some(made).filter(|made| !made.is_empty())
    }

    /// Where the key is made under which the call that ends a block finds what it gives.
    fn found(
        &self,
        (inst, block): (InstId, usize),
        call: &CallTarget,
        how: Key,
        fuel: u32,
    ) -> Option<Places> {
        if let Some(key) = self.key_of(inst, block) {
            return self.origin(inst, key, how);
        }
        // What lends an element of what it is given lends that element.
        let info = self.search.flow.calls.get(&(inst, block as u32))?;
        let foreign = info.foreign.is_some() && info.callees.is_empty();
        let first = call.args.first().filter(|_| foreign).and_then(Operand::place)?;
        self.element((inst, first.local), how, fuel)
    }

    /// What a tuple is made of in this place.
    fn of_tuple(&self, inst: InstId, tuple: &Operand, number: u32) -> Option<&'s Operand> {
        let made = given(self.search.flow.body_of(inst), tuple.place()?.as_local()?)?;
        let Rvalue::Aggregate(kind, parts) = made else { return None };
        parts.get(number as usize).filter(|_| matches!(**kind, AggregateKind::Tuple))
    }

    /// Where the keys are made of the elements that all who call an instance lend it as this parameter.
    fn lent(&self, (inst, number): (InstId, u32), how: Key, fuel: u32) -> Option<Places> {
        let mut made = Places::new();
        for &(caller, block) in self.fresh.callers(inst)? {
            let flow = self.search.flow;
            let local = flow.calls.get(&(caller, block)).is_some_and(|info| info.foreign.is_none());
            let terminator = &flow.body_of(caller).blocks[block as usize].terminator.kind;
            let TerminatorKind::Call(call) = terminator else { return None };
            // What a library function finds in its first argument, it lends to the closure that it is given.
            if !local && number > 0 && matches!(flow.body_of(inst).kind, BodyKind::Closure { .. }) {
                let first = call.args.first().and_then(Operand::place)?;
                made.extend(self.element((caller, first.local), how, fuel)?);
                continue;
            }
            let arg = match &call.callee {
                Callee::Fn { path, .. } if CALL.contains(&&*path.plain()) => {
                    let captures = matches!(flow.body_of(inst).kind, BodyKind::Closure { .. });
                    self.of_tuple(caller, call.args.get(1)?, number.checked_sub(u32::from(captures))?)
                }
                Callee::Fn { .. } => call.args.get(number as usize),
                Callee::Value(_) => None,
            };
            let arg = arg.and_then(Operand::place).filter(|_| local);
            made.extend(self.element((caller, arg?.as_local()?), how, fuel)?);
        }
        Some(made)
    }
}
