// Modelled on maidsafe/temp_safe_network PR #357 ("Fix PrefixMap deadlock").
// `prune_ancestors` goes over the DashMap and removes from it while the iterator still holds the read
// lock of a shard: `remove` waits for the write lock of the same shard and never gets it.

use std::fmt::{self, Display, Formatter};

use dashmap::mapref::entry::Entry;
use dashmap::DashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prefix {
    bits: u64,
    len: u8,
}

impl Prefix {
    pub fn new(bits: u64, len: u8) -> Self {
        let mask = if len == 0 { 0 } else { u64::MAX << (64 - u32::from(len)) };
        Self { bits: bits & mask, len }
    }

    pub fn bit_count(&self) -> u8 {
        self.len
    }

    pub fn is_extension_of(&self, other: &Prefix) -> bool {
        self.len > other.len && Prefix::new(self.bits, other.len) == *other
    }

    pub fn matches(&self, name: u64) -> bool {
        Prefix::new(name, self.len) == *self
    }

    pub fn popped(&self) -> Option<Self> {
        (self.len > 0).then(|| Self::new(self.bits, self.len - 1))
    }

    pub fn sibling(&self) -> Option<Self> {
        (self.len > 0).then(|| Self {
            bits: self.bits ^ (1 << (64 - u32::from(self.len))),
            len: self.len,
        })
    }
}

impl Display for Prefix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for i in 0..self.len {
            write!(f, "{}", (self.bits >> (63 - u32::from(i))) & 1)?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
pub struct SectionAuthority {
    pub prefix: Prefix,
    pub key: [u8; 48],
    pub generation: u64,
}

#[derive(Debug, Default)]
pub struct PrefixMap {
    sections: DashMap<Prefix, SectionAuthority>,
}

impl PrefixMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Inserts unless something newer is known; returns whether the map changed.
    pub fn insert(&self, entry: SectionAuthority) -> bool {
        let prefix = entry.prefix;
        match self.sections.entry(prefix) {
            Entry::Occupied(known) if known.get().generation >= entry.generation => return false,
            Entry::Occupied(mut known) => drop(known.insert(entry)),
            Entry::Vacant(slot) => drop(slot.insert(entry)),
        }
        if let Some(parent) = prefix.popped() {
            self.prune_ancestors(&parent);
        }
        true
    }

    fn prune_ancestors(&self, prefix: &Prefix) {
        for entry in self.sections.iter() { //~
            let known = *entry.key();
            let covers = known == *prefix || prefix.is_extension_of(&known);
            if covers && self.is_covered(prefix) {
                tracing::debug!(%known, "pruned");
                let _ = self.sections.remove(&known); //~
            }
        }
    }

    fn is_covered(&self, prefix: &Prefix) -> bool {
        let left = Prefix::new(prefix.bits, prefix.len + 1);
        left.sibling().is_some_and(|right| {
            self.sections.contains_key(&left) && self.sections.contains_key(&right)
        })
    }

    pub fn get_matching(&self, name: u64) -> Option<SectionAuthority> {
        self.sections
            .iter()
            .filter(|e| e.key().matches(name))
            .max_by_key(|e| e.key().bit_count())
            .map(|e| e.value().clone())
    }
}
