//! Accesses that Rust's borrow rules keep everybody else away from.
//!
//! What is no lock, cell or atomic changes through exclusive references only. So two accesses to it overlap only where one of them gets there
//! through something that lends to one after the other: a lock's guard, a cell's borrow, a type that nothing is known of, a raw pointer. An access
//! that goes through none of these from where its function, or a caller, owns or borrows a value, is nobody else's business while it
//! lasts, whatever objects the analysis takes for one. Whoever has the value next got it from a place that others share, and the
//! accesses to that place say so.

use robust_models::{Delivery, Flow as ModelFlow, TypeKind};

use crate::mir::{
    AggregateKind, BodyKind, BorrowKind, CallTarget, ConstKind, Local, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::actions::effects::{Effects, Touch};
use crate::world::actions::holders;
use crate::world::points::aggregates::comparison;
use crate::world::points::drops::Dropped;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::values::references::Types;
use crate::world::values::spread::{self, Node, Passed, Reached, Spread};

/// Forgets such accesses; whether there was time to find all of them.
pub(crate) fn forget(flow: &Flow<'_>, effects: &mut [Effects]) -> bool {
    let mut lending = Lending::new(flow);
    for inst in (0..flow.instances.len() as u32).map(InstId) {
        if flow.is_late() {
            return false;
        }
        lending.instance(inst);
    }
    lending.spread.run();
    // Others change how many hold something whoever has it borrowed.
    let is_number = |locs: &[LocId]| locs.iter().all(|loc| holders::is_number(flow, *loc));
    spread::forget(effects, |touch, locs, at| !is_number(locs) && lending.is_plain(touch, at));
    true
}

/// Which locals may have a reference in them that leads through a lock, a cell, or nobody knows what, and whether by one that is exclusive.
struct Lending<'f, 'a> {
    flow: &'f Flow<'a>,
    types: Types<'f, 'a>,
    /// Marks what may.
    spread: Spread,
}

impl<'f, 'a> Lending<'f, 'a> {
    fn new(flow: &'f Flow<'a>) -> Self {
        Lending { flow, types: Types::new(flow), spread: Spread::new(flow) }
    }

    fn node(&self, inst: InstId, local: Local) -> Node {
        self.spread.node(inst, local)
    }

    /// What is in the second local may come from the first; what is put behind the second ends up behind the first.
    fn edge(&mut self, from: (InstId, Local), to: (InstId, Local)) {
        let Some(ty) = self.flow.local_ty(to.0, to.1.0) else { return };
        if !self.types.of(&ty).refers {
            return;
        }
        let (source, target) = (self.node(from.0, from.1), self.node(to.0, to.1));
        self.spread.edge(source, target);
        if self.types.of(&ty).nested {
            self.spread.edge(target, source);
        }
    }

    fn seed(&mut self, inst: InstId, local: Local) {
        if self.flow.local_ty(inst, local.0).is_none_or(|ty| self.types.of(&ty).refers) {
            let node = self.node(inst, local);
            self.spread.mark(node);
        }
    }

    /// The same of what a library gives: what there are no references in, it gives for good.
    fn seed_lent(&mut self, inst: InstId, local: Local) {
        if self.flow.local_ty(inst, local.0).is_none_or(|ty| self.types.may_be_lent(&ty)) {
            self.seed(inst, local);
        }
    }

    fn instance(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        for local in (0..body.locals.len() as u32).map(Local) {
            if self.flow.local_ty(inst, local.0).is_some_and(|ty| self.types.is_to_read(&ty)) {
                self.spread.is_to_read(self.node(inst, local));
            }
        }
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
            && let Some(hub) = self.spread.captured_by(body)
        {
            for of in operands.iter().filter_map(Operand::place) {
                let node = self.node(inst, of.local);
                self.spread.edge(node, hub);
                if self.flow.local_ty(inst, of.local.0).is_none_or(|ty| self.types.of(&ty).nested) {
                    self.spread.edge(hub, node);
                }
            }
        }
        for of in places {
            self.edge((inst, of.local), (inst, place.local));
            // Nobody copies a box but the compiler, on the way to what is in it: that is where it was.
            let is_unique = |ty: Ty| self.flow.model(&ty).is_some_and(|model| model.unique);
            if matches!(rvalue, Rvalue::Use(Operand::Copy(_)))
                && self.flow.place_ty(inst, of).is_some_and(is_unique)
            {
                self.spread.edge(self.node(inst, of.local), self.node(inst, place.local));
            }
            let borrowed = matches!(rvalue, Rvalue::Ref(BorrowKind::Mut, _) | Rvalue::RawPtr { .. });
            if borrowed && self.flow.place_ty(inst, of).is_none_or(|ty| self.types.of(&ty).refers) {
                self.spread.edge(self.node(inst, place.local), self.node(inst, of.local));
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
                given.iter().for_each(|arg| self.edge((inst, *arg), (inst, dest)));
                self.seed_lent(inst, dest);
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
        let knows = self.hands_back(inst, call, info)
            || call.args.iter().all(|arg| self.knows(inst, arg) || self.hands_over(inst, arg));
        // One argument may be put behind another.
        for &holder in &given {
            if self.flow.local_ty(inst, holder.0).is_some_and(|ty| self.types.of(&ty).nested) {
                given.iter().for_each(|arg| self.edge((inst, *arg), (inst, holder)));
                // What is put into a value of which nobody knows what it is comes out as what a call returns.
                if !knows && !self.is_alone(inst, holder) {
                    self.seed(inst, holder);
                }
            }
        }
        if !knows {
            self.seed_lent(inst, dest);
        }
    }

    /// What a call gives to a body.
    fn pass(&mut self, inst: InstId, call: &CallTarget, args: &[Option<Local>], callee: InstId) {
        for (param, passed) in spread::passed(self.flow, call, args, callee) {
            if let Passed::Args(args) = passed {
                args.iter().flatten().for_each(|arg| self.edge((inst, *arg), (callee, param)));
            }
        }
    }

    /// What runs as values are dropped runs on these.
    fn dropped(&mut self, inst: InstId, values: &[Local], info: Option<&CallInfo>) {
        for dropped in info.into_iter().flat_map(|info| &info.drops) {
            if let Dropped::Run { run, .. } = dropped {
                values.iter().for_each(|value| self.edge((inst, *value), (*run, Local(1))));
            }
        }
    }

    /// Whether nobody else can access what the accesses of a statement are to, meanwhile. What a statement changes it has come to by what
    /// changes can be made through, whatever else it may read.
    fn is_plain(&self, touch: &Touch, (inst, block, at): (InstId, usize, usize)) -> bool {
        let most = match touch {
            Touch::Read => Reached::Never,
            Touch::Write | Touch::Update(_) => Reached::ToRead,
        };
        let data = &self.flow.body_of(inst).blocks[block];
        if let Some(statement) = data.statements.get(at) {
            return match &statement.kind {
                StatementKind::Assign(place, rvalue) => {
                    self.are_plain(inst, most, rvalue.places().into_iter().chain([place]))
                }
                _ => false,
            };
        }
        match &data.terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => self.are_plain(inst, most, on.place()),
            TerminatorKind::Call(call) => {
                let given = || call.args.iter().filter_map(Operand::place);
                // A function of the crates does what it does in its own body, but for the derived `==` of enums: that is a look at its call.
                let looks_behind = |info: &CallInfo| {
                    info.foreign.is_some()
                        || info.poll.is_some()
                        || comparison(self.flow, inst, call, info).is_some()
                };
                let behind = self.flow.calls.get(&(inst, block as u32)).is_none_or(looks_behind);
                self.are_plain(inst, most, given().chain([&call.dest]))
                    && (!behind
                        || given().all(|place| self.spread.reached(inst, place.local) <= most)
                            && call.args.iter().all(|arg| self.knows(inst, arg)))
            }
            _ => false,
        }
    }

    /// Whether those of these places that are behind references are had by nothing that leads through a lock, or at most so.
    fn are_plain<'p>(
        &self,
        inst: InstId,
        most: Reached,
        places: impl IntoIterator<Item = &'p Place>,
    ) -> bool {
        let behind = places.into_iter().filter(|place| place.projection.contains(&Projection::Deref));
        behind
            .into_iter()
            .all(|place| self.spread.reached(inst, place.local) <= most && !self.is_raw(inst, place))
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

    /// Whether what is in a local is a value of which nobody knows what it is, or an exclusive reference to one: a call that is given it has
    /// that to itself. Of what the value may share with others nothing is known, so no access is about it.
    fn is_alone(&self, inst: InstId, local: Local) -> bool {
        self.flow.local_ty(inst, local.0).is_some_and(|ty| match &*ty {
            TyKind::Ref { mutable, to } => *mutable && self.flow.heap.is_unknown(to),
            ty => self.flow.heap.is_unknown(ty),
        })
    }

    /// Whether a function without a body, given this, gets at nothing but what they own, or borrow, or nothing is known of.
    fn knows(&self, inst: InstId, arg: &Operand) -> bool {
        self.sees_through_one(inst, arg) || arg.place().is_some_and(|place| self.is_alone(inst, place.local))
    }

    /// Whether what comes out of a function without a body is what was put in: by itself, in something, or behind a new pointer.
    fn hands_back(&self, inst: InstId, call: &CallTarget, info: &CallInfo) -> bool {
        let wraps = self.flow.model_of(info).is_some_and(|model| {
            model.acquire.is_none() && matches!(model.flow, Some(ModelFlow::Wrap | ModelFlow::New))
        });
        // A future is made of itself (`into_future`), and so are the steps of a builder.
        let is_same = || match &call.args[..] {
            [Operand::Move(place)] => {
                let given = self.flow.place_ty(inst, place);
                given.is_some() && given == self.flow.place_ty(inst, &call.dest)
            }
            _ => false,
        };
        wraps || is_same()
    }

    /// Whether an argument is an end of a channel where one receives what is sent: who gets it has it from then on, and its sender no more.
    fn hands_over(&self, inst: InstId, arg: &Operand) -> bool {
        let ty = arg.place().and_then(|place| self.flow.place_ty(inst, place));
        ty.is_some_and(|ty| self.flow.delivery(ty.peel_refs()) == Some(Delivery::One))
    }

    /// Whether a function without a body, given this, gets at nothing but what they own, or borrow.
    fn sees_through(&self, inst: InstId, args: &[Operand]) -> bool {
        args.iter().all(|arg| self.sees_through_one(inst, arg))
    }

    fn sees_through_one(&self, inst: InstId, arg: &Operand) -> bool {
        // A lock that is had alone is not asked (`Mutex::get_mut`).
        let is_lock_alone = |ty: &TyKind| match ty {
            TyKind::Ref { mutable: true, to } => {
                matches!(self.flow.kind(to), Some(TypeKind::Lock | TypeKind::Cell))
                    && self.types.is_inline(to)
            }
            _ => false,
        };
        match arg {
            Operand::Copy(place) | Operand::Move(place) => {
                let ty = self.flow.place_ty(inst, place);
                ty.is_some_and(|ty| self.types.is_plain(&ty) || is_lock_alone(&ty))
            }
            Operand::Const(constant) => match &constant.kind {
                ConstKind::Alloc { .. } | ConstKind::Named(_) | ConstKind::Other(_) => {
                    constant.ty.as_ref().is_some_and(|ty| self.types.is_plain(ty))
                }
                _ => true,
            },
        }
    }
}

/// Whether what comes of this is a reference to nobody knows what.
pub(in crate::world::values) fn is_opaque(rvalue: &Rvalue) -> bool {
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
