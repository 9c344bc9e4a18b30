//! What callers of a library have to themselves: a value that a function takes, by itself or by exclusive reference, and that nobody can
//! clone, is that call's alone, with all that it leads to, as far as it was made of new parts.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::mir::{self, AggregateKind, Operand, Rvalue, StatementKind, TyKind};
use crate::world::api::{WORLD, is_shared_pointer, wrapped};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Unit, Units};

/// Types of which calls have a value to themselves, by number.
pub(crate) struct Exclusive {
    /// By instance: those that every event has which runs it.
    had: BTreeMap<InstId, BTreeSet<u32>>,
    /// What values of a type lead to.
    within: Vec<FxHashSet<LocId>>,
}

impl Exclusive {
    pub fn new(flow: &Flow<'_>, units: &Units) -> Exclusive {
        let mut shared = flow.code.implementors(|tr| tr.last() == "Clone");
        shared.extend(made_of_shared(flow));
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut exclusive = Exclusive { had: BTreeMap::new(), within: Vec::new() };
        for (unit, visits) in units.units.iter().zip(&units.visits) {
            let mut had = BTreeSet::new();
            for (argument, name) in arguments(flow, units, unit) {
                if shared.contains(name) {
                    continue;
                }
                let next = numbers.len() as u32;
                let number = *numbers.entry(name).or_insert(next);
                if number == next {
                    exclusive.within.push(FxHashSet::default());
                }
                had.insert(number);
                reach(flow, argument, &mut exclusive.within[number as usize]);
            }
            for (inst, ..) in visits {
                let known = exclusive.had.entry(*inst).or_insert_with(|| had.clone());
                known.retain(|number| had.contains(number));
            }
        }
        exclusive
    }

    /// Of which type a call has a value to itself that leads to all of these.
    pub fn owner(&self, inst: InstId, locs: &[LocId]) -> Option<u32> {
        let leads = |number: &&u32| locs.iter().all(|loc| self.within[**number as usize].contains(loc));
        self.had.get(&inst)?.iter().find(leads).copied()
    }
}

/// What callers give to an event, or to that of which it is a round, and have to themselves: with the name of its type.
fn arguments<'f>(flow: &'f Flow<'_>, units: &Units, unit: &Unit) -> Vec<(LocId, &'f str)> {
    let round_of = unit.parent.filter(|_| unit.part.is_some()).map(|parent| &units.units[parent.0]);
    let called = round_of.unwrap_or(unit);
    if !called.event || called.parent.is_some() || flow.world_of(called.inst) != WORLD {
        return Vec::new();
    }
    let body = flow.body_of(called.inst);
    let arguments =
        (1..=body.arg_count).filter_map(|number| Some((number, body.locals.get(number as usize)?)));
    let alone = arguments.filter(|(_, argument)| !is_shared_pointer(flow, &argument.ty));
    let found = alone.filter_map(|(number, argument)| {
        let local = flow.heap.find(&Root::Local(called.inst, number))?;
        Some((local, held_alone(flow, &argument.ty)?))
    });
    found.collect()
}

/// Adds what a value leads to.
fn reach(flow: &Flow<'_>, value: LocId, found: &mut FxHashSet<LocId>) {
    let mut work = vec![value];
    while let Some(loc) = work.pop() {
        if found.insert(loc) {
            let here = flow.heap.get(loc);
            work.extend(here.points_to.iter().chain(here.children.values()).copied());
        }
    }
}

/// The names of own types of which values are made somewhere around something that others have: a lease, a handle of a pool.
fn made_of_shared(flow: &Flow<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 0..flow.instances.len() {
        let inst = InstId(index as u32);
        let blocks = flow.body_of(inst).blocks.iter().filter(|block| !block.cleanup);
        for statement in blocks.flat_map(|block| &block.statements) {
            let StatementKind::Assign(_, Rvalue::Aggregate(kind, operands)) = &statement.kind else {
                continue;
            };
            let AggregateKind::Adt { path, .. } = &**kind else { continue };
            let locals = operands.iter().filter_map(Operand::place).map(|place| place.local.0);
            let mut parts = locals.filter_map(|local| flow.heap.find(&Root::Local(inst, local)));
            if parts.any(|part| leads_to_others(flow, part)) {
                found.insert(path.last().to_owned());
                // Of an enum, the type stands before the variant.
                found.extend(path.segments.iter().rev().nth(1).map(|segment| segment.name.to_string()));
            }
        }
    }
    found
}

/// Whether what is in a location points to something that was there before the call.
fn leads_to_others(flow: &Flow<'_>, loc: LocId) -> bool {
    let is_others = |loc: &LocId| {
        let root = &*flow.heap.get(*loc).root;
        matches!(root, Root::Outside(..) | Root::Alone(..) | Root::Static(..) | Root::ThreadLocal(_))
    };
    let mut seen = BTreeSet::from([loc]);
    let mut work = vec![loc];
    while let Some(at) = work.pop() {
        let here = flow.heap.get(at);
        if here.points_to.iter().any(is_others) {
            return true;
        }
        let below = here.points_to.iter().chain(here.children.values()).copied();
        work.extend(below.filter(|loc| seen.insert(*loc)));
    }
    false
}

/// The name of the own type of which this is a value, or an exclusive reference to one.
fn held_alone<'t>(flow: &Flow<'_>, ty: &'t TyKind) -> Option<&'t str> {
    match ty {
        TyKind::Ref { to, .. } => held_alone(flow, to),
        _ => match wrapped(flow, ty) {
            Some(inner) => held_alone(flow, inner),
            None => ty.as_path().filter(|_| flow.code.has_fields(ty)).map(mir::Path::last),
        },
    }
}
