//! What only the future itself decides: it is had by `&mut`, so nobody else can change it while the task sleeps, and nobody could
//! wake the task because of it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use robust_models::{Access, AccessKind, Flow as Gives, Otherwise};

use crate::mir::{CallTarget, Local, Operand, Place, Rvalue, TyKind};
use crate::world::points::types::any_part;

use super::super::body::{Def, call_at, defs};
use super::super::parts::Parts;

/// The values of a body that come from nothing but what the future has to itself.
pub(super) struct Own<'p, 'b, 'f, 'a> {
    parts: &'p Parts<'b, 'f, 'a>,
    /// Whether its first argument is all its own.
    has: bool,
    known: RefCell<BTreeMap<Local, bool>>,
}

impl<'p, 'b, 'f, 'a> Own<'p, 'b, 'f, 'a> {
    pub fn new(parts: &'p Parts<'b, 'f, 'a>) -> Self {
        let has = parts.body.inputs().next().is_some_and(|ty| {
            let shared = any_part(ty, &mut |part| matches!(part, TyKind::Ref { mutable: false, .. }));
            !shared && any_part(ty, &mut |part| matches!(part, TyKind::Ref { mutable: true, .. }))
        });
        Own { parts, has, known: RefCell::default() }
    }

    /// Whether a value comes from there.
    pub fn is_operand(&self, operand: &Operand) -> bool {
        operand.place().is_none_or(|place| self.is_place(place))
    }

    /// Whether a call changes nothing, as far as anybody can tell.
    pub fn is_call(&self, call: &CallTarget) -> bool {
        self.parts.is_followed(call) || self.only_reads(call)
    }

    /// Whether a call changes something only where its result is something: what finds nothing to take leaves all as it was.
    pub fn takes(&self, call: &CallTarget) -> bool {
        let ty = call.dest.as_local().and_then(|local| self.parts.body.locals.get(local.0 as usize));
        let is_option = ty.and_then(|decl| decl.ty.as_path()).is_some_and(|path| path.last() == "Option");
        is_option && self.does(call, |one| one.otherwise == Some(Otherwise::Read))
    }

    fn only_reads(&self, call: &CallTarget) -> bool {
        self.does(call, |one| one.kind == AccessKind::Read)
    }

    /// Whether all that a call does are accesses like that.
    fn does(&self, call: &CallTarget, is_so: impl Fn(&Access) -> bool) -> bool {
        let Some(model) = self.parts.model(call).filter(|model| model.acquire.is_none()) else {
            return false;
        };
        // Of which no access is known, it is known that it gives nothing of what it is called on: how much room there is.
        let gives_nothing = model.flow == Some(Gives::Nothing);
        let all = model.access.as_ref();
        all.is_some_and(|all| (gives_nothing || !all.is_empty()) && all.iter().all(is_so))
    }

    fn is_place(&self, place: &Place) -> bool {
        let Some(reach) = self.parts.reach(place) else { return false };
        let from = reach.part.local;
        !reach.shared && if from == Local(1) { self.has } else { self.is_local(from) }
    }

    fn is_local(&self, local: Local) -> bool {
        if local.0 <= self.parts.body.arg_count {
            return false;
        }
        if let Some(known) = self.known.borrow().get(&local) {
            return *known;
        }
        // In a loop it is what it was in the round before.
        self.known.borrow_mut().insert(local, true);
        let found = defs(self.parts.body, local).into_iter().all(|def| self.is_def(def));
        self.known.borrow_mut().insert(local, found);
        found
    }

    fn is_def(&self, def: Def<'_>) -> bool {
        match def {
            Def::Assign(Rvalue::ThreadLocalRef(_) | Rvalue::RawPtr { .. }) => false,
            Def::Assign(rvalue) => rvalue.places().into_iter().all(|place| self.is_place(place)),
            Def::Call(block) => call_at(self.parts.body, block).is_some_and(|call| {
                (self.is_call(call) || self.takes(call)) && call.args.iter().all(|arg| self.is_operand(arg))
            }),
        }
    }
}
