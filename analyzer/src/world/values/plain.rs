//! Accesses that Rust's borrow rules keep everybody else away from.
//!
//! What is no lock, cell or atomic changes through exclusive references only. So two accesses to it overlap only where one of them gets there
//! through something that lends to one after the other: a lock's guard, a cell's borrow, a type that nothing is known of, a raw pointer. An access
//! that goes through none of these from where its function, or a caller, owns or borrows a value, is nobody else's business while it
//! lasts, whatever objects the analysis takes for one. Whoever has the value next got it from a place that others share, and the
//! accesses to that place say so.

use rustc_hash::FxHashMap;

use crate::mir::{
    AggregateKind, BodyKind, BorrowKind, CallTarget, Callee, ConstKind, Local, Name, Operand, Place,
    Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use crate::world::actions::effects::{Action, Effects};
use crate::world::points::calls::CALL;
use crate::world::points::drops::Dropped;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::values::references::Types;

/// Forgets such accesses; whether there was time to find all of them.
pub(crate) fn forget(flow: &Flow<'_>, effects: &mut [Effects]) -> bool {
    let mut lending = Lending::new(flow);
    for inst in (0..flow.instances.len() as u32).map(InstId) {
        if flow.is_late() {
            return false;
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
    true
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
        let types = Types::new(flow);
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
pub(super) fn is_opaque(rvalue: &Rvalue) -> bool {
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
