//! Whether a look asks only if there is something, or also what it is: who has seen that an entry is as wanted learns nothing of
//! that when it finds that there is one.

use robust_models::Value as ModelValue;

use crate::ir::Facet;
use crate::mir::{Body, CallTarget, ConstKind, Local, Operand, Place, Rvalue, TerminatorKind};

use crate::world::actions::cfg::{Cfg, is_poll, whole_result};
use crate::world::actions::tags::has_presence;
use crate::world::values::rechecks::made_of;
use crate::world::values::stale::{At, Called};
use crate::world::values::value::{given, result_of};

/// Steps from a truth value to the look that it comes from.
const MAX_STEPS: u32 = 12;

/// What is asked of what the functions that a body calls give.
pub(crate) struct Presence<'b> {
    pub body: &'b Body,
    pub cfg: &'b Cfg,
    /// What is known of the function that a block calls.
    pub called: &'b dyn Fn(usize) -> Called,
}

impl Presence<'_> {
    /// The call that a look is, if it is about something that may be there, by its key or as an option.
    fn look(&self, (block, at): At) -> Option<(&CallTarget, Called)> {
        let data = &self.body.blocks[block];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
        let called = (self.called)(block);
        let ty = self.body.locals.get(call.dest.local.0 as usize).map(|decl| &decl.ty);
        let ends = at == data.statements.len();
        (ends && (called.keyed || ty.is_some_and(|ty| has_presence(ty)))).then_some((call, called))
    }

    /// Whether a look is about something that may be there.
    pub fn is_of_what_may_be_there(&self, at: At) -> bool {
        self.look(at).is_some()
    }

    /// What the body asks of what such a look gives.
    pub fn asked(&self, at: At) -> Option<Facet> {
        let (call, called) = self.look(at)?;
        if called.presence {
            return Some(Facet::Presence);
        }
        let result = call.dest.local;
        let made = made_of(self.body, self.cfg, result);
        let is_asked = |switch: &&usize| match &self.body.blocks[**switch].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => on.place().is_some_and(|on| made.contains(&on.local)),
            _ => false,
        };
        let mut switches = self.cfg.reached.iter().filter(is_asked).peekable();
        let only = switches.peek().is_some() && switches.all(|switch| self.asks_presence(result, *switch));
        Some(if only { Facet::Presence } else { Facet::Value })
    }

    /// Whether a change that is made only where there is something decides nothing by what that is.
    pub fn takes_whatever_is_there(&self, at: At) -> bool {
        self.look(at).is_some_and(|(call, _)| self.branches(call.dest.local).is_empty())
    }

    /// Whether branches on what a call gave go only by whether there was something; what is awaited apart.
    pub fn asks_only_presence(&self, result: Local) -> bool {
        !self.branches(result).is_empty() && self.asks_more(result).is_empty()
    }

    /// Branches on what a call gave that go by more than whether there was something; what is awaited apart.
    pub fn asks_more(&self, result: Local) -> Vec<usize> {
        let branches = self.branches(result).into_iter();
        branches.filter(|switch| !self.asks_presence(result, *switch)).collect()
    }

    fn branches(&self, result: Local) -> Vec<usize> {
        let made = made_of(self.body, self.cfg, result);
        let is_asked = |switch: &usize| match &self.body.blocks[*switch].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => {
                on.place().is_some_and(|on| made.contains(&on.local)) && !self.asks_readiness(*switch)
            }
            _ => false,
        };
        self.cfg.reached.iter().copied().filter(is_asked).collect()
    }

    /// Whether a branch goes by whether something that is awaited has come.
    fn asks_readiness(&self, switch: usize) -> bool {
        let TerminatorKind::SwitchInt { on, .. } = &self.body.blocks[switch].terminator.kind else {
            return false;
        };
        let Some(Rvalue::Discriminant(of)) = on.place().and_then(|on| given(self.body, on.as_local()?))
        else {
            return false;
        };
        of.as_local()
            .is_some_and(|of| self.body.locals.get(of.0 as usize).is_some_and(|decl| is_poll(&decl.ty)))
    }

    /// Whether a look gives what the function returns, and nothing is asked of it before.
    pub fn is_only_returned(&self, at: At) -> bool {
        let Some((call, _)) = self.look(at) else { return false };
        let made = made_of(self.body, self.cfg, call.dest.local);
        let asked = self.cfg.reached.iter().any(|block| match &self.body.blocks[*block].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => on.place().is_some_and(|on| made.contains(&on.local)),
            _ => false,
        });
        !asked && made.contains(&Local::RETURN)
    }

    /// Whether a branch on what a look gave goes only by whether there was something.
    pub fn asks_presence(&self, result: Local, switch: usize) -> bool {
        let TerminatorKind::SwitchInt { on, .. } = &self.body.blocks[switch].terminator.kind else {
            return false;
        };
        let Some(local) = on.place().and_then(Place::as_local) else { return false };
        match given(self.body, local) {
            // What was looked at is which variant is there.
            Some(Rvalue::Discriminant(_)) if local == result => return true,
            Some(Rvalue::Discriminant(of)) => {
                return of.as_local().is_some_and(|of| self.has_presence_of(of, result));
            }
            // How many there are is asked only for there being any.
            Some(Rvalue::Binary(_, operands)) => {
                let is = |of: &Operand| of.place().and_then(Place::as_local) == Some(result);
                let (one, other) = (&operands.0, &operands.1);
                let zero = |of: &Operand| matches!(of, Operand::Const(of) if of.kind == ConstKind::Int(0));
                return is(one) && zero(other) || is(other) && zero(one);
            }
            _ => {}
        }
        let Some((block, call)) = result_of(self.body, on) else { return false };
        let called = (self.called)(block);
        let asks = matches!(called.value, Some(ModelValue::IsOk | ModelValue::IsErr));
        let of = call.args.first().and_then(|of| of.place()?.as_local());
        (call.dest.local == result && (asks || called.presence))
            || asks && of.is_some_and(|of| self.has_presence_of(of, result))
    }

    /// Whether there is something in one value just when there is in the other, that it was made of.
    fn has_presence_of(&self, mut local: Local, result: Local) -> bool {
        for _ in 0..MAX_STEPS {
            if local == result {
                let decl = self.body.locals.get(local.0 as usize);
                return decl.is_some_and(|decl| has_presence(&decl.ty) || is_poll(&decl.ty));
            }
            let next = match given(self.body, local) {
                Some(Rvalue::Use(operand)) => operand.place().cloned(),
                Some(Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place)) => Some(place.clone()),
                Some(_) => None,
                None => match result_of(self.body, &Operand::Copy(Place::from(local))) {
                    Some((block, call)) if (self.called)(block).value == Some(ModelValue::Same) => {
                        call.args.first().and_then(|arg| arg.place().cloned())
                    }
                    _ => None,
                },
            };
            match next.and_then(|place| whole_result(&place)) {
                Some(next) => local = next,
                None => return false,
            }
        }
        false
    }
}
