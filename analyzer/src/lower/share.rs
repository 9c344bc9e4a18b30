//! Which locations are shared, and which shared variable each of them is.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;

use crate::ir::ELEMENTS;
use crate::mir::{StatementKind, TyKind, VarValue};

use super::by_hand::ByHand;
use super::effects::{Action, Touch, Tracked};
use super::flow::{Flow, InstId};
use super::heap::{LocId, Root, Value};
use super::types::parts;
use super::units::{Facts, Phase, UnitId, Units};

/// A shared variable to be.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub name: String,
    /// Values, when they are followed: least, greatest, first; `true` for `bool`.
    pub domain: Option<(i128, i128, i128, bool)>,
    /// Some operation reads and writes it at once, so that tracking needs a lock around the two.
    pub exchanged: bool,
    /// A truth value that is not followed, but is only ever changed to this one: a flag. Its changes commute.
    pub raised: Option<bool>,
    /// Some read of it is compared with a later one, and nobody may write in between when both agree.
    pub compared: bool,
}

/// All shared variables.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    pub vars: Vec<Shared>,
    by_loc: BTreeMap<LocId, usize>,
    /// The location that stands for each accessed one.
    represented: BTreeMap<LocId, LocId>,
}

#[derive(Default)]
struct Uses {
    units: BTreeSet<UnitId>,
    writes: bool,
    reads: bool,
    classes: BTreeSet<String>,
}

impl Sharing {
    /// `guards` names variables that events wait for: these are shared whoever else uses them.
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units, by_hand: &ByHand, guards: &[String]) -> Self {
        let changing = changing(flow);
        let mut outer: BTreeSet<LocId> = outer(flow, facts, units).intersection(&changing).copied().collect();
        outer.retain(|loc| !by_hand.contains_key(loc));
        let mut touched: BTreeMap<LocId, Uses> = BTreeMap::new();
        let mut tracked: BTreeMap<LocId, Vec<Option<Tracked>>> = BTreeMap::new();
        let mut compared: BTreeSet<LocId> = BTreeSet::new();
        for (number, visits) in units.visits.iter().enumerate() {
            for visit in visits {
                for block in facts.blocks(*visit) {
                    for step in &facts.effects[visit.0.0 as usize][block] {
                        let Action::Access { touch, locs, tracked: value, provisional, .. } = &step.action
                        else {
                            continue;
                        };
                        for loc in locs.iter().filter(|loc| outer.contains(loc)) {
                            if provisional.is_some_and(|read| read.agrees == Some(true)) {
                                compared.insert(*loc);
                            }
                            let uses = touched.entry(*loc).or_default();
                            uses.units.insert(thread(units, UnitId(number)));
                            match touch {
                                Touch::Read => uses.reads = true,
                                Touch::Write => uses.writes = true,
                                Touch::Update(class) => {
                                    uses.classes.insert(class.clone());
                                }
                            }
                            if *touch != Touch::Read || value.is_some() {
                                let values = tracked.entry(*loc).or_default();
                                if !values.contains(value) {
                                    values.push(value.clone());
                                }
                            }
                        }
                    }
                }
            }
        }
        let mut sharing = Sharing::default();
        let mut merged: BTreeMap<LocId, Uses> = BTreeMap::new();
        for (loc, uses) in &touched {
            let top = represent(flow, *loc, &touched);
            sharing.represented.insert(*loc, top);
            let all = merged.entry(top).or_default();
            all.units.extend(uses.units.iter().copied());
            all.writes |= uses.writes;
            all.reads |= uses.reads;
            all.classes.extend(uses.classes.iter().cloned());
        }
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        for (loc, uses) in merged {
            let many = |unit: &UnitId| {
                let unit = &units.units[unit.0];
                !unit.once && !unit.actor
            };
            let several = uses.units.len() > 1 || uses.units.iter().any(many);
            let kinds = uses.classes.len() + usize::from(uses.reads);
            let guards = super::told::is_wanted(guards, &name(flow, loc));
            let several = several || guards;
            if !several || !(uses.writes || (kinds > 1 && !uses.classes.is_empty())) {
                continue;
            }
            let element = if is_element(flow, loc) { ELEMENTS } else { "" };
            let name = unique(&mut names, name(flow, loc) + element);
            let values = tracked.get(&loc).map_or(&[][..], |values| values);
            let domain = if uses.classes.is_empty() { domain(flow, loc, values, guards) } else { None };
            let exchanged = values
                .iter()
                .any(|value| matches!(value, Some(Tracked::Set(_, Some(_)) | Tracked::Exchange(..))));
            sharing.by_loc.insert(loc, sharing.vars.len());
            let exchanged = exchanged && domain.is_some();
            let compared = compared.iter().any(|part| sharing.represented.get(part) == Some(&loc));
            let untracked = domain.is_none() && uses.classes.is_empty();
            let raised = if untracked { raised(flow, loc, values) } else { None };
            sharing.vars.push(Shared { name, domain, exchanged, raised, compared });
        }
        sharing
    }

    /// The shared variables among locations.
    pub fn among(&self, locs: &[LocId]) -> BTreeSet<usize> {
        locs.iter()
            .filter_map(|loc| self.represented.get(loc))
            .filter_map(|top| self.by_loc.get(top).copied())
            .collect()
    }
}

/// A loop that handles one thing after the other is part of the one task it is in.
fn thread(units: &Units, id: UnitId) -> UnitId {
    let unit = &units.units[id.0];
    match unit.parent {
        Some(parent) if unit.actor => parent,
        _ => id,
    }
}

/// Whether a location stands for all elements of something whose elements are each shared on their own: shards with a lock each,
/// an array of counters. What one lock around all of it protects is not.
fn is_element(flow: &Flow<'_>, loc: LocId) -> bool {
    let is_lock =
        |id: LocId| flow.heap.get(id).ty.as_ref().is_some_and(|ty| flow.kind(ty) == Some(TypeKind::Lock));
    let mut shared = false;
    flow.heap.within(loc).any(|id| {
        let Some(ty) = &flow.heap.get(id).ty else { return false };
        let many = match &**ty {
            TyKind::Slice(_) | TyKind::Array(..) => true,
            other => flow.model(other).is_some_and(|model| model.many),
        };
        let own = has_shared(flow, ty, 0);
        shared |= own && !many;
        many && (own || shared) && !flow.heap.within(id).any(is_lock)
    })
}

/// Whether a value of the type has something in itself that is shared.
fn has_shared(flow: &Flow<'_>, ty: &TyKind, depth: u32) -> bool {
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell) => true,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => false,
        _ => depth < 6 && parts(ty).into_iter().any(|part| has_shared(flow, part, depth + 1)),
    }
}

/// Appends a number to a name that was there before.
pub(super) fn unique(names: &mut BTreeMap<String, u32>, name: String) -> String {
    let count = names.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}#{count}") }
}

/// What outlives a single event: statics, what is handed in from outside, what was made on the straight line of `main`, and
/// all that can be reached from there. What an event makes for itself is only shared when it is stored in one of these.
fn outer(flow: &Flow<'_>, facts: &Facts, units: &Units) -> BTreeSet<LocId> {
    let once: BTreeSet<InstId> = units
        .visits
        .iter()
        .flatten()
        .filter(|(_, phase, part)| *phase == Phase::Once && part.is_none())
        .map(|(inst, _, _)| *inst)
        .collect();
    let mut outer = BTreeSet::new();
    let mut work = Vec::new();
    for id in flow.heap.ids() {
        let loc = flow.heap.get(id);
        if loc.parent.is_some() {
            continue;
        }
        let is = match &loc.root {
            Root::Static(..) | Root::Outside(..) => true,
            Root::ThreadLocal(_) => false,
            Root::Heap(inst, block) => {
                once.contains(inst) && facts.cfgs[inst.0 as usize].loop_of(*block as usize).is_none()
            }
            Root::Local(inst, local) => once.contains(inst) && !lives_in_loop(flow, facts, *inst, *local),
        };
        if is {
            work.push(id);
        }
    }
    let of_a_thread = |id: LocId| {
        let ty = flow.heap.get(id).ty.as_ref();
        ty.and_then(|ty| flow.model(ty.peel_refs())).is_some_and(|model| model.thread_local)
    };
    while let Some(id) = work.pop() {
        if !outer.contains(&id) && !of_a_thread(id) {
            outer.insert(id);
            let loc = flow.heap.get(id);
            work.extend(loc.children.values());
            work.extend(loc.points_to.iter());
        }
    }
    outer
}

/// What can change while it is shared: all inside of locks, cells and atomics, and all that is reached from there. Anything
/// else is changed through exclusive references only, and Rust sees to it that nobody else has one meanwhile.
pub(super) fn changing(flow: &Flow<'_>) -> BTreeSet<LocId> {
    let mut work: Vec<LocId> = flow
        .heap
        .ids()
        .filter(|id| {
            let loc = flow.heap.get(*id);
            matches!(loc.root, Root::Static(..))
                || loc.ty.as_ref().is_none_or(|ty| may_change_shared(flow, ty, 8))
        })
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = work.pop() {
        if found.insert(id) {
            let loc = flow.heap.get(id);
            work.extend(loc.children.values());
            work.extend(loc.points_to.iter());
        }
    }
    found
}

/// Whether a value of this type has, in itself, something that changes through `&`; true when the type does not tell.
fn may_change_shared(flow: &Flow<'_>, ty: &TyKind, fuel: u32) -> bool {
    if fuel == 0 {
        return true;
    }
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic) => return true,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => return false,
        Some(TypeKind::Container) | None => {}
    }
    match ty {
        TyKind::Prim(_) | TyKind::Never => false,
        // Fields have locations of their own.
        TyKind::Closure { .. } | TyKind::Coroutine(_) | TyKind::Tuple(_) => false,
        _ if flow.code.types.param(ty).is_some() => true,
        TyKind::Path(path) if path.qself.is_none() => {
            !flow.code.has_fields(ty)
                && super::types::parts(ty).into_iter().any(|part| may_change_shared(flow, part, fuel - 1))
        }
        TyKind::Slice(of) | TyKind::Array(of, _) => may_change_shared(flow, of, fuel - 1),
        TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
        _ => true,
    }
}

fn lives_in_loop(flow: &Flow<'_>, facts: &Facts, inst: InstId, local: u32) -> bool {
    let body = flow.body_of(inst);
    let cfg = &facts.cfgs[inst.0 as usize];
    body.blocks.iter().enumerate().any(|(index, block)| {
        cfg.loop_of(index).is_some()
            && block.statements.iter().any(
                |statement| matches!(statement.kind, StatementKind::StorageLive(live) if live.0 == local),
            )
    })
}

/// The topmost accessed location above this one that is still within the same lock, cell or atomic.
fn represent(flow: &Flow<'_>, loc: LocId, touched: &BTreeMap<LocId, Uses>) -> LocId {
    let mut top = loc;
    let mut at = loc;
    loop {
        let here = flow.heap.get(at);
        if touched.contains_key(&at) {
            top = at;
        }
        let boundary = here.ty.as_ref().is_some_and(|ty| {
            matches!(flow.kind(ty), Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic))
        });
        match &here.parent {
            Some((parent, _)) if !boundary => at = *parent,
            _ => return top,
        }
    }
}

/// The range of values, when all that is stored is known and small. What events wait for is false at first, unless it is
/// known to be otherwise.
fn domain(
    flow: &Flow<'_>,
    loc: LocId,
    values: &[Option<Tracked>],
    guards: bool,
) -> Option<(i128, i128, i128, bool)> {
    let location = flow.heap.get(loc);
    // What is only ever taken is there at first.
    let taken = values.contains(&Some(Tracked::Taken));
    if taken {
        let only = values.iter().all(|value| matches!(value, Some(Tracked::Taken | Tracked::Absent)));
        return only.then_some((0, 1, 1, true));
    }
    let mut initial = location.values.iter().filter_map(|value| match value {
        Value::Initial(value) => Some(Some(*value)),
        Value::Unknown => Some(None),
        _ => None,
    });
    let first = initial.next().or(guards.then_some(Some(0)))??;
    if initial.next().is_some() {
        return None;
    }
    let (mut lo, mut hi) = (first, first);
    for value in values {
        let (a, b) = match value.as_ref()? {
            Tracked::Get(_) | Tracked::Absent => continue,
            Tracked::Taken => return None,
            Tracked::Set(value, _) => (*value, *value),
            Tracked::Exchange(values, _) => (*values)?,
        };
        lo = lo.min(a).min(b);
        hi = hi.max(a).max(b);
    }
    let bool = is_bool(flow, loc);
    if bool { Some((0, 1, first, true)) } else { (lo >= -1 && hi <= 8).then_some((lo, hi + 1, first, false)) }
}

/// Whether a location holds a truth value, be it in a lock, a cell or an atomic.
fn is_bool(flow: &Flow<'_>, loc: LocId) -> bool {
    use crate::mir::{Prim, TyKind};
    flow.heap.get(loc).ty.as_ref().is_some_and(|ty| {
        super::types::any_part(ty, &mut |ty| matches!(ty, TyKind::Prim(Prim::Bool)))
            || ty.to_string().ends_with("Bool")
    })
}

/// The truth value that is all that is ever stored.
fn raised(flow: &Flow<'_>, loc: LocId, values: &[Option<Tracked>]) -> Option<bool> {
    let mut stored = None;
    for value in values {
        match value.as_ref()? {
            Tracked::Get(_) | Tracked::Absent => {}
            Tracked::Set(value @ (0 | 1), None) if stored.is_none_or(|stored| stored == *value) => {
                stored = Some(*value);
            }
            _ => return None,
        }
    }
    let stored = stored.filter(|_| is_bool(flow, loc))?;
    Some(stored != 0)
}

/// The location in the user's words: `state.sessions`, `COUNTER`.
pub(super) fn name(flow: &Flow<'_>, loc: LocId) -> String {
    let mut fields = Vec::new();
    let mut at = loc;
    while let Some((parent, field)) = &flow.heap.get(at).parent {
        fields.push(field_name(flow, *parent, field));
        at = *parent;
    }
    let mut name = root_name(flow, at);
    for field in fields.iter().rev() {
        name.push('.');
        name.push_str(field);
    }
    name
}

fn root_name(flow: &Flow<'_>, loc: LocId) -> String {
    let location = flow.heap.get(loc);
    match &location.root {
        Root::Static(name, ..) | Root::ThreadLocal(name) => {
            name.rsplit("::").next().unwrap_or(name).to_owned()
        }
        Root::Outside(path, _) => {
            // The path starts with a type, which is what `self` is.
            let fields = path.rfind(['>', ':']).map_or(&**path, |end| &path[end + 1..]);
            let fields = fields.replace('*', "");
            fields.find('.').map_or_else(|| "self".to_owned(), |dot| format!("self{}", &fields[dot..]))
        }
        Root::Local(inst, local) => {
            let decl = flow.body_of(*inst).locals.get(*local as usize);
            decl.and_then(|decl| decl.name.as_ref())
                .map_or_else(|| format!("_{local}"), |name| name.to_string())
        }
        Root::Heap(inst, _) => pointer_name(flow, *inst, loc)
            .or_else(|| any_name(flow, loc))
            .unwrap_or_else(|| "self".to_owned()),
    }
}

/// A variable of an instance, or a field of one, that points to the location.
fn pointer_name(flow: &Flow<'_>, inst: InstId, loc: LocId) -> Option<String> {
    let body = flow.body_of(inst);
    body.vars.iter().find_map(|var| {
        let VarValue::Place(place) = &var.value else { return None };
        let local = place.as_local()?;
        let id = flow.heap.find(&Root::Local(inst, local.0))?;
        if var.name.starts_with("__") || matches!(&*var.name, "self" | "result" | "iter" | "val") {
            return None;
        }
        field_pointing(flow, id, loc, 2).map(|path| format!("{}{path}", var.name))
    })
}

/// The path from a location to the field that points to another: empty, `.quotes`.
fn field_pointing(flow: &Flow<'_>, from: LocId, to: LocId, depth: u32) -> Option<String> {
    let loc = flow.heap.get(from);
    if loc.points_to.contains(&to) {
        return Some(String::new());
    }
    if depth == 0 {
        return None;
    }
    loc.children.iter().find_map(|(field, child)| {
        let rest = field_pointing(flow, *child, to, depth - 1)?;
        Some(format!(".{}{rest}", field_name(flow, from, field)))
    })
}

/// What a field is called; its number if nobody says.
pub(super) fn field_name(flow: &Flow<'_>, of: LocId, (variant, number): &super::heap::Field) -> String {
    // The struct may be in a wrapper: both have the same location.
    let mut known = None;
    if let Some(ty) = &flow.heap.get(of).ty {
        super::types::any_part(ty, &mut |ty| {
            let Some(path) = ty.as_path() else { return false };
            let named = |name: String| flow.code.fields.get(&(name, variant.to_string(), *number));
            known = named(path.plain()).or_else(|| named(path.last().to_owned()));
            known.is_some()
        });
    }
    known.map_or_else(|| number.to_string(), |name| name.to_string())
}

fn any_name(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    (0..flow.instances.len() as u32).find_map(|inst| pointer_name(flow, InstId(inst), loc))
}
