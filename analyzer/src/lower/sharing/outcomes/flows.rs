//! How the outcomes of accesses go through the bodies of a program, from where they are seen to where they matter.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Flow as ModelFlow, Order, Value as ModelValue};

use crate::ir::BasisId;
use crate::lower::sharing::basis::Search;
use crate::lower::sharing::captures::Carrier;
use crate::lower::sharing::parts::Parts;
use crate::mir::{
    AggregateKind, BodyKind, BorrowKind, CallTarget, Callee, Local, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, Ty, TyKind,
};
use crate::world::actions::cfg::{Cfg, is_context};
use crate::world::points::drops::Dropped;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::values::control::deciders_but;
use crate::world::values::depend::{Node, Way};

impl Search<'_, '_> {
    /// The graph of what an instance does.
    pub(in crate::lower::sharing) fn instance(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        let failures = failures(self.flow, inst);
        let mut deciders = deciders_but(self.cfg(inst), &failures);
        for (end, after) in self.ends_of_waits(inst).into_iter().chain(self.ends_of_searches(inst)) {
            after.into_iter().for_each(|block| deciders[block].push(end));
        }
        let deciders = Rc::new(deciders);
        self.deciders.insert(inst, Rc::clone(&deciders));
        let joins = assigned_often(self.flow, self.cfg(inst), inst);
        self.promised(inst, &deciders);
        let reached: Vec<usize> = self.cfg(inst).reached.iter().copied().collect();
        for block in reached {
            let data = &body.blocks[block];
            for (at, statement) in data.statements.iter().enumerate() {
                if let StatementKind::Assign(place, rvalue) = &statement.kind {
                    let accesses = self.accesses(inst, block, at);
                    self.assign(inst, place, rvalue, &accesses);
                    // What a pointer leads to had a value before.
                    let stored = place.projection.contains(&Projection::Deref);
                    let joins = !stored && joins.contains(&place.local) && !self.is_done(inst, place, rvalue);
                    if joins || stored && accesses.is_empty() {
                        self.decided(inst, &deciders[block], Node::Local(inst, place.local));
                    }
                }
            }
            // Who comes to decide at all was decided before. Why something was tried says nothing of whether it fails.
            if !failures.iter().any(|(from, _)| *from == block) {
                self.decided(inst, &deciders[block], Node::Decision(inst, block));
            }
            let accesses = self.accesses(inst, block, data.statements.len());
            match &data.terminator.kind {
                TerminatorKind::SwitchInt { on, .. } => {
                    self.operand(inst, on, Node::Decision(inst, block));
                    for (access, _) in &accesses {
                        self.depend.hold(Node::Decision(inst, block), *access);
                    }
                }
                TerminatorKind::Call(call) => {
                    let model = self.flow.model_at(inst, block);
                    if model.is_some_and(|model| model.flow == Some(ModelFlow::Fill)) {
                        self.fills.entry(inst).or_default().push(block);
                    }
                    self.call(inst, block, call, &accesses, &deciders[block]);
                    self.dropped(inst, block, call.args.iter().filter_map(Operand::place), &deciders[block]);
                    if joins.contains(&call.dest.local) && !self.is_up_to_outside(inst, block, call) {
                        self.decided(inst, &deciders[block], Node::Local(inst, call.dest.local));
                    }
                    // One that panics unless its argument is as expected decides by that.
                    if let Some(first) = call.args.first() {
                        self.operand(inst, first, Node::Decision(inst, block));
                    }
                }
                TerminatorKind::Drop { place, .. } => {
                    self.dropped(inst, block, std::iter::once(place), &deciders[block]);
                }
                TerminatorKind::Assert { cond, .. } => self.operand(inst, cond, Node::Decision(inst, block)),
                _ => {}
            }
        }
    }

    /// Whether a future that is returned is awaited is decided where it is made.
    fn promised(&mut self, inst: InstId, deciders: &[Vec<usize>]) {
        for (callees, made) in crate::world::actions::promised::promised(self.flow, inst).into_values() {
            for callee in callees {
                for (block, _) in &made {
                    self.decided(inst, &deciders[*block], Node::Run(callee));
                }
                self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
                self.flow(Node::Local(inst, Local::RETURN), Node::Local(callee, Local(1)));
            }
        }
    }

    /// What runs when a value is dropped, be it by a call that is given it, runs on that value.
    fn dropped<'p>(
        &mut self,
        inst: InstId,
        block: usize,
        values: impl Iterator<Item = &'p Place> + Clone,
        deciders: &[usize],
    ) {
        let drops = self.flow.calls.get(&(inst, block as u32)).map_or(&[][..], |info| &info.drops);
        for dropped in drops {
            let Dropped::Run(callee, _) = *dropped else { continue };
            self.decided(inst, deciders, Node::Run(callee));
            self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
            for place in values.clone() {
                self.place(inst, place, Node::Local(callee, Local(1)));
            }
        }
    }

    fn decided(&mut self, inst: InstId, by: &[usize], node: Node) {
        for &block in by {
            self.depend.edge(Node::Decision(inst, block), node, Way::Decision);
        }
    }

    fn operand(&mut self, inst: InstId, operand: &Operand, to: Node) {
        if let Some(place) = operand.place() {
            self.place(inst, place, to);
        }
    }

    fn place(&mut self, inst: InstId, place: &Place, to: Node) {
        let whole = self.node(inst, place);
        if self.captures(whole).is_some() {
            return self.flow(whole, to);
        }
        for node in self.nodes_in(inst, place) {
            self.depend.edge(node, to, Way::Value);
        }
    }

    /// The captures of a whole local, if that is, or leads to, one closure or future.
    fn captures(&self, node: Node) -> Option<Carrier> {
        if let Node::Local(inst, local) = node { self.captures.carrier(inst, local) } else { None }
    }

    /// What is in one node goes into another one: of a closure capture by capture, if both are the same.
    fn flow(&mut self, from: Node, to: Node) {
        self.depend.edge(from, to, Way::Value);
        let (Node::Local(inst, local), Some(carrier)) = (from, self.captures(from)) else { return };
        for number in 0..carrier.captures {
            let into = match to {
                Node::Local(other, local) if self.captures(to) == Some(carrier) => {
                    Node::Part(other, local, number)
                }
                _ => to,
            };
            self.depend.edge(Node::Part(inst, local, number), into, Way::Value);
        }
    }

    fn parts(&self, inst: InstId) -> Option<&Parts> {
        self.parts.get(&self.flow.instances[inst.0 as usize].body)
    }

    /// What is given something where a place is: a part of a local, or all of it.
    fn node(&self, inst: InstId, place: &Place) -> Node {
        let capture = || self.captures.capture(self.flow.body_of(inst), inst, place);
        match self.parts(inst).and_then(|parts| parts.part(place)).or_else(capture) {
            Some(part) => Node::Part(inst, place.local, part),
            None => Node::Local(inst, place.local),
        }
    }

    /// What a place is found by: what its part was given, or all parts, what the whole local was, and where it is an element.
    pub fn nodes_in(&self, inst: InstId, place: &Place) -> Vec<Node> {
        let mut nodes = vec![Node::Local(inst, place.local)];
        if let Some(parts) = self.parts(inst) {
            let all = parts.part(place).map_or_else(|| parts.all(place.local), |part| part..part + 1);
            nodes.extend(all.map(|part| Node::Part(inst, place.local, part)));
        }
        if let Some(carrier) = self.captures.carrier(inst, place.local) {
            let one = self.captures.capture(self.flow.body_of(inst), inst, place);
            let all = one.map_or(0..carrier.captures, |number| number..number + 1);
            nodes.extend(all.map(|number| Node::Part(inst, place.local, number)));
        }
        nodes.extend(place.projection.iter().filter_map(|step| match step {
            Projection::Index(local) => Some(Node::Local(inst, *local)),
            _ => None,
        }));
        nodes
    }

    /// What a value is made of, and what says where parts of it are.
    pub fn mentioned(&self, inst: InstId, rvalue: &Rvalue) -> Vec<Node> {
        // Which variant it is was decided where it was made, whatever is in it.
        if let Rvalue::Discriminant(place) = rvalue
            && place.as_local().is_some()
        {
            return vec![Node::Local(inst, place.local)];
        }
        rvalue.places().into_iter().flat_map(|place| self.nodes_in(inst, place)).collect()
    }

    fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue, accesses: &[(BasisId, bool)]) {
        if let (Rvalue::Aggregate(kind, operands), Some(local)) = (rvalue, place.as_local())
            && self.has_parts(inst, local)
        {
            return self.make(inst, local, kind, operands);
        }
        let into = self.node(inst, place);
        for (access, _) in accesses.iter().filter(|(_, changes)| !changes) {
            self.depend.hold(into, *access);
        }
        // What is stored in shared data is not the local's.
        if accesses.iter().any(|(_, changes)| *changes) {
            return;
        }
        match rvalue {
            Rvalue::Discriminant(_) => {
                self.mentioned(inst, rvalue).into_iter().for_each(|node| self.flow(node, into));
            }
            _ => rvalue.places().into_iter().for_each(|place| self.place(inst, place, into)),
        }
        if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { mutable: true, place: of } = rvalue {
            self.flow(into, self.node(inst, of));
        }
        // What is done through a copy of a pointer, or by a closure that has one, is done to what it points to.
        let copied: Vec<&Place> = match rvalue {
            Rvalue::Aggregate(_, operands) => operands.iter().filter_map(Operand::place).collect(),
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => operand.place().into_iter().collect(),
            Rvalue::CopyForDeref(place) => vec![place],
            _ => Vec::new(),
        };
        for place in copied {
            if self.is_exclusive(inst, place) || self.is_inside_of_owner(inst, place) {
                self.flow(into, self.node(inst, place));
            }
        }
    }

    fn has_parts(&self, inst: InstId, local: Local) -> bool {
        self.captures.carrier(inst, local).is_some()
            || self.parts(inst).is_some_and(|parts| !parts.all(local).is_empty())
    }

    /// A local gets its parts.
    fn make(&mut self, inst: InstId, local: Local, kind: &AggregateKind, operands: &[Operand]) {
        let captures = match kind {
            AggregateKind::Closure { .. } | AggregateKind::Coroutine { .. } => {
                self.captures.carrier(inst, local)
            }
            _ => None,
        };
        for (field, operand) in operands.iter().enumerate() {
            let part = self.parts(inst).and_then(|parts| parts.made(local, kind, field));
            let part = part.or(captures.map(|_| field as u32));
            let into = part.map_or(Node::Local(inst, local), |part| Node::Part(inst, local, part));
            self.operand(inst, operand, into);
            // What is done to what a part points to is done to that.
            if let Some(of) = operand.place().filter(|of| self.is_exclusive(inst, of)) {
                self.flow(into, self.node(inst, of));
            }
        }
    }

    fn call(
        &mut self,
        inst: InstId,
        block: usize,
        call: &CallTarget,
        accesses: &[(BasisId, bool)],
        deciders: &[usize],
    ) {
        let into = Node::Local(inst, call.dest.local);
        let flow = self.flow;
        let empty = CallInfo::default();
        let info = flow.calls.get(&(inst, block as u32)).unwrap_or(&empty);
        let by_outside = self.is_up_to_outside(inst, block, call);
        for (access, _) in accesses.iter().filter(|_| !by_outside) {
            self.depend.hold(into, *access);
        }
        for &callee in info.callees.iter().chain(&info.spawned) {
            self.callee(inst, call, callee, accesses);
            // When a task is done says nothing of what it did.
            if !(info.spawned.contains(&callee) && self.gives_nothing(callee)) {
                self.flow(Node::Local(callee, Local::RETURN), into);
            }
            self.decided(inst, deciders, Node::Run(callee));
            self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
            if info.foreign.is_some() && info.spawn.is_none() && self.may_not_call(info) {
                for arg in &call.args {
                    let mut by = |place: &Place| {
                        for node in self.nodes_in(inst, place) {
                            self.depend.edge(node, Node::Run(callee), Way::Decision);
                        }
                    };
                    arg.place().map(&mut by);
                }
            }
        }
        if !info.callees.is_empty() && info.foreign.is_none() && info.poll.is_none() {
            return;
        }
        // How long somebody waits says when, not what.
        if flow.model_of(info).is_some_and(|model| model.value == Some(ModelValue::Empty) || model.time) {
            return;
        }
        // Who waits with a guard gets one of the same lock, however long it is to be.
        let kept =
            flow.model_of(info).filter(|model| model.acquire.is_some()).and_then(|model| model.release);
        if let Some(guard) = kept.and_then(|guard| call.args.get(guard)) {
            self.operand(inst, guard, into);
            return;
        }
        let stored = accesses.iter().any(|(_, changes)| *changes);
        for arg in &call.args {
            if !(by_outside && arg.place().is_some_and(|place| self.is_exclusive(inst, place))) {
                self.operand(inst, arg, into);
            }
            let Some(target) = arg.place().filter(|_| !stored) else { continue };
            if !self.is_exclusive(inst, target) || self.leads_out(inst, info, target) {
                continue;
            }
            for other in call.args.iter().filter(|other| !std::ptr::eq(*other, arg)) {
                self.operand(inst, other, Node::Local(inst, target.local));
            }
            // What is not put in because of a look is missed later.
            if call.args.len() > 1 {
                self.decided(inst, deciders, Node::Local(inst, target.local));
            }
            if self.flow.place_ty(inst, &call.dest).is_some_and(|ty| lends(&ty)) {
                self.flow(into, Node::Local(inst, target.local));
            }
        }
        if let Callee::Value(operand) = &call.callee {
            self.operand(inst, operand, into);
        }
    }

    /// Whether what a call returns says no more than whether a file or a connection has taken what it was given: that is up to the outside.
    fn is_up_to_outside(&self, inst: InstId, block: usize, call: &CallTarget) -> bool {
        let info = self.flow.calls.get(&(inst, block as u32));
        info.is_none_or(|info| info.callees.is_empty())
            && self.flow.place_ty(inst, &call.dest).is_some_and(|ty| tells_of_outside(&ty))
    }

    /// Whether such a result is made that says that nothing has failed: what has, where it is not this, says so itself.
    fn is_done(&self, inst: InstId, place: &Place, rvalue: &Rvalue) -> bool {
        let Rvalue::Aggregate(kind, _) = rvalue else { return false };
        matches!(&**kind, AggregateKind::Adt { path, .. } if path.last() == "Ok")
            && self.flow.place_ty(inst, place).is_some_and(|ty| tells_of_outside(&ty))
    }

    /// Whether what a library function writes there goes out of the program: what comes in there later is something else.
    fn leads_out(&self, inst: InstId, info: &CallInfo, target: &Place) -> bool {
        let outwards = self.flow.model_of(info).is_some_and(|model| model.output);
        let ty = self.flow.place_ty(inst, target).filter(|_| outwards);
        ty.is_some_and(|ty| {
            let to = ty.peel_refs();
            self.flow.kind(to).is_none() && to.as_path().is_some() && !self.flow.code.has_fields(to)
        })
    }

    /// Whether a library function calls what it is given only if some other argument is so.
    fn may_not_call(&self, info: &CallInfo) -> bool {
        let times = self.flow.model_of(info).and_then(|model| model.calls.as_ref()).map(|calls| calls.times);
        !matches!(times, Some(Order::Once | Order::Initially | Order::Never))
    }

    fn is_closure(&self, inst: InstId, operand: &Operand) -> bool {
        let ty = operand.place().and_then(|place| self.flow.place_ty(inst, place));
        ty.is_some_and(|ty| matches!(ty.peel_refs(), TyKind::Closure { .. }))
    }

    /// Whether there is a closure in a value.
    fn keeps_closure(&self, inst: InstId, operand: &Operand) -> bool {
        let ty = operand.place().and_then(|place| self.flow.place_ty(inst, place));
        ty.is_none_or(|ty| {
            let kept = |ty: &TyKind| matches!(ty, TyKind::Closure { .. } | TyKind::Dyn(_) | TyKind::Impl(_));
            crate::world::points::types::any_part(&ty, &mut { kept })
        })
    }

    fn is_exclusive(&self, inst: InstId, place: &Place) -> bool {
        self.flow.place_ty(inst, place).is_some_and(|ty| is_exclusive(&ty))
    }

    /// Whether a place is the pointer within what is the only one that leads somewhere: `vec![x]` fills its box through that.
    fn is_inside_of_owner(&self, inst: InstId, place: &Place) -> bool {
        let fields = place.projection.iter().all(|step| matches!(step, Projection::Field(..)));
        let owner = || self.flow.local_ty(inst, place.local.0).and_then(|ty| self.flow.model(&ty));
        !place.projection.is_empty() && fields && owner().is_some_and(|model| model.unique)
    }

    /// What goes into a body that is called, and comes out of it.
    fn callee(&mut self, inst: InstId, call: &CallTarget, callee: InstId, accesses: &[(BasisId, bool)]) {
        let body = self.flow.body_of(callee);
        let params = body.arg_count;
        // Who is given a closure calls it with what it takes out of its other arguments.
        let given = matches!(body.kind, BodyKind::Closure { .. })
            && call.args.iter().any(|arg| self.is_closure(inst, arg));
        let matched = params as usize == call.args.len();
        for (number, arg) in call.args.iter().enumerate() {
            let own = match (given, matched) {
                (true, _) if self.is_closure(inst, arg) => {
                    // What it does to what it holds is done to the holder's.
                    if let Some(place) = arg.place() {
                        let held = Node::Local(inst, place.local);
                        self.flow(Node::Local(callee, Local(1)), held);
                    }
                    1..2
                }
                // An iterator may keep the closure that is called; what has none is no capture.
                (true, _) if !self.keeps_closure(inst, arg) => 2..params + 1,
                (true, _) => 1..params + 1,
                (false, true) => number as u32 + 1..number as u32 + 2,
                (false, false) => 1..params + 1,
            };
            for param in own.map(Local) {
                let node = Node::Local(callee, param);
                self.operand(inst, arg, node);
                let seen = accesses.iter().filter(|(_, changes)| !(*changes || given && param == Local(1)));
                for (access, _) in seen {
                    self.depend.hold(node, *access);
                }
                if let Some(place) = arg.place()
                    && (self.is_exclusive(inst, place) || self.has_exclusive(inst, place))
                {
                    self.flow(node, Node::Local(inst, place.local));
                }
            }
        }
    }

    /// Whether a tuple, as a closure is called with, has a reference in it through which it may change something.
    fn has_exclusive(&self, inst: InstId, place: &Place) -> bool {
        match self.flow.place_ty(inst, place).as_deref() {
            Some(TyKind::Tuple(parts)) => parts.iter().any(|part| is_exclusive(part)),
            _ => false,
        }
    }

    fn gives_nothing(&self, inst: InstId) -> bool {
        self.flow.local_ty(inst, Local::RETURN.0).is_some_and(|ty| ty.is_unit())
    }
}

/// Whether a value of this type may change what it was made of.
fn lends(ty: &TyKind) -> bool {
    crate::world::points::types::any_part(ty, &mut |ty| {
        matches!(ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { mutable: true, .. })
    })
}

fn is_exclusive(ty: &TyKind) -> bool {
    match ty {
        // Who polls hands on whom to wake, and nothing else.
        TyKind::Ref { to, .. } if is_context(to) => false,
        TyKind::Ref { mutable, .. } | TyKind::Ptr { mutable, .. } => *mutable,
        // A pinned reference, say.
        TyKind::Path(path) => path.type_args().any(|ty| is_exclusive(ty)),
        _ => false,
    }
}

/// Locals that are assigned at more than one place: which of them it was, branches decide.
fn assigned_often(flow: &Flow<'_>, cfg: &Cfg, inst: InstId) -> BTreeSet<Local> {
    let mut once: BTreeSet<Local> = BTreeSet::new();
    let mut often = BTreeSet::new();
    let mut note = |local: Local| {
        if !once.insert(local) {
            often.insert(local);
        }
    };
    for block in cfg.reached.iter().map(|block| &flow.body_of(inst).blocks[*block]) {
        for statement in &block.statements {
            // What is stored through a pointer leaves that as it is.
            if let StatementKind::Assign(place, _) = &statement.kind
                && !place.projection.contains(&Projection::Deref)
            {
                note(place.local);
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            note(call.dest.local);
        }
    }
    often
}

/// The edges on which a body leaves because something has failed (`?` on a result), each out of its block.
fn failures(flow: &Flow<'_>, inst: InstId) -> Vec<(usize, usize)> {
    /// The number of `ControlFlow::Break`.
    const BREAK: u128 = 1;
    let breaks = |ty: &TyKind| {
        let path = ty.as_path().filter(|path| path.plain() == "std::ops::ControlFlow");
        let of = path.and_then(|path| path.type_args().next()?.as_path());
        of.is_some_and(|of| of.plain() == "std::result::Result")
    };
    let blocks = flow.body_of(inst).blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
    let of_block = blocks.filter_map(|(number, block)| {
        let TerminatorKind::SwitchInt { on, targets, .. } = &block.terminator.kind else { return None };
        let on = on.place()?.as_local()?;
        let asked = block.statements.iter().rev().find_map(|statement| match &statement.kind {
            StatementKind::Assign(to, Rvalue::Discriminant(of)) if to.as_local() == Some(on) => Some(of),
            _ => None,
        })?;
        let (_, to) = targets.iter().find(|(bits, _)| *bits == BREAK)?;
        flow.place_ty(inst, asked).is_some_and(|ty| breaks(&ty)).then_some((number, to.0 as usize))
    });
    of_block.collect()
}

/// Whether all that a result tells is that something outside of the program was done, or why not.
fn tells_of_outside(ty: &TyKind) -> bool {
    let Some(path) = ty.as_path() else { return false };
    let args: Vec<&Ty> = path.type_args().collect();
    match (path.plain().as_str(), &args[..]) {
        ("std::task::Poll", [result]) => tells_of_outside(result),
        ("std::result::Result", [done, error]) => {
            let is_nothing = matches!(&***done, TyKind::Tuple(parts) if parts.is_empty());
            is_nothing && error.as_path().is_some_and(|path| path.plain() == "std::io::Error")
        }
        _ => false,
    }
}
