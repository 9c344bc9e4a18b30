//! Which fields accesses are about, of structs that the program has as one variable with others: the values of a map, what is in an option. Who
//! has to do with one field of such a struct does nothing to another one.

use crate::ir::Member;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::points::points_to::InstId;
use crate::world::values::value::{Values, given};

/// References that are followed to what they refer to.
const MOST_STEPS: u32 = 16;

impl Search<'_, '_> {
    /// The fields that an access is about, each with the struct that it is of, from the inside out, as far as nothing but these is in between.
    pub(in crate::lower::sharing) fn members(&self, values: &Values<'_, '_>, at: AccessAt) -> Vec<Member> {
        let (inst, block, number) = at;
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let mut members = Vec::new();
        // What is done inside of another function is done to what that is given.
        if step.from.is_none_or(|from| from == (inst, block, step.at))
            && let Some(place) = self.accessed(at)
        {
            self.add_members(values, inst, &place, MOST_STEPS, &mut members);
        }
        members
    }

    /// The struct that a look under a key leads to, and lends to be changed: what is read of it is read by later accesses.
    pub(in crate::lower::sharing) fn finds(&self, at: AccessAt) -> Option<String> {
        let (inst, block, number) = at;
        let step = &self.facts.effects[inst.0 as usize][block][number];
        self.keyed(inst, block, step.at).filter(|_| self.looks(at))?;
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        let result = self.flow.place_ty(inst, &call.dest)?;
        let TyKind::Ref { mutable: true, to, .. } = &**result.as_path()?.type_args().next()? else {
            return None;
        };
        Some(to.as_path().filter(|_| self.flow.code.has_fields(to))?.plain())
    }

    /// The place that an access is to.
    fn accessed(&self, (inst, block, number): AccessAt) -> Option<Place> {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let changes = !self.looks((inst, block, number));
        let data = &self.flow.body_of(inst).blocks[block];
        match data.statements.get(at).map(|statement| &statement.kind) {
            Some(StatementKind::Assign(place, _)) if changes => Some(place.clone()),
            Some(StatementKind::Assign(_, rvalue)) => {
                let behind = |place: &&Place| place.projection.contains(&Projection::Deref);
                let mut places = rvalue.places().into_iter().filter(behind);
                places.next().filter(|_| places.next().is_none()).cloned()
            }
            Some(_) => None,
            None => {
                let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
                let local = call.args.first()?.place()?.as_local()?;
                Some(Place { local, projection: vec![Projection::Deref] })
            }
        }
    }

    fn add_members(
        &self,
        values: &Values<'_, '_>,
        inst: InstId,
        place: &Place,
        fuel: u32,
        members: &mut Vec<Member>,
    ) {
        let Some(fuel) = fuel.checked_sub(1) else { return };
        for (at, step) in place.projection.iter().enumerate().rev() {
            let whole = Place { local: place.local, projection: place.projection[..at].to_vec() };
            let ty = self.flow.place_ty(inst, &whole);
            match step {
                Projection::Field(number, _) => {
                    let of_variant = matches!(whole.projection.last(), Some(Projection::Downcast(_)));
                    if let Some(ty) = ty.filter(|ty| !of_variant && self.flow.code.has_fields(ty))
                        && let Some(path) = ty.as_path()
                    {
                        members.push(Member { of: path.plain(), field: *number });
                    }
                }
                Projection::Downcast(_) => {}
                Projection::Deref if at == 0 => {
                    return self.add_behind(values, inst, place.local, fuel, members);
                }
                _ => return,
            }
        }
    }

    /// Adds the fields that a reference leads to.
    fn add_behind(
        &self,
        values: &Values<'_, '_>,
        inst: InstId,
        reference: Local,
        fuel: u32,
        members: &mut Vec<Member>,
    ) {
        let body = self.flow.body_of(inst);
        if (1..=body.arg_count).contains(&reference.0) {
            let Some((caller, call)) = values.caller(inst) else { return };
            let own = call.args.len() == body.arg_count as usize;
            let given = call.args.get(reference.0 as usize - 1).filter(|_| own);
            if let Some(local) = given.and_then(Operand::place).and_then(Place::as_local)
                && let Some(fuel) = fuel.checked_sub(1)
            {
                self.add_behind(values, caller, local, fuel, members);
            }
            return;
        }
        match given(body, reference) {
            Some(Rvalue::Ref(_, of)) => self.add_members(values, inst, of, fuel, members),
            Some(Rvalue::Use(Operand::Copy(of) | Operand::Move(of)) | Rvalue::CopyForDeref(of)) => {
                if let (Some(local), Some(fuel)) = (of.as_local(), fuel.checked_sub(1)) {
                    self.add_behind(values, inst, local, fuel, members);
                }
            }
            _ => {}
        }
    }
}
