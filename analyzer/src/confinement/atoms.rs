//! What operations ask of the place where they run, as sets.

use robust_models::{Blocks, Effect, Function};

use super::place::Demands;

/// Demands, by number.
pub(crate) type DemandSet = u64;

/// All kinds of blocking.
const KINDS: [Blocks; 11] = [
    Blocks::Lock,
    Blocks::Stat,
    Blocks::File,
    Blocks::Disk,
    Blocks::Net,
    Blocks::Socket,
    Blocks::Process,
    Blocks::Sleep,
    Blocks::Wait,
    Blocks::Input,
    Blocks::Cpu,
];

/// What an operation, or all that a function does, asks of the place where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Atoms {
    /// What must be there.
    pub needs: DemandSet,
    /// The runtimes that the thread must not be driving.
    pub refuses: DemandSet,
    pub blocks: u16,
    /// What its thread has from then on.
    pub gives: DemandSet,
}

/// One of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// The demand with this number must be met.
    Needs(u32),
    /// The thread must not be driving the runtime with this number.
    Refuses(u32),
    /// The thread is kept from everything else.
    Blocks(Blocks),
}

impl Atoms {
    /// What a library function asks.
    pub fn of_function(function: &Function, demands: &Demands<'_>) -> Self {
        Atoms {
            needs: demands.set(function.needs.iter().flatten()),
            refuses: demands.set(function.refuses.iter().flatten()),
            blocks: function.blocks.map_or(0, bit),
            gives: demands.set(function.gives.iter().flatten()),
        }
    }

    /// What the future that a library function returns asks where it is polled.
    pub fn of_future(function: &Function, demands: &Demands<'_>) -> Self {
        Atoms { needs: demands.set(function.polled.iter().flatten()), ..Atoms::default() }
    }

    /// What an operation without a name asks.
    pub fn of_effect(effect: &Effect, demands: &Demands<'_>) -> Self {
        Atoms {
            needs: demands.set(effect.needs.iter()),
            refuses: demands.set(effect.refuses.iter()),
            blocks: effect.blocks.map_or(0, bit),
            gives: 0,
        }
    }

    /// Nothing is asked.
    pub fn is_empty(self) -> bool {
        (self.needs | self.refuses) == 0 && self.blocks == 0
    }

    /// Both.
    pub fn union(self, other: Atoms) -> Atoms {
        Atoms {
            needs: self.needs | other.needs,
            refuses: self.refuses | other.refuses,
            blocks: self.blocks | other.blocks,
            gives: self.gives | other.gives,
        }
    }

    /// Without these needs and refusals.
    pub fn unless(self, needs: DemandSet, refuses: DemandSet) -> Atoms {
        Atoms { needs: self.needs & !needs, refuses: self.refuses & !refuses, ..self }
    }

    /// Without any blocking.
    pub fn without_blocks(self) -> Atoms {
        Atoms { blocks: 0, ..self }
    }

    /// One by one.
    pub fn each(self) -> impl Iterator<Item = Asked> {
        let refuses = bits(self.refuses).map(Asked::Refuses);
        let blocks = KINDS.into_iter().filter(move |kind| self.blocks & bit(*kind) != 0);
        refuses.chain(bits(self.needs).map(Asked::Needs)).chain(blocks.map(Asked::Blocks))
    }
}

fn bit(kind: Blocks) -> u16 {
    KINDS.iter().position(|known| *known == kind).map_or(0, |at| 1 << at)
}

fn bits(set: DemandSet) -> impl Iterator<Item = u32> {
    (0..DemandSet::BITS).filter(move |number| set & (1 << number) != 0)
}
