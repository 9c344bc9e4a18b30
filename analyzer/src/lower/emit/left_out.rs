//! What there was no time for is left out together with whatever calls it: a caller without the lock that its callee takes would seem
//! to do what the program does not.

use std::collections::BTreeMap;

use crate::ir::walk::each;
use crate::ir::{ProcId, ProcKind, StmtKind};
use crate::world::units::UnitId;

use super::emitter::Emitter;

impl Emitter<'_, '_> {
    /// Whether a unit does something that was not looked at.
    pub fn is_cut(&self, unit: UnitId) -> bool {
        self.sharing.cut
            || self.units.left_out.contains(&unit)
            || self.units.visits[unit.0]
                .iter()
                .any(|(inst, ..)| self.facts.left_out.contains(inst) || self.bases.left_out.contains(inst))
    }

    /// Empties the events and tasks that call what is missing, and says which. To be called before anything is made of what they do.
    pub fn leave_out(&mut self) -> Vec<ProcId> {
        let mut callers: BTreeMap<ProcId, Vec<ProcId>> = BTreeMap::new();
        if self.missing.is_empty() {
            return Vec::new();
        }
        for (index, proc) in self.program.procs.iter().enumerate() {
            each(&proc.body, &mut |stmt| {
                if let StmtKind::Call { proc: callee, .. } = &stmt.kind {
                    callers.entry(*callee).or_default().push(ProcId(index as u32));
                }
            });
        }
        let mut work: Vec<ProcId> = self.missing.iter().copied().collect();
        while let Some(proc) = work.pop() {
            let callers = callers.get(&proc).into_iter().flatten();
            work.extend(callers.filter(|caller| self.missing.insert(**caller)));
        }
        let is_unit = |proc: &&ProcId| !matches!(self.program.proc(**proc).kind, ProcKind::Proc);
        let gone: Vec<ProcId> = self.missing.iter().filter(is_unit).copied().collect();
        gone.iter().for_each(|proc| self.program.procs[proc.index()].body.clear());
        gone
    }
}
