//! Accesses to what the function that makes them has to itself: a value that it made, or moved out of where others have it, and what such a
//! value owns, be it behind a `Box`.
//!
//! Whoever owns a value has it alone until it is given away, and it cannot be looked at any more then: so what is in it, locks and atomics
//! included, is nobody else's meanwhile. The objects that the analysis tells apart know nothing of that: what was in a list, and what was
//! taken out of it, is one object there. So references are followed forwards from all that may lead to what others have: arguments of
//! events, statics, what is captured, what is behind a pointer that can be shared, and behind one that was kept anywhere. An access that none
//! of these leads to is to something that is owned. The next one who has it got it from a place that others share, and the accesses to that
//! place say so.

use rustc_hash::FxHashMap;

use crate::mir::{
    AggregateKind, BodyKind, CallTarget, ConstKind, Local, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind, Ty,
};

use crate::world::actions::effects::Effects;
use crate::world::points::drops::Dropped;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::values::plain::is_opaque;
use crate::world::values::references::Types;
use crate::world::values::spread::{self, Node, Passed, Spread};

/// Forgets such accesses; whether there was time to find all of them.
pub(crate) fn forget(flow: &Flow<'_>, effects: &mut [Effects]) -> bool {
    let mut reach = Reach::new(flow);
    for inst in (0..flow.instances.len() as u32).map(InstId) {
        if flow.is_late() {
            return false;
        }
        reach.begin(inst);
        reach.instance(inst);
    }
    reach.spread.run();
    spread::forget(effects, |_, _, at| reach.is_alone(at));
    true
}

/// Which locals may have a reference in them that leads to what others have.
struct Reach<'f, 'a> {
    flow: &'f Flow<'a>,
    types: Types<'f, 'a>,
    /// Marks what may.
    spread: Spread,
    /// By type: whether there are references in its values, those behind what they own included.
    lends: FxHashMap<Ty, bool>,
}

impl<'f, 'a> Reach<'f, 'a> {
    fn new(flow: &'f Flow<'a>) -> Self {
        Reach { flow, types: Types::new(flow), spread: Spread::new(flow), lends: FxHashMap::default() }
    }

    fn node(&self, inst: InstId, local: Local) -> Node {
        self.spread.node(inst, local)
    }

    /// Whether there may be references in a value of this type; what is behind one that it owns is asked when it is got from there.
    fn lends(&mut self, ty: &Ty) -> bool {
        if let Some(known) = self.lends.get(ty) {
            return *known;
        }
        let lends = self.types.lends(ty);
        self.lends.insert(ty.clone(), lends);
        lends
    }

    fn lends_in(&mut self, inst: InstId, local: Local) -> bool {
        self.flow.local_ty(inst, local.0).is_none_or(|ty| self.lends(&ty))
    }

    /// What is in the second local may come from the first; what is put behind the second ends up behind the first.
    fn edge(&mut self, from: (InstId, Local), to: (InstId, Local)) {
        if !self.lends_in(to.0, to.1) {
            return;
        }
        let (source, target) = (self.node(from.0, from.1), self.node(to.0, to.1));
        self.spread.edge(source, target);
        if self.flow.local_ty(to.0, to.1.0).is_none_or(|ty| self.types.of(&ty).nested) {
            self.spread.edge(target, source);
        }
    }

    fn seed(&mut self, inst: InstId, local: Local) {
        if self.lends_in(inst, local) {
            let node = self.node(inst, local);
            self.spread.mark(node);
        }
    }

    /// What nobody is known to call is called by others, with what they have.
    fn begin(&mut self, inst: InstId) {
        let instance = &self.flow.instances[inst.0 as usize];
        if instance.context.is_empty() {
            let arguments = self.flow.body_of(inst).arg_count;
            (1..=arguments).for_each(|param| self.seed(inst, Local(param)));
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
                // What a future is resumed with.
                TerminatorKind::Yield { resume_arg, .. } => self.seed(inst, resume_arg.local),
                _ => {}
            }
        }
    }

    fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue) {
        let places = rvalue.places();
        let borrows = matches!(
            rvalue,
            Rvalue::Ref(..) | Rvalue::RawPtr { .. } | Rvalue::Discriminant(_) | Rvalue::Len(_)
        );
        let unknown = is_opaque(rvalue)
            || rvalue.operands().into_iter().any(leads_somewhere)
            || places.iter().any(|of| self.is_kept(inst, of, !borrows));
        if unknown {
            self.seed(inst, place.local);
        }
        if let Rvalue::Aggregate(kind, operands) = rvalue
            && let AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } = &**kind
            && let Some(hub) = self.spread.captured_by(body)
        {
            // A future that borrows something may run beside others that do.
            let beside = matches!(&**kind, AggregateKind::Coroutine { .. });
            for of in operands.iter().filter_map(Operand::place) {
                let node = self.node(inst, of.local);
                self.spread.edge(node, hub);
                if self.lends_in(inst, of.local) {
                    self.spread.edge(hub, node);
                    if beside {
                        self.spread.mark(hub);
                    }
                }
            }
        }
        // A pointer that is copied stays where it is, be it a unique one.
        let copied = matches!(rvalue, Rvalue::Use(Operand::Copy(_)) | Rvalue::CopyForDeref(_));
        for of in places {
            self.edge((inst, of.local), (inst, place.local));
            if copied {
                let (source, copy) = (self.node(inst, of.local), self.node(inst, place.local));
                self.spread.edge(source, copy);
                // Who has a copy of it that gets to others has what is theirs.
                if self.lends_in(inst, place.local) {
                    self.spread.edge(copy, source);
                }
            }
            // Where what was lent gets to others, what it was lent of is theirs, too.
            if matches!(rvalue, Rvalue::Ref(..) | Rvalue::RawPtr { .. }) {
                self.spread.edge(self.node(inst, place.local), self.node(inst, of.local));
            }
        }
    }

    /// Whether a pointer is on the way to a place that was kept behind another one, and that others may have, too; or, if what is at the
    /// place is loaded, whether it is such a pointer.
    fn is_kept(&mut self, inst: InstId, place: &Place, loaded: bool) -> bool {
        let mut derefs = place.projection.iter().enumerate().filter(|(_, step)| **step == Projection::Deref);
        let Some((outermost, _)) = derefs.next() else { return false };
        let at =
            |length: usize| Place { local: place.local, projection: place.projection[..length].to_vec() };
        let mut last = outermost;
        for (number, _) in derefs {
            if !self.flow.place_ty(inst, &at(number)).is_some_and(|ty| self.types.is_unique(&ty)) {
                return true;
            }
            last = number;
        }
        // What is in a unique pointer leads to where that does.
        let mut around = (last + 1..place.projection.len()).map(at);
        let unique =
            |place: Place| self.flow.place_ty(inst, &place).is_some_and(|ty| self.types.is_unique(&ty));
        loaded && !around.any(unique) && self.flow.place_ty(inst, place).is_none_or(|ty| self.lends(&ty))
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
        // What runs beside its starter has in common with it what it borrows, and so has an event.
        for &task in info.spawned.iter().chain(&info.events) {
            let arguments = self.flow.body_of(task).arg_count;
            (1..=arguments).for_each(|param| self.seed(task, Local(param)));
        }
        if info.poll.is_some() {
            if info.callees.is_empty() {
                self.seed(inst, dest);
            }
            return;
        }
        // What goes on behind a pointer that was kept is not followed.
        let kept = call.args.iter().any(|arg| match arg.place() {
            Some(place) => self.is_kept(inst, place, true),
            None => leads_somewhere(arg),
        });
        if info.foreign.is_none() {
            if bodies.is_empty() {
                self.seed(inst, dest);
            }
            bodies.into_iter().for_each(|callee| self.pass(inst, call, (&args, kept), callee));
            return;
        }
        // Who is given no reference and gives one gives one to what stays for ever.
        let leaks = given.iter().all(|arg| !self.lends_in(inst, *arg));
        let hides = kept || leaks || call.args.iter().any(|arg| self.hides(inst, arg));
        let knows =
            |path: &String| path.split("::").next().is_some_and(|first| self.flow.models.is_complete(first));
        let in_turn = info.foreign.as_ref().is_some_and(knows);
        for &arg in &given {
            self.edge((inst, arg), (inst, dest));
        }
        for &callee in &bodies {
            let body = self.flow.body_of(callee);
            let from = if matches!(body.kind, BodyKind::Fn | BodyKind::Constructor) { 1 } else { 2 };
            // Nobody knows whether other libraries run what they are given in turn.
            if !in_turn {
                self.seed(callee, Local(1));
            }
            for param in (from..=body.arg_count).map(Local) {
                given.iter().for_each(|arg| self.edge((inst, *arg), (callee, param)));
                if hides || !in_turn {
                    self.seed(callee, param);
                }
            }
        }
        // One argument may be put behind another.
        for &holder in &given {
            if self.flow.local_ty(inst, holder.0).is_none_or(|ty| self.types.of(&ty).nested) {
                given.iter().for_each(|arg| self.edge((inst, *arg), (inst, holder)));
            }
        }
        if hides {
            self.seed(inst, dest);
        }
    }

    /// What a call gives to a body.
    fn pass(
        &mut self,
        inst: InstId,
        call: &CallTarget,
        (args, kept): (&[Option<Local>], bool),
        callee: InstId,
    ) {
        for (param, passed) in spread::passed(self.flow, call, args, callee) {
            match passed {
                Passed::Args(args) => {
                    args.iter().flatten().for_each(|arg| self.edge((inst, *arg), (callee, param)));
                }
                Passed::Captured => {}
                Passed::Unknown => self.seed(callee, param),
            }
            if kept {
                self.seed(callee, param);
            }
        }
    }

    /// What runs as values are dropped runs on these.
    fn dropped(&mut self, inst: InstId, values: &[Local], info: Option<&CallInfo>) {
        for dropped in info.into_iter().flat_map(|info| &info.drops) {
            if let Dropped::Run { run, .. } = dropped {
                values.iter().for_each(|value| self.edge((inst, *value), (*run, Local(1))));
                // It may be a part of what others have that is dropped.
                let own = values.iter().all(|value| !self.lends_in(inst, *value));
                if !own {
                    self.seed(*run, Local(1));
                }
            }
        }
    }

    /// Whether the accesses of a statement are to what its function has to itself.
    fn is_alone(&mut self, (inst, block, at): (InstId, usize, usize)) -> bool {
        let data = &self.flow.body_of(inst).blocks[block];
        if let Some(statement) = data.statements.get(at) {
            return match &statement.kind {
                StatementKind::Assign(place, rvalue) => {
                    let places: Vec<&Place> = rvalue.places().into_iter().chain([place]).collect();
                    self.are_own(inst, &places)
                }
                _ => false,
            };
        }
        match &data.terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => {
                let places: Vec<&Place> = on.place().into_iter().collect();
                self.are_own(inst, &places)
            }
            TerminatorKind::Call(call) => {
                let known = self.flow.calls.get(&(inst, block as u32));
                if known.is_none_or(|info| info.foreign.is_none() || info.poll.is_some()) {
                    return false;
                }
                call.args.iter().all(|arg| match arg.place() {
                    Some(place) => {
                        !self.spread.is_marked(inst, place.local)
                            && !self.is_kept(inst, place, true)
                            && self.flow.place_ty(inst, place).is_some_and(|ty| self.types.is_inline(&ty))
                    }
                    None => !leads_somewhere(arg),
                })
            }
            _ => false,
        }
    }

    /// Whether some of these places are behind references, and all of those are the function's own.
    fn are_own(&mut self, inst: InstId, places: &[&Place]) -> bool {
        let behind: Vec<&&Place> =
            places.iter().filter(|place| place.projection.contains(&Projection::Deref)).collect();
        !behind.is_empty()
            && behind
                .into_iter()
                .all(|place| !self.spread.is_marked(inst, place.local) && !self.is_kept(inst, place, false))
    }

    /// Whether a function without a body that is given this may get at what others have, though no reference to it was followed.
    fn hides(&self, inst: InstId, arg: &Operand) -> bool {
        match arg {
            Operand::Copy(place) | Operand::Move(place) => {
                self.flow.place_ty(inst, place).is_none_or(|ty| self.types.hides(&ty))
            }
            Operand::Const(_) => leads_somewhere(arg),
        }
    }
}

/// Whether this is a constant that leads somewhere: to a static.
fn leads_somewhere(arg: &Operand) -> bool {
    let Operand::Const(constant) = arg else { return false };
    matches!(constant.kind, ConstKind::Named(_) | ConstKind::Alloc { .. } | ConstKind::Other(_))
}
