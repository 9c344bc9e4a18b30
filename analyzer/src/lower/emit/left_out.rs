//! What there was no time for.

use crate::world::units::UnitId;

use super::emitter::Emitter;

impl Emitter<'_, '_> {
    /// Whether a unit does something that was not looked at, or what it is started by is too much to know it.
    pub fn is_cut(&self, unit: UnitId) -> bool {
        self.sharing.cut
            || self.units.is_below(unit, &self.units.left_out)
            || self.units.visits[unit.0]
                .iter()
                .any(|(inst, ..)| self.facts.left_out.contains(inst) || self.bases.left_out.contains(inst))
    }
}
