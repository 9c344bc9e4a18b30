//! Entries that are marked: who finds one free marks it as taken, under the guard that it found it free under, and marks it as free again
//! when done. An entry that is taken is left alone by all others.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Change, Value as ModelValue};

use crate::ir::{Basis, BasisId, Causes, Facet, Mark};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::constants::operand;
use crate::mir::{Operand, Place, Prim, Rvalue, StatementKind, TerminatorKind, Ty, TyKind};
use crate::world::points::points_to::InstId;
use crate::world::values::value::{Known, Values};

/// Calls within calls in which a mark is asked for.
const MOST_CALLS: u32 = 3;

/// Changes, each with the mark that it puts somewhere.
type Marks = Vec<(BasisId, String)>;

impl Search<'_, '_> {
    /// Says which changes mark entries, and which of these marks replace which others.
    pub(in crate::lower::sharing) fn marks(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        // By variables and key: what is put there, each with the mark.
        let mut alike: BTreeMap<(BTreeSet<usize>, Known), Marks> = BTreeMap::new();
        for (&at, &id) in &self.ids {
            let Some((key, text, ty)) = self.marked(values, at) else { continue };
            let sees = self.sees_what_is_there(values, list, (at, &key, &ty));
            list[id.index()].mark = Some(Mark { puts: text.clone(), sees, replaces: Vec::new() });
            let vars = self.vars(at).clone();
            alike.entry((vars, key)).or_default().push((id, text));
        }
        for marks in alike.into_values() {
            for (id, text) in &marks {
                let others = marks.iter().filter(|(_, other)| other != text).map(|(other, _)| *other);
                if let Some(mark) = &mut list[id.index()].mark {
                    mark.replaces = others.collect();
                    mark.replaces.sort_unstable();
                }
            }
        }
    }

    /// The key, the mark, and the type of marks, if a change puts one of two constants into an entry.
    fn marked(
        &self,
        values: &Values<'_, '_>,
        (inst, block, number): AccessAt,
    ) -> Option<(Known, String, Ty)> {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let (access, key) = self.keyed(inst, block, at)?;
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let mut stored = call
            .args
            .iter()
            .skip(1)
            .filter(|arg| !std::ptr::eq(*arg, key))
            .filter(|_| access.change == Some(Change::Set));
        let stored = stored.next().filter(|_| stored.next().is_none())?;
        let ty = match stored {
            Operand::Copy(place) | Operand::Move(place) => self.flow.place_ty(inst, place)?,
            Operand::Const(constant) => constant.ty.clone()?,
        };
        let two = match &*ty {
            TyKind::Prim(Prim::Bool) => true,
            _ => self.flow.code.variants(&ty).is_some_and(|variants| variants.len() == 2),
        };
        two.then(|| Some((values.operand(inst, key)?, operand(body, stored)?, ty)))?
    }

    /// Whether a mark is made because of what was there: the entry under the key was looked at, or the key is that of one that was searched for
    /// by its mark.
    fn sees_what_is_there(
        &self,
        values: &Values<'_, '_>,
        list: &[Basis],
        ((inst, block, number), key, ty): (AccessAt, &Known, &Ty),
    ) -> bool {
        let Some(mark) = self.ids.get(&(inst, block, number)).map(|id| &list[id.index()]) else {
            return false;
        };
        if mark.branch == Causes::Any || mark.data == Causes::Any {
            return false;
        }
        let vars = self.vars((inst, block, number));
        self.ids.range((inst, 0, 0)..(InstId(inst.0 + 1), 0, 0)).any(|(&look, id)| {
            let seen = &list[id.index()];
            let decides = self.vars(look) == vars && self.looks(look) && mark.branch.include(*id);
            let at = self.facts.effects[inst.0 as usize][look.1][look.2].at;
            match self.keyed(inst, look.1, at) {
                Some((_, of)) => {
                    decides
                        && seen.asked == Some(Facet::Value)
                        && (values.behind(inst, of).as_ref() == Some(key)
                            || values.operand(inst, of).as_ref() == Some(key))
                }
                None => decides && mark.data.include(*id) && self.asks_for(inst, ty, MOST_CALLS),
            }
        })
    }

    /// Whether something that a function calls, or has called, goes by a mark.
    fn asks_for(&self, inst: InstId, ty: &Ty, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let calls = self.flow.calls.range((inst, 0)..(InstId(inst.0 + 1), 0));
        calls.flat_map(|(_, info)| &info.callees).any(|callee| {
            let is_mark =
                |place: &Place| self.flow.place_ty(*callee, place).is_some_and(|of| of.peel_refs() == &**ty);
            let blocks = self.flow.body_of(*callee).blocks.iter().enumerate();
            blocks.into_iter().any(|(index, block)| {
                let asked = block.statements.iter().any(|statement| match &statement.kind {
                    StatementKind::Assign(_, Rvalue::Discriminant(place)) => is_mark(place),
                    StatementKind::Assign(_, Rvalue::Unary(_, operand) | Rvalue::Use(operand)) => {
                        **ty == TyKind::Prim(Prim::Bool) && operand.place().is_some_and(is_mark)
                    }
                    _ => false,
                });
                let compared = match &block.terminator.kind {
                    TerminatorKind::Call(call) => {
                        let value = self.flow.model_at(*callee, index).and_then(|model| model.value);
                        matches!(value, Some(ModelValue::IsEqual | ModelValue::IsDifferent))
                            && call.args.iter().filter_map(Operand::place).any(is_mark)
                    }
                    _ => false,
                };
                asked || compared
            }) || self.asks_for(*callee, ty, fuel)
        })
    }
}
