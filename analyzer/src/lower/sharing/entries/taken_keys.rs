//! Accesses under keys that their events have taken out of a collection: who takes another one out there has another key.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Basis, Own};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::values::keys::Keys;
use crate::world::values::owned::{Owners, Places};

impl Search<'_, '_> {
    /// Says of each access under which such key it is.
    pub(in crate::lower::sharing) fn take_keys(
        &self,
        keys: &Keys<'_, '_, '_>,
        owners: &Owners<'_, '_>,
        list: &mut [Basis],
    ) {
        let places: Vec<(AccessAt, Option<Places>)> =
            self.ids.keys().map(|at| (*at, keys.taken(*at))).collect();
        let from: Vec<Option<BTreeSet<usize>>> =
            places.iter().map(|(_, places)| keys.fresh.collection(places.as_ref()?)).collect();
        let mut collections: BTreeMap<BTreeSet<usize>, u32> = BTreeMap::new();
        let all = list.iter_mut().zip(owners.own(places, |_, _| true)).zip(from);
        for ((basis, own), from) in all {
            let next = collections.len() as u32;
            let from = from.map(|vars| *collections.entry(vars).or_insert(next));
            let own = own.filter(|_| basis.own.is_none());
            basis.taken = own.zip(from).map(|(own, key)| Own { key, ..own });
        }
    }
}
