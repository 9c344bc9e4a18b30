//! Accesses that Rust's borrow rules keep everybody else away from.
//!
//! What is no lock, cell or atomic changes through exclusive references only. So two accesses to it overlap only where one of them gets there
//! through something that lends to one after the other: a lock's guard, a cell's borrow, a type that nothing is known of, a raw pointer. An access
//! that goes through none of these from where its function, or a caller, owns or borrows a value, is nobody else's business while it
//! lasts, whatever objects the analysis takes for one. Whoever has the value next got it from a place that others share, and the
//! accesses to that place say so.

use robust_models::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{
    AggregateKind, BodyKind, BorrowKind, CallTarget, Callee, ConstKind, Local, Name, Operand, Path, Place,
    Projection, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::actions::effects::{Action, Effects};
use crate::world::actions::guards::holds_guard;
use crate::world::points::calls::CALL;
use crate::world::points::drops::Dropped;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::types::parts;

/// Types that consist of types are looked into this deep; what is deeper may be anything.
const MAX_DEPTH: u32 = 8;

/// Forgets such accesses.
pub(crate) fn forget(flow: &Flow<'_>, effects: &mut [Effects]) {
    let mut lending = Lending::new(flow);
    for inst in (0..flow.instances.len() as u32).map(InstId) {
        if flow.is_late() {
            return;
        }
        lending.instance(inst);
    }
    lending.captured();
    lending.spread();
    for (index, blocks) in effects.iter_mut().enumerate() {
        let inst = InstId(index as u32);
        for (block, steps) in blocks.iter_mut().enumerate() {
            steps.retain(|step| {
                let (inst, block, at) = step.from.unwrap_or((inst, block, step.at));
                !matches!(step.action, Action::Access { .. }) || !lending.is_plain(inst, block, at)
            });
        }
    }
}

/// A local of an instance, or all that is captured by one closure.
type Node = u32;

/// Which locals may have a reference in them that leads through a lock, a cell, or nobody knows what.
struct Lending<'f, 'a> {
    flow: &'f Flow<'a>,
    types: Types<'f, 'a>,
    /// By instance: the node of its first local.
    first: Vec<Node>,
    /// Where references go from where.
    edges: Vec<(Node, Node)>,
    lent: Vec<bool>,
    /// By closure or future: the node of what is captured, and the instances that run it.
    captures: FxHashMap<Name, (Node, Vec<InstId>)>,
}

impl<'f, 'a> Lending<'f, 'a> {
    fn new(flow: &'f Flow<'a>) -> Self {
        let mut next = 0;
        let mut first = Vec::with_capacity(flow.instances.len());
        let mut captures: FxHashMap<Name, (Node, Vec<InstId>)> = FxHashMap::default();
        for inst in (0..flow.instances.len() as u32).map(InstId) {
            first.push(next);
            next += flow.body_of(inst).locals.len() as Node;
        }
        for inst in (0..flow.instances.len() as u32).map(InstId) {
            let body = flow.body_of(inst);
            if matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }) {
                let (_, run) = captures.entry(body.def.clone()).or_insert_with(|| {
                    next += 1;
                    (next - 1, Vec::new())
                });
                run.push(inst);
            }
        }
        let types = Types { flow, known: FxHashMap::default() };
        Lending { flow, types, first, edges: Vec::new(), lent: vec![false; next as usize], captures }
    }

    fn node(&self, inst: InstId, local: Local) -> Node {
        self.first[inst.0 as usize] + local.0
    }

    /// What is in the second local may come from the first; what is put behind the second ends up behind the first.
    fn edge(&mut self, from: (InstId, Local), to: (InstId, Local)) {
        let Some(ty) = self.flow.local_ty(to.0, to.1.0) else { return };
        if !self.types.of(&ty).refers {
            return;
        }
        let (source, target) = (self.node(from.0, from.1), self.node(to.0, to.1));
        self.edges.push((source, target));
        if self.types.of(&ty).nested {
            self.edges.push((target, source));
        }
    }

    fn seed(&mut self, inst: InstId, local: Local) {
        if self.flow.local_ty(inst, local.0).is_none_or(|ty| self.types.of(&ty).refers) {
            let node = self.node(inst, local);
            self.lent[node as usize] = true;
        }
    }

    fn instance(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind {
                    self.assign(inst, place, rvalue);
                }
            }
            let info = self.flow.calls.get(&(inst, index as u32));
            match &block.terminator.kind {
                TerminatorKind::Call(call) => self.call(inst, call, info),
                TerminatorKind::Drop { place, .. } => self.dropped(inst, &[place.local], info),
                _ => {}
            }
        }
    }

    fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue) {
        let places = rvalue.places();
        if places.iter().any(|of| self.is_raw(inst, of)) || is_opaque(rvalue) {
            self.seed(inst, place.local);
        }
        if let Rvalue::Aggregate(kind, operands) = rvalue
            && let AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } = &**kind
            && let Some((hub, _)) = self.captures.get(body)
        {
            let hub = *hub;
            for of in operands.iter().filter_map(Operand::place) {
                let node = self.node(inst, of.local);
                self.edges.push((node, hub));
                if self.flow.local_ty(inst, of.local.0).is_none_or(|ty| self.types.of(&ty).nested) {
                    self.edges.push((hub, node));
                }
            }
        }
        for of in places {
            self.edge((inst, of.local), (inst, place.local));
            let borrowed = matches!(rvalue, Rvalue::Ref(BorrowKind::Mut, _) | Rvalue::RawPtr { .. });
            if borrowed && self.flow.place_ty(inst, of).is_none_or(|ty| self.types.of(&ty).refers) {
                self.edges.push((self.node(inst, place.local), self.node(inst, of.local)));
            }
        }
    }

    fn call(&mut self, inst: InstId, call: &CallTarget, info: Option<&CallInfo>) {
        let args: Vec<Option<Local>> =
            call.args.iter().map(|arg| arg.place().map(|place| place.local)).collect();
        let given: Vec<Local> = args.iter().flatten().copied().collect();
        let dest = call.dest.local;
        let Some(info) = info else { return self.seed(inst, dest) };
        self.dropped(inst, &given, Some(info));
        let bodies: Vec<InstId> = info.callees.iter().chain(&info.spawned).copied().collect();
        for &callee in &bodies {
            self.edge((callee, Local::RETURN), (inst, dest));
        }
        if info.poll.is_some() {
            if info.callees.is_empty() {
                self.seed(inst, dest);
            }
            return;
        }
        if info.foreign.is_none() {
            if bodies.is_empty() {
                self.seed(inst, dest);
            }
            bodies.into_iter().for_each(|callee| self.pass(inst, call, &args, callee));
            return;
        }
        let sees_through = self.sees_through(inst, &call.args);
        for &arg in &given {
            self.edge((inst, arg), (inst, dest));
        }
        let params = bodies.iter().flat_map(|callee| {
            let body = self.flow.body_of(*callee);
            let from = if matches!(body.kind, BodyKind::Fn | BodyKind::Constructor) { 1 } else { 2 };
            (from..=body.arg_count).map(|param| (*callee, Local(param)))
        });
        for (callee, param) in params.collect::<Vec<_>>() {
            given.iter().for_each(|arg| self.edge((inst, *arg), (callee, param)));
            if !sees_through {
                self.seed(callee, param);
            }
        }
        // One argument may be put behind another.
        for &holder in &given {
            if self.flow.local_ty(inst, holder.0).is_some_and(|ty| self.types.of(&ty).nested) {
                given.iter().for_each(|arg| self.edge((inst, *arg), (inst, holder)));
                if !sees_through {
                    self.seed(inst, holder);
                }
            }
        }
        if !sees_through {
            self.seed(inst, dest);
        }
    }

    /// What a call gives to a body.
    fn pass(&mut self, inst: InstId, call: &CallTarget, args: &[Option<Local>], callee: InstId) {
        let body = self.flow.body_of(callee);
        let is_fn = matches!(body.kind, BodyKind::Fn | BodyKind::Constructor);
        let in_tuple = matches!(&call.callee, Callee::Fn { path, .. } if CALL.contains(&&*path.plain()));
        for param in 1..=body.arg_count {
            match (is_fn && !in_tuple, args.get(param as usize - 1)) {
                (true, Some(arg)) => {
                    arg.iter().for_each(|arg| self.edge((inst, *arg), (callee, Local(param))));
                }
                (true, None) => {}
                // What is captured comes from where the closure is made.
                (false, _) if param == 1 && !is_fn => {}
                (false, _) => {
                    args.iter().flatten().for_each(|arg| self.edge((inst, *arg), (callee, Local(param))));
                }
            }
        }
    }

    /// What runs as values are dropped runs on these.
    fn dropped(&mut self, inst: InstId, values: &[Local], info: Option<&CallInfo>) {
        for dropped in info.into_iter().flat_map(|info| &info.drops) {
            if let Dropped::Run(run, _) = dropped {
                values.iter().for_each(|value| self.edge((inst, *value), (*run, Local(1))));
            }
        }
    }

    /// What is captured is in the first local of what runs.
    fn captured(&mut self) {
        for (hub, run) in self.captures.values() {
            for inst in run {
                let own = self.first[inst.0 as usize] + 1;
                self.edges.extend([(*hub, own), (own, *hub)]);
            }
        }
    }

    fn spread(&mut self) {
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut work: Vec<Node> =
            (0..self.lent.len() as Node).filter(|node| self.lent[*node as usize]).collect();
        while let Some(node) = work.pop() {
            let from = self.edges.partition_point(|(source, _)| *source < node);
            for &(_, target) in self.edges[from..].iter().take_while(|(source, _)| *source == node) {
                if !std::mem::replace(&mut self.lent[target as usize], true) {
                    work.push(target);
                }
            }
        }
    }

    /// Whether nobody else can access what the accesses of a statement are to, meanwhile.
    fn is_plain(&self, inst: InstId, block: usize, at: usize) -> bool {
        let data = &self.flow.body_of(inst).blocks[block];
        if let Some(statement) = data.statements.get(at) {
            return match &statement.kind {
                StatementKind::Assign(place, rvalue) => {
                    self.are_plain(inst, rvalue.places().into_iter().chain([place]))
                }
                _ => false,
            };
        }
        match &data.terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => self.are_plain(inst, on.place()),
            TerminatorKind::Call(call) => {
                let places = || call.args.iter().filter_map(Operand::place).chain([&call.dest]);
                let is_foreign = |info: &CallInfo| info.foreign.is_some() || info.poll.is_some();
                let foreign = self.flow.calls.get(&(inst, block as u32)).is_none_or(is_foreign);
                self.are_plain(inst, places())
                    && (!foreign
                        || call
                            .args
                            .iter()
                            .filter_map(Operand::place)
                            .all(|place| !self.is_lent(inst, place))
                            && self.sees_through(inst, &call.args))
            }
            _ => false,
        }
    }

    fn is_lent(&self, inst: InstId, place: &Place) -> bool {
        self.lent[self.node(inst, place.local) as usize]
    }

    /// Whether some of these places are behind references, and none of them behind a lock.
    fn are_plain<'p>(&self, inst: InstId, places: impl IntoIterator<Item = &'p Place>) -> bool {
        let behind = places.into_iter().filter(|place| place.projection.contains(&Projection::Deref));
        behind.into_iter().all(|place| !self.is_lent(inst, place) && !self.is_raw(inst, place))
    }

    /// Whether a raw pointer that was stored somewhere is on the way to a place.
    fn is_raw(&self, inst: InstId, place: &Place) -> bool {
        let derefs =
            place.projection.iter().enumerate().skip(1).filter(|(_, step)| **step == Projection::Deref);
        derefs.into_iter().any(|(number, _)| {
            let holder = Place { local: place.local, projection: place.projection[..number].to_vec() };
            self.flow.place_ty(inst, &holder).is_none_or(|ty| matches!(&*ty, TyKind::Ptr { .. }))
        })
    }

    /// Whether a function without a body, given these, gets at nothing but what they own, or borrow.
    fn sees_through(&self, inst: InstId, args: &[Operand]) -> bool {
        args.iter().all(|arg| match arg {
            Operand::Copy(place) | Operand::Move(place) => {
                self.flow.place_ty(inst, place).is_some_and(|ty| self.types.is_plain(&ty))
            }
            Operand::Const(constant) => match &constant.kind {
                ConstKind::Alloc { .. } | ConstKind::Named(_) | ConstKind::Other(_) => {
                    constant.ty.as_ref().is_some_and(|ty| self.types.is_plain(ty))
                }
                _ => true,
            },
        })
    }
}

/// Whether what comes of this is a reference to nobody knows what.
fn is_opaque(rvalue: &Rvalue) -> bool {
    let constant = |operand: &Operand| {
        let Operand::Const(constant) = operand else { return false };
        constant.ty.as_ref().is_some_and(|ty| matches!(&**ty, TyKind::Ptr { .. }))
    };
    match rvalue {
        Rvalue::ThreadLocalRef(_) | Rvalue::RawPtr { .. } => true,
        // A box is a raw pointer to the compiler, too.
        Rvalue::Cast(_, operand, to) if matches!(&**to, TyKind::Ptr { .. }) => match operand.place() {
            Some(place) => !place.projection.iter().any(|step| matches!(step, Projection::Field(..))),
            None => true,
        },
        _ => rvalue.operands().into_iter().any(constant),
    }
}

/// What is known of a type.
#[derive(Clone, Copy)]
struct Kind {
    /// There may be references in its values.
    refers: bool,
    /// References may be put behind those in its values.
    nested: bool,
}

/// What types say about references.
struct Types<'f, 'a> {
    flow: &'f Flow<'a>,
    known: FxHashMap<Ty, Kind>,
}

impl Types<'_, '_> {
    fn of(&mut self, ty: &Ty) -> Kind {
        if let Some(known) = self.known.get(ty) {
            return *known;
        }
        let kind = Kind {
            refers: self.refers(ty, &mut FxHashSet::default(), 0),
            nested: self.nested(ty, &mut FxHashSet::default(), 0),
        };
        self.known.insert(ty.clone(), kind);
        kind
    }

    /// Whether there may be references in a value of this type.
    fn refers(&self, ty: &Ty, seen: &mut FxHashSet<Ty>, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        if !seen.insert(ty.clone()) {
            return false;
        }
        match &**ty {
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
            _ => {
                self.owned(ty).is_none_or(|owned| owned.iter().any(|part| self.refers(part, seen, depth + 1)))
            }
        }
    }

    /// Whether there may be references in what references in a value of this type lead to.
    fn nested(&self, ty: &Ty, seen: &mut FxHashSet<Ty>, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        if !seen.insert(ty.clone()) {
            return false;
        }
        match &**ty {
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => {
                self.refers(to, &mut FxHashSet::default(), depth + 1)
            }
            // A view borrows what its type arguments are of.
            TyKind::Path(path) if self.owned(ty).is_none() && self.is_view(path) => {
                parts(ty).into_iter().any(|part| self.refers(part, &mut FxHashSet::default(), depth + 1))
            }
            _ => {
                self.owned(ty).is_none_or(|owned| owned.iter().any(|part| self.nested(part, seen, depth + 1)))
            }
        }
    }

    /// The types of what a value of this type owns; none where that is not known, or there are references among it.
    fn owned(&self, ty: &TyKind) -> Option<Vec<Ty>> {
        let parts = || parts(ty).into_iter().cloned().collect();
        match ty {
            TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => Some(parts()),
            TyKind::Path(path) if path.qself.is_none() && self.flow.code.types.param(ty).is_none() => {
                match self.flow.model(ty) {
                    Some(model) if model.raw || model.borrow.is_some() || model.holds_pointer => None,
                    Some(model) => match model.kind {
                        Some(TypeKind::Nothing) => Some(Vec::new()),
                        Some(TypeKind::Guard) => None,
                        Some(TypeKind::Pointer) if !self.is_shared_or_unique(path, model) => None,
                        Some(_) => Some(parts()),
                        None => parts().is_empty().then(Vec::new),
                    },
                    None if self.flow.code.is_own(ty) => {
                        let fields = self.flow.field_types(ty)?;
                        Some(fields.into_iter().map(|(_, field)| field).collect())
                    }
                    // A library knows no types of its users, nor references to them, but those that it is told.
                    None => parts().is_empty().then(Vec::new),
                }
            }
            _ => None,
        }
    }

    /// Whether a pointer leads to what is had without asking whether others have it.
    fn is_shared_or_unique(&self, path: &Path, model: &robust_models::Type) -> bool {
        model.unique || model.counted || model.borrow.is_none() && self.is_complete(path)
    }

    /// Whether a type belongs to a library of which all types are known that change through `&`, or lead into those.
    fn is_complete(&self, path: &Path) -> bool {
        path.segments.first().is_some_and(|first| self.flow.models.is_complete(&first.name))
    }

    /// Whether a type that is not known to own what it is made of is known to borrow it.
    fn is_view(&self, path: &Path) -> bool {
        path.qself.is_none() && self.is_complete(path)
    }

    /// Whether a function that is given a value of this type, or a reference to one, gets at nothing but what that owns, or borrows, without
    /// asking a lock, a cell, or nobody knows whom.
    fn is_plain(&self, ty: &Ty) -> bool {
        let ty = match &**ty {
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => return self.is_plain(to),
            TyKind::Slice(of) | TyKind::Array(of, _) => return self.leads_nowhere(of, 0),
            TyKind::Tuple(parts) => return parts.iter().all(|part| self.leads_nowhere(part, 0)),
            TyKind::Path(path) if path.qself.is_none() => {
                let known = match self.flow.model(ty) {
                    Some(model) => match model.kind {
                        Some(TypeKind::Container) => !model.raw,
                        Some(TypeKind::Pointer) => !model.raw && self.is_shared_or_unique(path, model),
                        Some(TypeKind::Nothing) => true,
                        Some(_) => false,
                        None => self.is_complete(path) && !model.thread_local,
                    },
                    None => self.flow.code.is_own(ty) || self.is_complete(path),
                };
                if !known {
                    return false;
                }
                ty
            }
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => return true,
            TyKind::Closure { .. } | TyKind::Coroutine(_) => return true,
            _ => return false,
        };
        !holds_guard(self.flow, ty) && parts(ty).into_iter().all(|part| self.leads_nowhere(part, 0))
    }

    /// Whether a value of this type, in another one, is no guard, nor like one: what is seen through it would be what it guards.
    fn leads_nowhere(&self, ty: &Ty, depth: u32) -> bool {
        if depth > MAX_DEPTH || holds_guard(self.flow, ty) {
            return false;
        }
        let inside = || parts(ty).into_iter().all(|part| self.leads_nowhere(part, depth + 1));
        match &**ty {
            TyKind::Path(path) if path.qself.is_none() => match self.flow.model(ty) {
                Some(model) => match model.kind {
                    Some(TypeKind::Pointer) => self.is_shared_or_unique(path, model) && inside(),
                    // What is in there is had by asking it.
                    Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic) => true,
                    Some(_) => inside(),
                    None => self.is_complete(path) && inside(),
                },
                None => {
                    self.flow.code.is_own(ty) || parts(ty).is_empty() || self.is_complete(path) && inside()
                }
            },
            TyKind::Ptr { .. } | TyKind::Other(_) => false,
            TyKind::Dyn(_) | TyKind::Impl(_) => true,
            _ => inside(),
        }
    }
}
