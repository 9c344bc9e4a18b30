//! How the outcomes of accesses go through the bodies of a program, from where they are seen to where they matter.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::Flow as ModelFlow;

use crate::ir::BasisId;
use crate::lower::sharing::basis::Search;
use crate::lower::sharing::captures::Carrier;
use crate::lower::sharing::parts::{ByFields, Parts};
use crate::mir::{
    AggregateKind, BorrowKind, CallTarget, Local, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind, Ty, TyKind,
};
use crate::world::actions::cfg::{Cfg, is_context};
use crate::world::points::drops::Dropped;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::control::deciders_but;
use crate::world::values::depend::{FieldId, FieldsId, Node, Way};

impl Search<'_, '_> {
    /// The graph of what an instance does.
    pub(in crate::lower::sharing) fn instance(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        self.fields(inst);
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
                        self.decided(inst, &deciders[block], self.node(inst, place));
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
                        self.decided(inst, &deciders[block], self.node(inst, &call.dest));
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
            let Dropped::Run { run: callee, .. } = *dropped else { continue };
            self.decided(inst, deciders, Node::Run(callee));
            self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
            for place in values.clone() {
                self.place(inst, place, Node::Local(callee, Local(1)));
            }
        }
    }

    pub(super) fn decided(&mut self, inst: InstId, by: &[usize], node: Node) {
        for &block in by {
            self.depend.edge(Node::Decision(inst, block), node, Way::Decision);
        }
    }

    /// What goes into a field, or is found by fields, goes through the local that has them, or a part of it.
    fn fields(&mut self, inst: InstId) {
        let Some(parts) = self.parts(inst) else { return };
        let of_places = parts.places().map(|(place, by)| (self.base(inst, place), place.local, by));
        let by_place: Vec<(Node, Local, ByFields)> = of_places.collect();
        let variants: Vec<(Local, FieldsId)> = parts.variants().collect();
        for (base, local, by) in by_place {
            self.by_fields(base, by);
            let whole = Node::Local(inst, local);
            if base != whole {
                self.depend.edge(whole, found(whole, by.all), Way::OutOf(by.all));
            }
        }
        for (local, by) in variants {
            let whole = Node::Local(inst, local);
            self.depend.edge(whole, found(whole, by), Way::OutOf(by));
        }
    }

    fn by_fields(&mut self, base: Node, by: ByFields) {
        self.depend.edge(base, found(base, by.all), Way::OutOf(by.all));
        self.depend.edge(put(base, by.first), base, Way::Into(by.first));
    }

    pub(super) fn operand(&mut self, inst: InstId, operand: &Operand, to: Node) {
        if let Some(place) = operand.place() {
            self.place(inst, place, to);
        }
    }

    fn place(&mut self, inst: InstId, place: &Place, to: Node) {
        self.place_by(inst, place, to, Way::Value);
    }

    /// A library function is given something, which goes this way.
    pub(super) fn given(&mut self, inst: InstId, operand: &Operand, to: Node, way: Way) {
        if let Some(place) = operand.place() {
            self.place_by(inst, place, to, way);
        }
    }

    /// What is in a place goes this way; of a closure or future, capture by capture.
    fn place_by(&mut self, inst: InstId, place: &Place, to: Node, way: Way) {
        let whole = self.node(inst, place);
        if self.captures(whole).is_some() {
            return self.flow(whole, to);
        }
        for node in self.nodes_in(inst, place) {
            self.depend.edge(node, to, way);
        }
    }

    /// The captures of a whole local, if that is, or leads to, one closure or future.
    fn captures(&self, node: Node) -> Option<Carrier> {
        if let Node::Local(inst, local) = node { self.captures.carrier(inst, local) } else { None }
    }

    /// What is in one node goes into another one: of a closure capture by capture, if both are the same.
    pub(super) fn flow(&mut self, from: Node, to: Node) {
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

    /// The part of a local that a place is in, or all of it.
    fn base(&self, inst: InstId, place: &Place) -> Node {
        let capture = || self.captures.capture(self.flow.body_of(inst), inst, place);
        match self.parts(inst).and_then(|parts| parts.part(place)).or_else(capture) {
            Some(part) => Node::Part(inst, place.local, part),
            None => Node::Local(inst, place.local),
        }
    }

    /// The fields on the way to a place, if there are any.
    fn fields_to(&self, inst: InstId, place: &Place) -> Option<ByFields> {
        self.parts(inst).and_then(|parts| parts.fields(place))
    }

    /// What is given something where a place is: a part of a local, or all of it, or a field in there.
    pub(super) fn node(&self, inst: InstId, place: &Place) -> Node {
        let base = self.base(inst, place);
        self.fields_to(inst, place).map_or(base, |by| put(base, by.first))
    }

    /// What a place is found by: what its part was given, or all parts, what the whole local was, and where it is an element.
    pub fn nodes_in(&self, inst: InstId, place: &Place) -> Vec<Node> {
        let by = self.fields_to(inst, place);
        let by_fields = |node: Node| by.map_or(node, |by| found(node, by.all));
        let mut nodes = vec![by_fields(Node::Local(inst, place.local))];
        if let Some(parts) = self.parts(inst) {
            match parts.part(place) {
                Some(part) => nodes.push(by_fields(Node::Part(inst, place.local, part))),
                None => nodes.extend(parts.all(place.local).map(|part| Node::Part(inst, place.local, part))),
            }
        }
        if let Some(carrier) = self.captures.carrier(inst, place.local) {
            match self.captures.capture(self.flow.body_of(inst), inst, place) {
                Some(number) => nodes.push(by_fields(Node::Part(inst, place.local, number))),
                None => nodes.extend((0..carrier.captures).map(|part| Node::Part(inst, place.local, part))),
            }
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
            let whole = Node::Local(inst, place.local);
            let by = self.parts(inst).and_then(|parts| parts.variant(place.local));
            return vec![by.map_or(whole, |by| found(whole, by))];
        }
        rvalue.places().into_iter().flat_map(|place| self.nodes_in(inst, place)).collect()
    }

    /// What is done through what a place is given is done to what that was made of.
    pub(super) fn back(&mut self, inst: InstId, given: &Place, of: &Place) {
        let base = self.base(inst, given);
        let from = self.fields_to(inst, given).map_or(base, |by| found(base, by.all));
        self.flow(from, self.node(inst, of));
    }

    fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue, accesses: &[(BasisId, bool)]) {
        if let (Rvalue::Aggregate(kind, operands), Some(local)) = (rvalue, place.as_local())
            && (self.has_parts(inst, local) || self.is_made_of_fields(inst, local, kind))
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
            self.back(inst, place, of);
        }
        // What is done through a copy of a pointer, or by a closure that has one, is done to what it points to.
        let copied: Vec<&Place> = match rvalue {
            Rvalue::Aggregate(_, operands) => operands.iter().filter_map(Operand::place).collect(),
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => operand.place().into_iter().collect(),
            Rvalue::CopyForDeref(place) => vec![place],
            _ => Vec::new(),
        };
        for of in copied {
            if self.is_exclusive(inst, of) || self.is_inside_of_owner(inst, of) {
                self.back(inst, place, of);
            }
        }
    }

    fn has_parts(&self, inst: InstId, local: Local) -> bool {
        self.captures.carrier(inst, local).is_some()
            || self.parts(inst).is_some_and(|parts| !parts.all(local).is_empty())
    }

    fn is_made_of_fields(&self, inst: InstId, local: Local, kind: &AggregateKind) -> bool {
        self.parts(inst).is_some_and(|parts| parts.is_made_of_fields(local, kind))
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
            let base = part.map_or(Node::Local(inst, local), |part| Node::Part(inst, local, part));
            let by = self.parts(inst).and_then(|parts| parts.made_field(local, kind, field));
            let (into, from) = by.map_or((base, base), |by| (put(base, by.first), found(base, by.all)));
            if let Some(by) = by {
                self.by_fields(base, by);
            }
            self.operand(inst, operand, into);
            // What is done to what a part points to is done to that.
            if let Some(of) = operand.place().filter(|of| self.is_exclusive(inst, of)) {
                self.flow(from, self.node(inst, of));
            }
        }
    }

    /// Whether what a call returns says no more than whether a file or a connection has taken what it was given: that is up to the outside.
    pub(super) fn is_up_to_outside(&self, inst: InstId, block: usize, call: &CallTarget) -> bool {
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

    pub(super) fn is_exclusive(&self, inst: InstId, place: &Place) -> bool {
        self.flow.place_ty(inst, place).is_some_and(|ty| is_exclusive(&ty))
    }

    /// Whether a place is the pointer within what is the only one that leads somewhere: `vec![x]` fills its box through that.
    fn is_inside_of_owner(&self, inst: InstId, place: &Place) -> bool {
        let fields = place.projection.iter().all(|step| matches!(step, Projection::Field(..)));
        let owner = || self.flow.local_ty(inst, place.local.0).and_then(|ty| self.flow.model(&ty));
        !place.projection.is_empty() && fields && owner().is_some_and(|model| model.unique)
    }
}

/// What is found in a local, or in a part of one, by these fields.
fn found(base: Node, by: FieldsId) -> Node {
    match base {
        Node::Local(inst, local) => Node::Found(inst, local, None, by),
        Node::Part(inst, local, part) => Node::Found(inst, local, Some(part), by),
        other => other,
    }
}

/// What is put into this field of it.
fn put(base: Node, field: FieldId) -> Node {
    match base {
        Node::Local(inst, local) => Node::Put(inst, local, None, field),
        Node::Part(inst, local, part) => Node::Put(inst, local, Some(part), field),
        other => other,
    }
}

pub(super) fn is_exclusive(ty: &TyKind) -> bool {
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
