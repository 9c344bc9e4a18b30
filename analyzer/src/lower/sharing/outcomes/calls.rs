//! What goes into calls, and what comes out of them.

use robust_models::{Order, Value as ModelValue};

use crate::ir::BasisId;
use crate::lower::sharing::basis::Search;
use crate::mir::{BodyKind, CallTarget, Callee, Local, Operand, Place, TyKind};
use crate::world::points::points_to::{CallInfo, InstId};
use crate::world::values::depend::{Node, Way};

use super::flows::is_exclusive;

impl Search<'_, '_> {
    pub(super) fn call(
        &mut self,
        inst: InstId,
        block: usize,
        call: &CallTarget,
        accesses: &[(BasisId, bool)],
        deciders: &[usize],
    ) {
        let into = self.node(inst, &call.dest);
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
        // Which of several structs comes out of there may be up to what is in another one.
        let one = call.args.iter().filter(|arg| arg.place().is_some()).count() == 1;
        for arg in &call.args {
            if !(by_outside && arg.place().is_some_and(|place| self.is_exclusive(inst, place))) {
                self.given(inst, arg, into, if one { Way::Value } else { Way::Anywhere });
            }
            let Some(target) = arg.place().filter(|_| !stored) else { continue };
            if !self.is_exclusive(inst, target) || self.leads_out(inst, info, target) {
                continue;
            }
            let to = self.node(inst, target);
            let way = if call.args.len() == 2 { Way::Value } else { Way::Anywhere };
            for other in call.args.iter().filter(|other| !std::ptr::eq(*other, arg)) {
                self.given(inst, other, to, way);
            }
            // What is not put in because of a look is missed later.
            if call.args.len() > 1 {
                self.decided(inst, deciders, to);
            }
            if self.flow.place_ty(inst, &call.dest).is_some_and(|ty| lends(&ty)) {
                self.back(inst, &call.dest, target);
            }
        }
        if let Callee::Value(operand) = &call.callee {
            self.operand(inst, operand, into);
        }
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
                        let held = self.node(inst, place);
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
                    self.flow(node, self.node(inst, place));
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
