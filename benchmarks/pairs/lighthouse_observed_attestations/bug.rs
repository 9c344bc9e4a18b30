// lighthouse, issue #1719: observe_attestation computes the index of the slot's set, lets go of the lock and then uses the index; another attestation that prunes or pushes sets meanwhile shifts them, so the root is looked up in the set of another slot (IncorrectSlot, InvalidSetIndex).
use parking_lot::RwLock;
use std::collections::HashSet;
use tracing::{debug, warn};

pub type Slot = u64;
pub type Hash256 = [u8; 32];
const MAX_CAPACITY: u64 = 34;

#[derive(Debug, PartialEq)]
pub enum ObserveOutcome { New, AlreadyKnown }

#[derive(Debug, PartialEq)]
pub enum Error {
    SlotTooLow { slot: Slot, lowest_permissible_slot: Slot },
    IncorrectSlot { expected: Slot, attestation: Slot },
    InvalidSetIndex(usize),
}

pub struct Attestation { pub slot: Slot, pub root: Hash256, pub signature_ok: bool }

struct SlotHashSet { set: HashSet<Hash256>, slot: Slot }

impl SlotHashSet {
    fn observe_attestation(&mut self, a: &Attestation) -> Result<ObserveOutcome, Error> {
        if a.slot != self.slot {
            return Err(Error::IncorrectSlot { expected: self.slot, attestation: a.slot });
        }
        Ok(if self.set.insert(a.root) { ObserveOutcome::New } else { ObserveOutcome::AlreadyKnown })
    }
}

/// Stores the roots of attestations for some number of slots, so we can determine if these have
/// previously been seen on the network.
#[derive(Default)]
pub struct ObservedAttestations {
    lowest_permissible_slot: RwLock<Slot>,
    sets: RwLock<Vec<SlotHashSet>>,
}

impl ObservedAttestations {
    /// Store the root of `a` in `self`.
    pub fn observe_attestation(&self, a: &Attestation) -> Result<ObserveOutcome, Error> {
        let index = self.get_set_index(a.slot)?;
        self.sets
            .write() //~
            .get_mut(index)
            .ok_or(Error::InvalidSetIndex(index))
            .and_then(|set| set.observe_attestation(a))
    }

    /// Removes the sets of slots that are too old, given the current slot.
    pub fn prune(&self, current_slot: Slot) {
        let lowest = current_slot.saturating_sub(MAX_CAPACITY - 1);
        *self.lowest_permissible_slot.write() = lowest;
        self.sets.write().retain(|set| set.slot >= lowest); //~
    }

    /// The index of the set with `slot`, which is made if it does not exist.
    fn get_set_index(&self, slot: Slot) -> Result<usize, Error> {
        let lowest_permissible_slot = *self.lowest_permissible_slot.read();
        if slot < lowest_permissible_slot {
            return Err(Error::SlotTooLow { slot, lowest_permissible_slot });
        }
        // Prune if this attestation indicates that the current slot has advanced.
        if lowest_permissible_slot + MAX_CAPACITY < slot + 1 {
            self.prune(slot);
        }
        let mut sets = self.sets.write(); //~
        if let Some(index) = sets.iter().position(|set| set.slot == slot) {
            return Ok(index);
        }
        let index = sets.len();
        sets.push(SlotHashSet { set: HashSet::new(), slot });
        Ok(index)
    }

    pub fn len(&self) -> usize {
        self.sets.read().iter().map(|set| set.set.len()).sum()
    }
}

#[derive(Debug)]
pub enum AttnError { BadSignature, AttestationAlreadyKnown, Observe(Error) }

#[derive(Default)]
pub struct BeaconChain { observed_attestations: ObservedAttestations }

impl BeaconChain {
    /// Called by several workers at once, one per gossip message.
    pub fn verify_aggregated_attestation_for_gossip(&self, a: &Attestation) -> Result<(), AttnError> {
        if !a.signature_ok {
            return Err(AttnError::BadSignature);
        }
        match self.observed_attestations.observe_attestation(a) {
            Ok(ObserveOutcome::New) => Ok(()),
            Ok(ObserveOutcome::AlreadyKnown) => {
                debug!(slot = a.slot, "aggregate already known");
                Err(AttnError::AttestationAlreadyKnown)
            }
            Err(err) => {
                warn!(?err, "unexpected condition in processing attestation");
                Err(AttnError::Observe(err))
            }
        }
    }

    pub fn per_slot_task(&self, current_slot: Slot) {
        self.observed_attestations.prune(current_slot);
        debug!(current_slot, left = self.observed_attestations.len(), "pruned");
    }
}
