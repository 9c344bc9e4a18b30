//! Who enters itself among those who are told of what happens.

use crate::lower::sharing::basis::Search;
use crate::mir::{Operand, TerminatorKind, TyKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::types::any_part;
use crate::world::values::inline_readers::Origin;

impl Search<'_, '_> {
    /// Whether a call puts in somebody who is told of what happens from then on: the sending end of a channel, or a function that is called.
    pub(in crate::lower::sharing) fn listens(&self, (inst, block, at): Origin, action: &Action) -> bool {
        if matches!(action, Action::Access { touch: Touch::Read, .. }) {
            return false;
        }
        let data = &self.flow.body_of(inst).blocks[block];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
        let is_listener = |part: &TyKind| match part {
            TyKind::Dyn(traits) => traits.iter().any(|tr| matches!(tr.last(), "Fn" | "FnMut" | "FnOnce")),
            other => self.flow.is_sending_end(other),
        };
        let listens = |arg: &Operand| {
            let ty = arg.place().and_then(|place| self.flow.place_ty(inst, place));
            ty.is_some_and(|ty| any_part(&ty, &mut |part| is_listener(part)))
        };
        at == data.statements.len() && call.args.iter().skip(1).any(listens)
    }
}
