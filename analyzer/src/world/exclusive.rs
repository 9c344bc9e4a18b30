//! What callers of a library have to themselves: a value that a function takes, by itself or by exclusive reference, and that nobody can
//! clone, is that call's alone, with all that it leads to, as far as it was made of new parts.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::On;
use rustc_hash::FxHashSet;

use crate::mir::{AggregateKind, Path, Rvalue, StatementKind, Ty, TyKind};
use crate::world::api::{WORLD, field_of, is_shared_pointer, wrapped};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::any_part;
use crate::world::units::{Unit, Units};

/// Types of which calls have a value to themselves, by number, and those of which they borrow one meanwhile.
pub(crate) struct Exclusive {
    had: Having,
    borrowed: Having,
}

/// Which calls have values of which types.
#[derive(Default)]
struct Having {
    /// By instance: those that every event has which runs it.
    by: BTreeMap<InstId, BTreeSet<u32>>,
    /// What values of a type lead to.
    within: BTreeMap<u32, FxHashSet<LocId>>,
}

impl Exclusive {
    pub fn new(flow: &Flow<'_>, units: &Units) -> Exclusive {
        let cloned = cloned(flow);
        let mut shared = shared_fields(flow, &cloned, |inst, _| !is_copying(flow, inst));
        let made = made(flow);
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut exclusive = Exclusive { had: Having::default(), borrowed: Having::default() };
        for (unit, visits) in units.units.iter().zip(&units.visits) {
            for borrows in [false, true] {
                let having = if borrows { &mut exclusive.borrowed } else { &mut exclusive.had };
                let mut had = BTreeSet::new();
                for (argument, name) in arguments(flow, units, unit, borrows) {
                    // A copy of an actor is another one.
                    if cloned.contains(&name) && (borrows || unit.on != On::Actor) {
                        continue;
                    }
                    let next = numbers.len() as u32;
                    let number = *numbers.entry(name.clone()).or_insert(next);
                    had.insert(number);
                    if !made.contains(&name) {
                        lend(flow, (argument, &name), &mut shared);
                    }
                    reach(flow, argument, &shared, having.within.entry(number).or_default());
                }
                for (inst, ..) in visits {
                    let known = having.by.entry(*inst).or_insert_with(|| had.clone());
                    known.retain(|number| had.contains(number));
                }
            }
        }
        exclusive
    }

    /// Of which type a call has a value to itself that leads to all of these, as far as it has not made them.
    pub fn owner(&self, flow: &Flow<'_>, inst: InstId, locs: &[LocId]) -> Option<u32> {
        self.had.leading(flow, inst, locs)
    }

    /// Of which type a call borrows a value, which nobody has to themselves meanwhile, that leads to all of these.
    pub fn lent(&self, flow: &Flow<'_>, inst: InstId, locs: &[LocId]) -> Option<u32> {
        self.borrowed.leading(flow, inst, locs)
    }
}

impl Having {
    fn leading(&self, flow: &Flow<'_>, inst: InstId, locs: &[LocId]) -> Option<u32> {
        let has = |inst: &InstId, number: &u32| self.by.get(inst).is_some_and(|had| had.contains(number));
        let made = |loc: &LocId, number: &u32| match &*flow.heap.get(*loc).root {
            Root::Heap(maker, _) | Root::Local(maker, _) => has(maker, number),
            _ => false,
        };
        let leads = |loc: &LocId, number: &u32| self.within.get(number).is_some_and(|all| all.contains(loc));
        let all = |number: &&u32| {
            let is_own = |loc: &LocId| leads(loc, number) || made(loc, number);
            locs.iter().any(|loc| leads(loc, number)) && locs.iter().all(is_own)
        };
        self.by.get(&inst)?.iter().find(all).copied()
    }
}

/// What runs for an event, or for that of which it is a round, if callers have called it: of an `async fn`, its body.
pub(crate) fn run_for_callers(flow: &Flow<'_>, units: &Units, unit: &Unit) -> Option<InstId> {
    let round_of = unit.parent.filter(|_| unit.part.is_some()).map(|parent| &units.units[parent.0]);
    let run = round_of.unwrap_or(unit);
    (run.event && run.parent.is_none() && flow.world_of(run.inst) == WORLD).then_some(run.inst)
}

/// What callers give to an event, or to that of which it is a round, and have to themselves, or lend by shared reference: with the path
/// of its type.
fn arguments(flow: &Flow<'_>, units: &Units, unit: &Unit, borrows: bool) -> Vec<(LocId, String)> {
    let Some(run) = run_for_callers(flow, units, unit) else { return Vec::new() };
    let called = flow.function_of(run);
    let body = flow.body_of(called);
    let arguments =
        (1..=body.arg_count).filter_map(|number| Some((number, body.locals.get(number as usize)?)));
    let fits = |ty: &TyKind| match borrows {
        true => matches!(ty, TyKind::Ref { mutable: false, .. }),
        false => !is_shared_pointer(flow, ty),
    };
    let fitting = arguments.filter(|(_, argument)| fits(&argument.ty));
    let found = fitting.filter_map(|(number, argument)| {
        let local = flow.heap.find(&Root::Local(called, number))?;
        Some((local, held_alone(flow, &argument.ty)?))
    });
    found.collect()
}

/// The paths of the types of which some function of the code makes values.
fn made(flow: &Flow<'_>) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for body in &flow.code.bodies {
        for statement in body.blocks.iter().flat_map(|block| &block.statements) {
            if let StatementKind::Assign(made, Rvalue::Aggregate(..)) = &statement.kind
                && let Some(local) = made.as_local()
                && let Some(path) = body.locals.get(local.0 as usize).and_then(|decl| decl.ty.as_path())
            {
                found.insert(path.plain());
            }
        }
    }
    found
}

/// Notes the shared pointers in what only callers make: what these lead to, others may have, too.
fn lend(flow: &Flow<'_>, (value, name): (LocId, &str), shared: &mut SharedFields) {
    let targets = flow.heap.get(value).points_to.iter().copied();
    let is_meant = |loc: &LocId| type_of(flow, *loc).as_deref() == Some(name);
    for loc in std::iter::once(value).chain(targets).filter(is_meant) {
        let is_lent =
            |child: &LocId| flow.heap.get(*child).ty.as_deref().is_some_and(|ty| is_shared_pointer(flow, ty));
        let lent = flow.heap.get(loc).children.iter().filter(|(_, child)| is_lent(child));
        shared.entry(name.to_owned()).or_default().extend(lent.map(|(part, _)| part.field.1));
    }
}

/// Adds what a value leads to, but for what was put into it and is somebody else's.
pub(crate) fn reach(flow: &Flow<'_>, value: LocId, shared: &SharedFields, found: &mut FxHashSet<LocId>) {
    let mut work = vec![value];
    while let Some(loc) = work.pop() {
        if !found.insert(loc) {
            continue;
        }
        let here = flow.heap.get(loc);
        let is_others = |child: &LocId| {
            let field = field_of(flow, *child);
            field.is_some_and(|(name, field)| shared.get(&name).is_some_and(|but| but.contains(&field.1)))
        };
        let fields = here.children.values().filter(|child| !is_others(child));
        work.extend(fields.chain(&here.points_to).copied());
    }
}

/// The path of the type of a location, if it is one of the analysed crates.
fn type_of(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    let ty = flow.heap.get(loc).ty.as_deref().filter(|ty| flow.code.has_fields(ty))?;
    Some(ty.as_path()?.plain())
}

/// The paths of types that can be cloned, as what is cloned is called.
pub(crate) fn cloned(flow: &Flow<'_>) -> BTreeSet<String> {
    let of = flow.code.bodies.iter().filter(|body| {
        let tr = body.path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
        tr.is_some_and(|tr| tr.last() == "Clone")
    });
    of.filter_map(|body| Some(body.inputs().next()?.peel_refs().as_path()?.plain())).collect()
}

/// Whether an instance is of `Clone::clone`: what can be cloned counts only where a copy is another one.
fn is_copying(flow: &Flow<'_>, inst: InstId) -> bool {
    let tr = flow.body_of(inst).path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    tr.is_some_and(|tr| tr.last() == "Clone")
}

/// By path of a type: its fields, by number, into which something is put somewhere that others have, as into a lease, or a handle of a pool. Of
/// types of which only callers make values, the shared pointers.
pub(crate) type SharedFields = BTreeMap<String, BTreeSet<u32>>;

/// Such fields of all types; `counts` says of which instances that make values of a type it is asked what they put in.
pub(crate) fn shared_fields(
    flow: &Flow<'_>,
    cloned: &BTreeSet<String>,
    counts: impl Fn(InstId, &str) -> bool,
) -> SharedFields {
    let mut parts: Vec<(String, u32, LocId)> = Vec::new();
    let mut shared = SharedFields::new();
    let made = made(flow);
    let mut unmade: BTreeMap<String, Vec<LocId>> = BTreeMap::new();
    for index in 0..flow.instances.len() {
        let inst = InstId(index as u32);
        let body = flow.body_of(inst);
        let blocks = body.blocks.iter().filter(|block| !block.cleanup);
        for statement in blocks.flat_map(|block| &block.statements) {
            let StatementKind::Assign(made, Rvalue::Aggregate(kind, operands)) = &statement.kind else {
                continue;
            };
            let AggregateKind::Adt { .. } = &**kind else { continue };
            let ty = flow.place_ty(inst, made).filter(|ty| flow.code.has_fields(ty));
            let Some(path) = ty.and_then(|ty| Some(ty.as_path()?.plain())) else { continue };
            if !counts(inst, &path) {
                continue;
            }
            for (number, operand) in operands.iter().enumerate() {
                let local = operand.place().map(|place| Root::Local(inst, place.local.0));
                if let Some(part) = local.and_then(|local| flow.heap.find(&local)) {
                    parts.push((path.clone(), number as u32, part));
                }
            }
            shared.entry(path).or_default();
        }
    }
    for value in flow.heap.ids() {
        let name = type_of(flow, value).filter(|name| !shared.contains_key(name) && !made.contains(name));
        if let Some(name) = name {
            unmade.entry(name).or_default().push(value);
        }
    }
    for (name, values) in unmade {
        shared.entry(name.clone()).or_default();
        values.into_iter().for_each(|value| lend(flow, (value, &name), &mut shared));
    }
    let others = parts.iter().filter(|(.., part)| leads_to_others(flow, *part, (&shared, cloned)));
    let others: Vec<(String, u32)> = others.map(|(path, number, _)| (path.clone(), *number)).collect();
    for (path, number) in others {
        shared.entry(path).or_default().insert(number);
    }
    shared
}

/// Whether what is in a location points to something that was there before the call. Values of the crates' own types have fields of
/// their own to say so, unless they can be cloned; what comes into them later does not count here.
fn leads_to_others(flow: &Flow<'_>, loc: LocId, (made, cloned): (&SharedFields, &BTreeSet<String>)) -> bool {
    let is_others = |loc: &LocId| {
        let root = &*flow.heap.get(*loc).root;
        matches!(root, Root::Outside(..) | Root::Alone(..) | Root::Static(..) | Root::ThreadLocal(_))
    };
    let says_so = |name: String| made.contains_key(&name) && !cloned.contains(&name);
    let mut seen = BTreeSet::from([loc]);
    let mut work = vec![loc];
    while let Some(at) = work.pop() {
        if type_of(flow, at).is_some_and(says_so) {
            continue;
        }
        let here = flow.heap.get(at);
        if here.points_to.iter().any(is_others) && !here.ty.as_ref().is_some_and(|ty| owns_all(flow, ty)) {
            return true;
        }
        // A lock has the location of what it guards, whose fields are told apart there.
        let fields = here.children.values().filter(|child| {
            let field = field_of(flow, **child);
            !field.is_some_and(|(name, _)| says_so(name))
        });
        let below = here.points_to.iter().chain(fields).copied();
        work.extend(below.filter(|loc| seen.insert(*loc)));
    }
    false
}

/// Whether all pointers in values of a type are the only ones to where they lead: boxes, be they of what only callers know.
fn owns_all(flow: &Flow<'_>, ty: &Ty) -> bool {
    let mut owns = false;
    let shares = any_part(ty, &mut |part| {
        owns |= flow.model(part).is_some_and(|model| model.unique);
        matches!(part, TyKind::Ref { .. } | TyKind::Ptr { .. }) || is_shared_pointer(flow, part)
    });
    owns && !shares
}

/// The path of the own type of which this is a value, or an exclusive reference to one.
fn held_alone(flow: &Flow<'_>, ty: &TyKind) -> Option<String> {
    match ty {
        TyKind::Ref { to, .. } => held_alone(flow, to),
        _ => match wrapped(flow, ty) {
            Some(inner) => held_alone(flow, inner),
            None => ty.as_path().filter(|_| flow.code.has_fields(ty)).map(Path::plain),
        },
    }
}
