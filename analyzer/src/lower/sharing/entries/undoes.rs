//! Changes that take others back: what is added is subtracted again, what is put in under a key is taken out again.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{AccessKind, Change, Flow};

use crate::ir::{Basis, BasisId, By};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Operand, Place, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::actions::updates::{self, Direction};
use crate::world::points::aggregates::is_option;
use crate::world::points::points_to::InstId;
use crate::world::values::value::{Known, Values, given};

/// An entry is moved from the call that returns it to that which changes it so many times.
const MOVES: usize = 8;

/// What two changes have in common of which one takes the other back.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Common {
    /// They are by this amount.
    Amount(Known),
    /// They are about the element under this key.
    Key(Known),
}

impl Search<'_, '_> {
    /// Says which changes take which others back.
    pub(in crate::lower::sharing) fn take_backs(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        // By variables and what they have in common: what is done, and what takes it back.
        let mut alike: BTreeMap<(BTreeSet<usize>, Common), [Vec<BasisId>; 2]> = BTreeMap::new();
        for (&at, &id) in &self.ids {
            if let Some((common, back)) = self.common(values, at) {
                let vars = self.sharing.among(self.flow, self.locs(at));
                let both = alike.entry((vars, common)).or_default();
                both[usize::from(back)].push(id);
            }
        }
        self.hand_over(values, &mut alike);
        // One, and all others that come up.
        let mut amounts: Vec<Known> = vec![Known::Number(1)];
        for ((_, common), [done, back]) in alike {
            if let Common::Amount(amount) = &common {
                let at = amounts.iter().position(|known| known == amount).unwrap_or_else(|| {
                    amounts.push(amount.clone());
                    amounts.len() - 1
                });
                for (id, less) in done.iter().map(|id| (id, false)).chain(back.iter().map(|id| (id, true))) {
                    list[id.index()].by = Some(By { number: at as u32, less });
                }
            }
            for id in &back {
                list[id.index()].undoes.clone_from(&done);
            }
            for id in &done {
                match common {
                    // What is subtracted may be added again; what is put in anew is something else.
                    Common::Amount(_) => list[id.index()].undoes.clone_from(&back),
                    Common::Key(_) => {
                        list[id.index()].again = done.iter().copied().filter(|other| other != id).collect();
                    }
                }
            }
        }
    }

    /// What is taken out under a key that a dropped value has, takes back what was put in under the key that such values are made with: all
    /// of them, wherever they are made, are made with a key that something was put in under, and there is one value for each.
    fn hand_over(
        &self,
        values: &Values<'_, '_>,
        alike: &mut BTreeMap<(BTreeSet<usize>, Common), [Vec<BasisId>; 2]>,
    ) {
        let kept: Vec<(BTreeSet<usize>, String, u32)> = alike
            .keys()
            .filter_map(|(vars, common)| match common {
                Common::Key(Known::Kept(ty, field)) => Some((vars.clone(), ty.clone(), *field)),
                _ => None,
            })
            .collect();
        for (vars, ty, field) in kept {
            let Some(keys) = values.made_with(&ty, field) else { continue };
            let puts: Option<Vec<Vec<BasisId>>> = keys
                .into_iter()
                .map(|key| {
                    let [done, _] = alike.get(&(vars.clone(), Common::Key(key)))?;
                    (!done.is_empty()).then(|| done.clone())
                })
                .collect();
            let Some(puts) = puts else { continue };
            if let Some([done, _]) = alike.get_mut(&(vars, Common::Key(Known::Kept(ty, field)))) {
                done.extend(puts.into_iter().flatten());
                done.sort();
                done.dedup();
            }
        }
    }

    /// Says which looks insist on what their function has put in under the same key: a panic follows unless it is there.
    pub(in crate::lower::sharing) fn insist(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let mut alike: BTreeMap<(BTreeSet<usize>, Known), [Vec<BasisId>; 2]> = BTreeMap::new();
        let mut slots: BTreeMap<BTreeSet<usize>, [Vec<BasisId>; 2]> = BTreeMap::new();
        for (&(inst, block, number), &id) in &self.ids {
            let step = &self.facts.effects[inst.0 as usize][block][number];
            let Action::Access { touch, .. } = &step.action else { continue };
            let basis = &list[id.index()];
            let looks = *touch == Touch::Read;
            let Some((access, key)) = self.keyed(inst, block, step.at) else {
                if if looks { basis.asserts } else { self.fills_option(inst, block, step.at) } {
                    let vars = self.sharing.among(self.flow, self.locs((inst, block, number)));
                    slots.entry(vars).or_default()[usize::from(looks)].push(id);
                }
                continue;
            };
            let puts = access.change == Some(Change::Set) || access.change.is_none() && basis.checks;
            if (if looks { basis.asserts } else { puts })
                && let Some(key) = values.behind(inst, key).or_else(|| values.operand(inst, key))
            {
                let vars = self.sharing.among(self.flow, self.locs((inst, block, number)));
                alike.entry((vars, key)).or_default()[usize::from(looks)].push(id);
            }
        }
        for [puts, looks] in alike.into_values().chain(slots.into_values()) {
            for look in looks {
                list[look.index()].insists.clone_from(&puts);
            }
        }
    }

    /// Whether a statement stores something in an option.
    fn fills_option(&self, inst: InstId, block: usize, at: usize) -> bool {
        let statement = self.flow.body_of(inst).blocks[block].statements.get(at);
        let Some(StatementKind::Assign(place, value)) = statement.map(|statement| &statement.kind) else {
            return false;
        };
        let body = self.flow.body_of(inst);
        let made = match value {
            Rvalue::Use(of) => of.place().and_then(Place::as_local).and_then(|local| given(body, local)),
            made => Some(made),
        };
        let is_option = self.flow.place_ty(inst, place).is_some_and(|ty| is_option(&ty));
        is_option && made.and_then(crate::world::actions::outcome::of) == Some(true)
    }

    /// What an access has in common with those that it takes back, or that take it back; and whether it is one that does.
    fn common(&self, values: &Values<'_, '_>, (inst, block, number): AccessAt) -> Option<(Common, bool)> {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let Action::Access { touch, .. } = &step.action else { return None };
        // Who would take something out, and finds nothing, has only looked.
        let entry = self.entry(inst, block, step.at).filter(|(_, back)| *back || *touch != Touch::Read);
        if let Some((key, back)) = entry {
            return Some((Common::Key(values.operand(inst, key)?), back));
        }
        if !matches!(touch, Touch::Update(_)) {
            return None;
        }
        let (amount, less) = self.amount(inst, block, step.at)?;
        Some((Common::Amount(values.operand(inst, amount)?), less))
    }

    /// The key of the entry that the call at a statement makes or takes out, and whether it takes it out.
    pub(super) fn entry(&self, inst: InstId, block: usize, at: usize) -> Option<(&Operand, bool)> {
        let Some((access, key)) = self.keyed(inst, block, at) else {
            return self.within_entry(inst, block, at);
        };
        match access.change {
            Some(Change::Set) => Some((key, false)),
            Some(Change::Remove) => Some((key, true)),
            // Into a set, or where there is no entry yet.
            None if access.claims || self.is_entry(inst, block) => Some((key, false)),
            _ => None,
        }
    }

    /// The same of a call on an entry that a map was asked for in the same function: what fills it puts something in under its key, and
    /// what else changes it takes that out.
    fn within_entry(&self, inst: InstId, block: usize, at: usize) -> Option<(&Operand, bool)> {
        let body = self.flow.body_of(inst);
        let data = body.blocks.get(block).filter(|data| data.statements.len() == at)?;
        let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
        let model = self.flow.model_at(inst, block)?;
        if !model.access.iter().flatten().any(|access| access.kind == AccessKind::Write) {
            return None;
        }
        let mut local = call.args.first()?.place()?.local;
        for _ in 0..MOVES {
            let asked = body.blocks.iter().enumerate().find_map(|(index, of)| match &of.terminator.kind {
                TerminatorKind::Call(call) if call.dest.as_local() == Some(local) => Some((index, of)),
                _ => None,
            });
            if let Some((index, of)) = asked {
                let (_, key) = self.keyed(inst, index, of.statements.len())?;
                return self.is_entry(inst, index).then_some((key, model.flow != Some(Flow::Fill)));
            }
            local =
                body.blocks.iter().flat_map(|of| &of.statements).find_map(|statement| {
                    match &statement.kind {
                        StatementKind::Assign(to, Rvalue::Use(Operand::Move(from)))
                            if to.as_local() == Some(local) =>
                        {
                            Some(from.local)
                        }
                        _ => None,
                    }
                })?;
        }
        None
    }

    /// Whether the call that ends a block asks for the entry of a key, to make one where there is none.
    pub(super) fn is_entry(&self, inst: InstId, block: usize) -> bool {
        let is_entry = |model: &robust_models::Function| {
            model.checks && model.access.iter().flatten().all(|access| access.change.is_none())
        };
        self.flow.model_at(inst, block).is_some_and(is_entry)
    }

    /// By how much the update at a statement changes its place, and whether it takes that away.
    pub fn amount(&self, inst: InstId, block: usize, at: usize) -> Option<(&Operand, bool)> {
        let body = self.flow.body_of(inst);
        let data = &body.blocks[block];
        let Some(statement) = data.statements.get(at) else {
            let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
            let access = self.modelled(inst, block, at).iter().find(|access| access.by.is_some())?;
            return Some((call.args.get(access.by?)?, access.less));
        };
        let StatementKind::Assign(place, rvalue) = &statement.kind else { return None };
        let value = |block: usize| self.flow.model_at(inst, block)?.value;
        let (by, direction) = updates::amount(body, &value, ((block, at), place, rvalue))?;
        Some((by, direction == Direction::Less))
    }
}
