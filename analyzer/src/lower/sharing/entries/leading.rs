//! Keys that lead to entries: what is put in somewhere has the key in it under which its event puts something in elsewhere. Who finds the one goes on
//! to the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Basis, BasisId};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Operand, StatementKind, TerminatorKind};
use crate::world::values::value::{Known, Values};

impl Search<'_, '_> {
    /// Says of each change to which entries of other collections what it puts in leads.
    pub(in crate::lower::sharing) fn lead(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let mut entries: BTreeMap<Known, Vec<(AccessAt, BasisId)>> = BTreeMap::new();
        for (&at, &id) in self.ids.iter().filter(|(at, _)| !self.looks(**at)) {
            let step = &self.facts.effects[at.0.0 as usize][at.1][at.2];
            let key = self.entry(at.0, at.1, step.at).filter(|(_, back)| !back);
            if let Some(known) = key.and_then(|(key, _)| values.operand(at.0, key)).filter(is_of_one_run) {
                entries.entry(known).or_default().push((at, id));
            }
        }
        if entries.is_empty() {
            return;
        }
        for (&at, &id) in self.ids.iter().filter(|(at, _)| !self.looks(**at)) {
            let known = self.put_in(at).into_iter().flat_map(|put| values.contents(at.0, put));
            let found = known.filter_map(|known| entries.get(&known)).flatten();
            let elsewhere = found.filter(|(entry, _)| self.vars(*entry).is_disjoint(self.vars(at)));
            let leads: BTreeSet<BasisId> = elsewhere.map(|(_, entry)| *entry).collect();
            list[id.index()].leads = leads.into_iter().collect();
        }
    }

    /// What a change puts into what it changes.
    fn put_in(&self, (inst, block, number): AccessAt) -> Vec<&Operand> {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let data = &self.flow.body_of(inst).blocks[block];
        match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
            (Some(StatementKind::Assign(_, rvalue)), _) => rvalue.operands(),
            (None, TerminatorKind::Call(call)) => call.args.iter().skip(1).collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether a value is one that a run of an event has, and not the same for all.
fn is_of_one_run(known: &Known) -> bool {
    matches!(known, Known::Of(..) | Known::In(..))
}
