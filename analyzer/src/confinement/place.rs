//! Where code runs: the places that models describe, and what is known of one of them at some point of a program.

use std::collections::BTreeSet;

use robust_models::{Block, Blocks, Demand, Host, Models, On, Place, Threads};
use rustc_hash::FxHashMap;

use super::atoms::{Atoms, DemandSet};

/// A place, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PlaceId(u32);

/// What places may have and operations may ask for.
pub(crate) struct Demands<'m> {
    list: Vec<&'m Demand>,
    numbers: FxHashMap<&'m str, u32>,
}

/// All places.
pub(crate) struct Places<'m> {
    pub demands: Demands<'m>,
    list: Vec<&'m Place>,
    numbers: FxHashMap<&'m str, PlaceId>,
    /// Where that runs of which nothing is known; a place about which nothing is known when models have none.
    others: PlaceId,
    /// What places mean in this program.
    meant: FxHashMap<PlaceId, PlaceId>,
    /// Operations of these kinds need not make anybody wait in this program.
    pub unblocked: Vec<Blocks>,
}

/// What is known of where something runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Record {
    /// The place that it is, for readers.
    pub place: PlaceId,
    has: DemandSet,
    /// There may be more than that.
    open: bool,
    entered: DemandSet,
    /// What it means that something blocks; none: that is not known.
    pub block: Option<Block>,
    pub threads: Option<Threads>,
    /// The code asked whether these are there.
    told: DemandSet,
    /// Other futures are polled in turn with what runs.
    pub beside: bool,
    /// What runs is alone on its thread but for tasks that were started there before.
    crowded: bool,
}

impl<'m> Demands<'m> {
    /// The set of those with these names. Names that are declared nowhere are reported by [`Models::undeclared`].
    pub fn set(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> DemandSet {
        let numbers = names.into_iter().filter_map(|name| self.numbers.get(name.as_ref()).copied());
        numbers.fold(0, |set, number| set | (1 << number))
    }

    /// The one with this number.
    pub fn get(&self, number: u32) -> Option<&'m Demand> {
        self.list.get(number as usize).copied()
    }
}

impl<'m> Places<'m> {
    /// Those of all models, in a program that makes threads of these, and sees to it that these kinds of operations do not wait.
    pub fn new(models: &'m Models, made: &BTreeSet<&str>, unblocked: Vec<Blocks>) -> Self {
        static UNKNOWN: std::sync::LazyLock<Place> = std::sync::LazyLock::new(|| Place {
            name: String::new(),
            shown: "some thread".into(),
            unknown: true,
            ..Place::default()
        });
        let mut demands: Vec<&Demand> = models.demands().collect();
        demands.sort_by(|a, b| a.name.cmp(&b.name));
        demands.truncate(DemandSet::BITS as usize);
        let numbers = demands.iter().enumerate().map(|(at, demand)| (&*demand.name, at as u32)).collect();
        let mut list: Vec<&Place> = models.places().collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        let known = list.iter().enumerate().map(|(at, place)| (&*place.name, PlaceId(at as u32)));
        let known: FxHashMap<&str, PlaceId> = known.collect();
        let others = list.iter().position(|place| place.hosts.contains(&Host::Others));
        let others = others.unwrap_or_else(|| {
            list.push(&UNKNOWN);
            list.len() - 1
        });
        let is_meant = |place: &&&Place| {
            let other = place.stands_for.as_deref().filter(|other| !made.contains(other));
            other.is_some() && made.contains(&*place.name)
        };
        let meant = list
            .iter()
            .filter(is_meant)
            .filter_map(|place| Some((*known.get(place.stands_for.as_deref()?)?, *known.get(&*place.name)?)));
        let meant = meant.collect();
        Places {
            demands: Demands { list: demands, numbers },
            list,
            numbers: known,
            others: PlaceId(others as u32),
            meant,
            unblocked,
        }
    }

    /// What models say of it.
    pub fn get(&self, id: PlaceId) -> &'m Place {
        self.list[id.0 as usize]
    }

    /// The place of that name.
    pub fn named(&self, name: &str) -> PlaceId {
        let place = self.numbers.get(name).copied().unwrap_or(self.others);
        self.meant.get(&place).copied().unwrap_or(place)
    }

    /// Where that runs of which a model says no more than this.
    pub fn on(&self, on: On) -> PlaceId {
        let found = self.list.iter().position(|place| place.on == Some(on));
        found.map_or(self.others, |at| PlaceId(at as u32))
    }

    /// Where that runs of which no model says anything.
    pub fn host(&self, host: Host) -> PlaceId {
        let found = self.list.iter().position(|place| place.hosts.contains(&host));
        found.map_or(self.others, |at| PlaceId(at as u32))
    }

    /// Whether it is a thread that others look at: it has what the place of a user interface has.
    pub fn draws(&self, record: Record) -> bool {
        let ui = self.start(self.on(On::Ui));
        record.block == Some(Block::Never) && !record.open && ui.has != 0 && record.has & ui.has == ui.has
    }

    /// What is asked of whoever goes on at a place, when this is asked there.
    pub fn settle(&self, id: PlaceId, asked: Atoms) -> Atoms {
        let (place, own) = (self.get(id), self.start(id));
        let left = self.demands.set(&place.leaves);
        let rest = asked.unless(own.has, left | own.entered);
        if place.block.is_some() { rest.without_blocks() } else { rest }
    }

    /// Where that runs of which nothing is known.
    pub fn unknown(&self) -> Record {
        self.start(self.others)
    }

    /// What is known where something starts on a thread of this place.
    pub fn start(&self, id: PlaceId) -> Record {
        let place = self.get(id);
        Record {
            place: id,
            has: self.demands.set(&place.has),
            open: place.unknown,
            entered: self.demands.set(&place.entered),
            block: place.block,
            threads: place.threads,
            told: 0,
            beside: false,
            crowded: false,
        }
    }

    /// What is known where something goes on at this place.
    pub fn go_on(&self, id: PlaceId, from: Record) -> Record {
        let place = self.get(id);
        let own = self.start(id);
        if !place.here {
            return own;
        }
        let left = !self.demands.set(&place.leaves);
        Record {
            place: if place.block.is_some() { id } else { from.place },
            has: from.has | own.has,
            open: from.open || own.open,
            entered: (from.entered & left) | own.entered,
            block: own.block.or(from.block),
            threads: own.threads.or(from.threads),
            told: from.told,
            beside: from.beside && own.block.is_none(),
            crowded: from.crowded && own.block.is_none(),
        }
    }
}

impl Record {
    /// What is there.
    pub fn has(self) -> DemandSet {
        self.has
    }

    /// The same where more is there, and more was asked for.
    pub fn with(self, has: DemandSet, told: DemandSet) -> Record {
        Record { has: self.has | has, told: self.told | told, ..self }
    }

    /// Whether something of this is there.
    pub fn has_any(self, of: DemandSet) -> bool {
        self.has & of != 0
    }

    /// Whether it is known what is there.
    pub fn is_known(self) -> bool {
        !self.open
    }

    /// Whether what blocks there keeps only a single future waiting.
    pub fn is_alone(self) -> bool {
        self.block == Some(Block::Itself)
    }

    /// The same on a runtime that has but this thread.
    pub fn is_alone_on_one(self) -> bool {
        self.is_alone() && matches!(self.threads, Some(Threads::One | Threads::Each)) && !self.open
    }

    /// The same when tasks were started on its thread.
    pub fn crowded(self) -> Record {
        Record { crowded: true, ..self }
    }

    /// Whether tasks wait where what it runs blocks.
    pub fn is_crowded(self) -> bool {
        self.crowded
    }

    /// The same in turn with other futures.
    pub fn in_turn(self) -> Record {
        Record { beside: true, ..self }
    }

    /// The same where something is made that is made once: nothing is said of what blocks there.
    pub fn at_first(self) -> Record {
        Record { block: None, ..self }
    }

    /// Whether the code asked about this operation's place before it did it.
    pub fn has_asked(self, asked: Atoms) -> bool {
        (asked.needs | asked.refuses) & self.told != 0
    }

    /// Of what is asked, that which this place does not provide. What blocks a future that waits alone is left to whoever judges.
    pub fn unsettled(self, asked: Atoms) -> Atoms {
        let needs = if self.open { 0 } else { asked.needs & !self.has & !self.told };
        let refuses = asked.refuses & self.entered & !self.told;
        let rest = Atoms { needs, refuses, ..asked };
        match self.block {
            Some(Block::Never | Block::Itself) => rest,
            Some(Block::Fine) | None => rest.without_blocks(),
        }
    }
}
