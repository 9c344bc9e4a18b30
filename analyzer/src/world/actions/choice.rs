//! Which of several objects a pointer points to is one choice, made where the pointer is made: the lock that is taken
//! through it and the data that is then touched through it, or through its guard, are of one object.
//!
//! A *holder* is a location that keeps a pointer with several targets. What is copied, wrapped, unwrapped or locked keeps
//! the choice of what it is made of; every other holder has a choice of its own, which is a local of the procedure.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Flow as ModelFlow, TypeKind};

use crate::mir::{
    AggregateKind, Body, BorrowKind, CallTarget, Local, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind, TyKind,
};

use crate::world::actions::effects::{Action, Effects, Step};
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{any_part, parts};

/// Pointers are followed this far from an object to what is reached through it.
const HOPS: usize = 3;
/// A choice is handed on this often within a body.
const CHAIN: usize = 32;
/// Who may point to more objects than this tells nothing apart: each use says anew which one is meant.
const MANY: usize = 64;
/// Objects that lead to more locations than this, counted for each, are not told apart by them.
const MANY_REACHED: usize = 1 << 10;

/// Where a local is assigned to: block, statement (one past the last: the terminator), and what.
#[derive(Clone, Copy)]
struct Definition<'b> {
    block: usize,
    at: usize,
    place: &'b Place,
    value: Made<'b>,
}

#[derive(Clone, Copy)]
enum Made<'b> {
    Value(&'b Rvalue),
    Call(&'b CallTarget),
}

/// The choices of an instance.
pub(crate) struct Choices<'b> {
    pub(super) inst: InstId,
    arguments: u32,
    definitions: BTreeMap<Local, Vec<Definition<'b>>>,
    /// Locals that may change through a reference.
    lent: BTreeSet<Local>,
    /// The holder whose choice decides for a holder, if there is one.
    roots: BTreeMap<LocId, Option<LocId>>,
}

impl<'b> Choices<'b> {
    pub fn new(body: &'b Body, inst: InstId) -> Self {
        let mut definitions: BTreeMap<Local, Vec<Definition<'b>>> = BTreeMap::new();
        let mut lent = BTreeSet::new();
        for (block, data) in body.blocks.iter().enumerate().filter(|(_, data)| !data.cleanup) {
            for (at, statement) in data.statements.iter().enumerate() {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                match rvalue {
                    Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { mutable: true, place: of }
                        if !of.projection.contains(&Projection::Deref) =>
                    {
                        lent.insert(of.local);
                    }
                    _ => {}
                }
                let definition = Definition { block, at, place, value: Made::Value(rvalue) };
                definitions.entry(place.local).or_default().push(definition);
            }
            if let TerminatorKind::Call(call) = &data.terminator.kind {
                let (at, place) = (data.statements.len(), &call.dest);
                let definition = Definition { block, at, place, value: Made::Call(call) };
                definitions.entry(place.local).or_default().push(definition);
            }
        }
        Choices { inst, arguments: body.arg_count, definitions, lent, roots: BTreeMap::new() }
    }

    /// Whose choice says where a place is.
    pub fn of_place(&mut self, flow: &mut Flow<'_>, place: &Place) -> Option<LocId> {
        let holder = on_the_way(flow, self.inst, place)?;
        self.root(flow, holder, 0)
    }

    /// Whose choice says what an operand points to.
    pub fn of_operand(&mut self, flow: &mut Flow<'_>, operand: &Operand) -> Option<LocId> {
        let holder = holder(flow, self.inst, operand).or_else(|| lent(flow, self.inst, operand))?;
        self.root(flow, holder, 0)
    }

    /// Whose choice says what the future refers to that these locations point to.
    pub fn of_future(&mut self, flow: &mut Flow<'_>, pointers: &[LocId]) -> Option<LocId> {
        let holder = future(flow, pointers)?;
        self.root(flow, holder, 0)
    }

    /// Whose choice says what the future with a body is about that these locations point to: its first capture that may be one of
    /// several, the receiver, if it is that of a method.
    pub fn of_polled(&mut self, flow: &mut Flow<'_>, pointers: &[LocId]) -> Option<LocId> {
        let futures = flow.heap.behind(pointers);
        let [only] = futures[..] else { return None };
        let several = |loc: &LocId| flow.heap.get(*loc).points_to.len() > 1;
        let mut captures: Vec<(u32, LocId)> =
            flow.heap.get(only).children.iter().map(|(part, loc)| (part.field.1, *loc)).collect();
        captures.sort_unstable();
        let holder = std::iter::once(only).chain(captures.into_iter().map(|(_, loc)| loc)).find(several)?;
        self.root(flow, holder, 0)
    }

    /// Whose choice decides for a holder.
    pub(super) fn root(&mut self, flow: &mut Flow<'_>, holder: LocId, depth: usize) -> Option<LocId> {
        if let Some(known) = self.roots.get(&holder) {
            return *known;
        }
        if depth > CHAIN {
            return None;
        }
        // Whoever comes back here while this is found out has it as a choice of its own.
        self.roots.insert(holder, Some(holder));
        let root = self.find_root(flow, holder, depth);
        self.roots.insert(holder, root);
        root
    }

    fn find_root(&mut self, flow: &mut Flow<'_>, holder: LocId, depth: usize) -> Option<LocId> {
        if flow.heap.get(holder).ty.clone().is_some_and(|ty| holds_many(flow, &ty, 0)) {
            return None;
        }
        if flow.heap.get(holder).points_to.len() > MANY {
            flow.not_told_apart();
            return None;
        }
        let Root::Local(of, number) = *flow.heap.get(holder).root else { return Some(holder) };
        if of != self.inst {
            return Some(holder);
        }
        let local = Local(number);
        if self.lent.contains(&local) && !keeps_target(flow, self.inst, local) {
            return None;
        }
        let definitions = self.definitions_of(flow, holder);
        if (1..=self.arguments).contains(&number) {
            return Some(holder);
        }
        let [only] = definitions[..] else { return Some(holder) };
        let sources = self.sources_of(flow, holder, only);
        for source in sources.into_iter().filter(|source| *source != holder) {
            let Some(root) = self.root(flow, source, depth + 1) else { continue };
            let (from, to) = (flow.heap.targets(root), flow.heap.targets(holder));
            let parts = relate(flow, &from, &to);
            if parts.is_some_and(|parts| parts.iter().all(|part| part.len() == 1)) {
                return Some(root);
            }
        }
        Some(holder)
    }

    /// The assignments that may change a holder that is a local or a part of one.
    fn definitions_of(&self, flow: &mut Flow<'_>, holder: LocId) -> Vec<Definition<'b>> {
        let Root::Local(_, number) = *flow.heap.get(holder).root else { return Vec::new() };
        let mut found = Vec::new();
        for definition in self.definitions.get(&Local(number)).into_iter().flatten() {
            if definition.place.projection.contains(&Projection::Deref) {
                continue;
            }
            let (places, _) = flow.place(self.inst, definition.place);
            if flow.heap.within(holder).any(|around| places.contains(&around)) {
                found.push(*definition);
            }
        }
        found
    }

    /// Holders that a holder may be made of by an assignment to it, or to what it is a part of.
    fn sources_of(&self, flow: &mut Flow<'_>, holder: LocId, definition: Definition<'_>) -> Vec<LocId> {
        let (places, _) = flow.place(self.inst, definition.place);
        let path = path_from(flow, &places, holder).filter(|path| !path.is_empty());
        let mut found = path.map_or(Vec::new(), |path| self.parts_of(flow, definition, &path));
        found.extend(self.sources(flow, definition.value));
        found
    }

    /// The holders in the same part of what a value is made of.
    fn parts_of(&self, flow: &mut Flow<'_>, definition: Definition<'_>, path: &[Part]) -> Vec<LocId> {
        let inst = self.inst;
        let part = |flow: &mut Flow<'_>, operand: Option<&Operand>, path: &[Part]| {
            operand.and_then(|operand| part(flow, inst, operand, path)).into_iter().collect()
        };
        match definition.value {
            Made::Value(Rvalue::Aggregate(_, operands)) => {
                part(flow, operands.get(path[0].field.1 as usize), &path[1..])
            }
            Made::Value(Rvalue::Use(operand) | Rvalue::Wrap(operand, _) | Rvalue::Cast(_, operand, _)) => {
                part(flow, Some(operand), path)
            }
            Made::Call(call) => match captured(flow, inst, definition.block, path[0].field.1) {
                Some(argument) => part(flow, call.args.get(argument), &path[1..]),
                None if hands_on(flow, inst, definition.block) == Some(false) => {
                    part(flow, call.args.first(), path)
                }
                None => Vec::new(),
            },
            Made::Value(_) => Vec::new(),
        }
    }

    /// Holders that a value may be made of.
    fn sources(&self, flow: &mut Flow<'_>, value: Made<'_>) -> Vec<LocId> {
        let inst = self.inst;
        match value {
            Made::Value(Rvalue::Ref(_, place) | Rvalue::RawPtr { place, .. }) => {
                on_the_way(flow, inst, place).into_iter().collect()
            }
            Made::Value(Rvalue::CopyForDeref(place)) => {
                holder(flow, inst, &Operand::Copy(place.clone())).into_iter().collect()
            }
            Made::Value(rvalue) => {
                operands(rvalue).into_iter().filter_map(|operand| holder(flow, inst, operand)).collect()
            }
            Made::Call(call) => {
                let definition = self.definitions.get(&call.dest.local).into_iter().flatten();
                let is_call = |made: &&Definition<'_>| matches!(made.value, Made::Call(other) if std::ptr::eq(other, call));
                let Some(block) = definition.filter(is_call).map(|definition| definition.block).next() else {
                    return Vec::new();
                };
                let info = flow.calls.get(&(inst, block as u32));
                if info.is_some_and(|info| info.poll.is_some() && info.callees.is_empty()) {
                    let pointers = call.args.first().map_or(Vec::new(), |arg| flow.operand(inst, arg).0);
                    return future(flow, &pointers).into_iter().collect();
                }
                let Some(taken) = hands_on(flow, inst, block) else { return Vec::new() };
                let held = |flow: &mut Flow<'_>, arg| holder(flow, inst, arg).filter(|_| !taken);
                let args = call.args.iter();
                args.filter_map(|arg| held(flow, arg).or_else(|| lent(flow, inst, arg))).collect()
            }
        }
    }

    /// Adds to the actions where the choices that they depend on are made.
    pub fn insert(&mut self, flow: &mut Flow<'_>, effects: &mut Effects) {
        let mut known: BTreeSet<LocId> = BTreeSet::new();
        let mut work: Vec<LocId> = effects.iter().flatten().filter_map(|step| step.via).collect();
        for step in effects.iter().flatten() {
            if let Action::Call { given, .. } = &step.action {
                work.extend(given.iter().filter_map(|given| given.by));
            }
        }
        while let Some(holder) = work.pop() {
            if !known.insert(holder) {
                continue;
            }
            for definition in self.definitions_of(flow, holder) {
                let steps = &mut effects[definition.block];
                let made = steps.iter_mut().filter(|step| step.at == definition.at);
                let mut called = made.filter_map(|step| match &mut step.action {
                    Action::Call { scope: false, made, .. } => Some(made),
                    _ => None,
                });
                if let Some(made) = called.next() {
                    made.push(holder);
                    continue;
                }
                let mut from = None;
                for source in self.sources_of(flow, holder, definition) {
                    from = from.or(self.root(flow, source, 0));
                }
                work.extend(from);
                let among = self.given(flow, holder, definition.value);
                if among.is_empty() {
                    continue;
                }
                let action = Action::Choose { holder, among };
                let step = Step { via: from, ..Step::new(action, definition.at) };
                let steps = &mut effects[definition.block];
                let next = steps.iter().position(|step| step.at > definition.at).unwrap_or(steps.len());
                steps.insert(next, step);
            }
        }
    }

    /// Which of a holder's targets it may get by an assignment.
    fn given(&self, flow: &mut Flow<'_>, holder: LocId, value: Made<'_>) -> Vec<LocId> {
        let all = flow.heap.targets(holder);
        let given: BTreeSet<LocId> = match value {
            Made::Value(Rvalue::Ref(_, place) | Rvalue::RawPtr { place, .. }) => {
                flow.place(self.inst, place).0.into_iter().collect()
            }
            Made::Value(Rvalue::CopyForDeref(place)) => {
                let (locs, _) = flow.place(self.inst, place);
                flow.heap.behind(&locs).into_iter().collect()
            }
            Made::Value(rvalue) => {
                let mut found = BTreeSet::new();
                for operand in operands(rvalue) {
                    let (locs, _) = flow.operand(self.inst, operand);
                    locs.iter().for_each(|loc| pointees(flow, *loc, &mut found));
                }
                found
            }
            Made::Call(call) => {
                let mut given = BTreeSet::new();
                for arg in &call.args {
                    let (locs, _) = flow.operand(self.inst, arg);
                    locs.iter().for_each(|loc| pointees(flow, *loc, &mut given));
                }
                for _ in 0..HOPS {
                    let among: Vec<LocId> = all.iter().copied().filter(|loc| given.contains(loc)).collect();
                    if !among.is_empty() {
                        return among;
                    }
                    for loc in std::mem::take(&mut given) {
                        pointees(flow, loc, &mut given);
                    }
                }
                return all;
            }
        };
        all.into_iter().filter(|target| given.contains(target)).collect()
    }
}

/// The fields on the way from one of some locations to one in it.
fn path_from(flow: &Flow<'_>, from: &[LocId], to: LocId) -> Option<Vec<Part>> {
    let (mut path, mut at) = (Vec::new(), to);
    while !from.contains(&at) {
        let (parent, field) = flow.heap.get(at).parent.as_ref()?;
        path.push(field.clone());
        at = *parent;
    }
    path.reverse();
    Some(path)
}

/// The part of an operand's value, if it is a holder.
fn part(flow: &mut Flow<'_>, inst: InstId, operand: &Operand, path: &[Part]) -> Option<LocId> {
    if path.is_empty() {
        return holder(flow, inst, operand);
    }
    let (locs, _) = flow.place(inst, operand.place()?);
    let [mut at] = locs[..] else { return None };
    for field in path {
        at = *flow.heap.get(at).children.get(field)?;
    }
    (flow.heap.get(at).points_to.len() > 1).then_some(at)
}

/// The argument of a call of an `async fn` that the future has as its capture with this number.
fn captured(flow: &Flow<'_>, inst: InstId, block: usize, number: u32) -> Option<usize> {
    let info = flow.calls.get(&(inst, block as u32)).filter(|info| info.foreign.is_none())?;
    let body = flow.body_of(*info.callees.first()?);
    let statements = body.blocks.iter().filter(|block| !block.cleanup).flat_map(|block| &block.statements);
    let captures = statements.into_iter().find_map(|statement| match &statement.kind {
        StatementKind::Assign(place, Rvalue::Aggregate(kind, captures))
            if place.as_local() == Some(Local::RETURN)
                && matches!(&**kind, AggregateKind::Coroutine { .. }) =>
        {
            Some(captures)
        }
        _ => None,
    })?;
    let argument = captures.get(number as usize)?.place()?.as_local()?.0;
    (1..=body.arg_count).contains(&argument).then(|| argument as usize - 1)
}

/// The targets of all pointers in a location and its parts.
pub(crate) fn pointees(flow: &Flow<'_>, of: LocId, found: &mut BTreeSet<LocId>) {
    let mut work = vec![of];
    while let Some(at) = work.pop() {
        let loc = flow.heap.get(at);
        found.extend(loc.points_to.iter());
        work.extend(loc.children.values());
    }
}

fn operands(rvalue: &Rvalue) -> Vec<&Operand> {
    match rvalue {
        Rvalue::Use(operand)
        | Rvalue::Repeat(operand, _)
        | Rvalue::Cast(_, operand, _)
        | Rvalue::Wrap(operand, _) => vec![operand],
        Rvalue::Aggregate(_, operands) => operands.iter().collect(),
        _ => Vec::new(),
    }
}

/// The first pointer with several targets on the way to a place, when it is itself in one place.
fn on_the_way(flow: &mut Flow<'_>, inst: InstId, place: &Place) -> Option<LocId> {
    let mut seen: Vec<Vec<LocId>> = Vec::new();
    flow.place_steps(inst, place, &mut |locs, _| seen.push(locs.to_vec()));
    for locs in seen {
        let [only] = locs[..] else { return None };
        if flow.heap.get(only).points_to.len() > 1 {
            return Some(only);
        }
    }
    None
}

/// The holder that says what an operand points to.
fn holder(flow: &mut Flow<'_>, inst: InstId, operand: &Operand) -> Option<LocId> {
    let place = operand.place()?;
    if let Some(holder) = on_the_way(flow, inst, place) {
        return Some(holder);
    }
    let (locs, _) = flow.place(inst, place);
    let [only] = locs[..] else { return None };
    (flow.heap.get(only).points_to.len() > 1).then_some(only)
}

/// The pointer or guard that an operand is a reference to, as `deref` and `clone` take them, or another value that points to one
/// thing: an entry.
fn lent(flow: &mut Flow<'_>, inst: InstId, operand: &Operand) -> Option<LocId> {
    let (locs, _) = flow.operand(inst, operand);
    let lent = flow.heap.behind(&locs);
    let [only] = lent[..] else { return None };
    let location = flow.heap.get(only);
    let several = location.points_to.len() > 1;
    let ty = location.ty.clone().filter(|_| several)?;
    (is_pointer(flow, &ty, 0) || !holds_many(flow, &ty, 0)).then_some(only)
}

/// Whether a value is one pointer or guard, or none: an `Option` of one.
fn is_pointer(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    match flow.kind(ty) {
        Some(TypeKind::Pointer | TypeKind::Guard) => true,
        Some(TypeKind::Container) if depth < 4 => {
            let many = flow.model(ty).is_some_and(|model| model.many);
            !many && parts(ty).first().is_some_and(|part| is_pointer(flow, part, depth + 1))
        }
        _ => false,
    }
}

/// Whether a value of the type has any number of pointers in it: which one is meant, each use says anew.
fn holds_many(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    if matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle)) || depth > 8 {
        return false;
    }
    matches!(ty, TyKind::Slice(_) | TyKind::Array(..))
        || flow.model(ty).is_some_and(|model| model.many)
        || parts(ty).into_iter().any(|part| holds_many(flow, part, depth + 1))
}

/// The future that pointers point to, when it refers to several things.
fn future(flow: &Flow<'_>, pointers: &[LocId]) -> Option<LocId> {
    let futures = flow.heap.behind(pointers);
    let [only] = futures[..] else { return None };
    (flow.heap.get(only).points_to.len() > 1).then_some(only)
}

/// Whether what is lent of a local cannot make it point elsewhere: a guard is lent to get behind it, a future to be polled.
fn keeps_target(flow: &Flow<'_>, inst: InstId, local: Local) -> bool {
    let Some(ty) = flow.local_ty(inst, local.0) else { return false };
    if matches!(&*ty, TyKind::Coroutine(_)) {
        return true;
    }
    let guard = any_part(&ty, &mut |part| flow.kind(part) == Some(TypeKind::Guard));
    let pointer = any_part(&ty, &mut |part| flow.kind(part) == Some(TypeKind::Pointer));
    guard || !(pointer || flow.code.has_fields(&ty) || flow.code.types.param(&ty).is_some())
}

/// Whether a library function that is called at the end of a block gives back what its arguments point to, not what is stored
/// behind them; true: what it takes out of a pointer it is shown (`clone`).
fn hands_on(flow: &Flow<'_>, inst: InstId, block: usize) -> Option<bool> {
    let info = flow.calls.get(&(inst, block as u32))?;
    if info.foreign.is_none() || !info.callees.is_empty() {
        return None;
    }
    match flow.model_of(info).and_then(|model| model.flow) {
        None | Some(ModelFlow::Wrap | ModelFlow::Fill | ModelFlow::Within) => Some(false),
        Some(ModelFlow::Take) => Some(true),
        _ => None,
    }
}

/// Which of these locations each of some objects leads to, when each leads to some, and each location is led to: within the
/// object, or behind as few pointers as possible. Nothing where they lead to too much.
pub(crate) fn relate(flow: &Flow<'_>, objects: &[LocId], locs: &[LocId]) -> Option<Vec<Vec<LocId>>> {
    let mut reached: Vec<BTreeSet<LocId>> = objects.iter().map(|object| BTreeSet::from([*object])).collect();
    for _ in 0..=HOPS {
        let led = |tops: &BTreeSet<LocId>, loc: LocId| flow.heap.within(loc).any(|top| tops.contains(&top));
        let parts: Vec<Vec<LocId>> =
            reached.iter().map(|tops| locs.iter().copied().filter(|loc| led(tops, *loc)).collect()).collect();
        let all = locs.iter().all(|loc| parts.iter().any(|part| part.contains(loc)));
        if all && parts.iter().all(|part| !part.is_empty()) {
            return Some(parts);
        }
        let mut left = MANY_REACHED;
        for tops in &mut reached {
            let mut next = BTreeSet::new();
            for top in &*tops {
                pointees(flow, *top, &mut next);
                if next.len() > left {
                    flow.not_told_apart();
                    return None;
                }
            }
            left -= next.len();
            *tops = next;
        }
    }
    None
}
