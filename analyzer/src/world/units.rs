//! What runs on its own: events and tasks, found by following calls and spawns from `main` and other beginnings.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{On, Order};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::world::actions::effects::{Action, Started};
use crate::world::facts::Facts;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::singletons::is_run_for_a_static;

/// How a body is run, which decides what its loops and spawns mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Once, as part of a straight line that starts at `main`: what it spawns is an event that happens once.
    Once,
    /// As `Once`, but repeatedly: what it spawns happens many times.
    Repeated,
    /// In a task of which there are many: spawns are tasks, loops that wait for the outside are events.
    Task,
    /// In an event: spawns are tasks, loops are loops.
    Event,
    /// As `Once`, beside this task, which is the only one that it starts: see [`crate::lower::emit::main_and_task`].
    Beside(InstId),
}

/// One of so many parts of the memory is for what units run.
const VISITS: u64 = 4;

/// A unit's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct UnitId(pub usize);

/// An event or a task.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub inst: InstId,
    /// Only this loop of the body: its smallest block.
    pub part: Option<usize>,
    pub phase: Phase,
    /// An event; otherwise a task.
    pub event: bool,
    pub once: bool,
    /// Instances follow one another.
    pub actor: bool,
    pub on: On,
    /// The place where it runs, if a model names one.
    pub at: Option<Rc<str>>,
    /// Which rule made it.
    pub why: String,
    /// The unit whose code starts it; the first, if there are several.
    pub parent: Option<UnitId>,
    /// There are several.
    pub shared: bool,
    /// The instance that gives it to a library, which calls it.
    pub given_by: Option<InstId>,
    /// It does nothing that matters to anyone.
    pub idle: bool,
    /// It starts at a point of the straight line of its parent, or of who gives it to a library: nothing of it runs before that.
    pub started: bool,
}

/// A stretch of code in a unit: an instance in a phase, all of it or one loop.
pub(crate) type Visit = (InstId, Phase, Option<usize>);

/// By instance that gives something to a library: the units that run it.
pub(crate) type Givers = BTreeMap<InstId, BTreeSet<UnitId>>;

/// All units.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub units: Vec<Unit>,
    ids: BTreeMap<(InstId, Option<usize>, bool), UnitId>,
    /// What each runs.
    pub visits: Vec<BTreeSet<Visit>>,
    /// Those that run more than there was time or memory for: they do nothing.
    pub left_out: BTreeSet<UnitId>,
    /// By task: what starts it, and whether in a loop.
    starters: BTreeMap<UnitId, BTreeSet<(InstId, bool)>>,
}

/// Where a stretch of code leads.
struct Ways {
    /// Loops that are events of their own, by their smallest block.
    loops: Vec<usize>,
    calls: Vec<Visit>,
    /// Tasks that it starts, and whether in a loop.
    tasks: Vec<(InstId, bool, On)>,
}

impl Ways {
    fn new(facts: &Facts, visit: Visit) -> Ways {
        let (inst, phase, part) = visit;
        let mut ways = Ways { loops: Vec::new(), calls: Vec::new(), tasks: Vec::new() };
        if part.is_none() && phase != Phase::Event {
            ways.loops.extend(facts.event_loops(inst).into_iter().map(|(first, _)| first));
        }
        let cfg = &facts.cfgs[inst.0 as usize];
        for block in facts.blocks(visit) {
            let in_loop = part.is_none() && cfg.loop_of(block).is_some();
            for step in &facts.effects[inst.0 as usize][block] {
                match &step.action {
                    Action::Call { callees, times, .. } => {
                        let phase = phase.called(in_loop || *times == Order::Many);
                        ways.calls.extend(callees.iter().map(|callee| (*callee, phase, None)));
                    }
                    Action::Spawn { tasks, on, started, .. } => {
                        let in_loop = in_loop || *started == Started::Twice;
                        ways.tasks.extend(tasks.iter().map(|task| (*task, in_loop, *on)));
                    }
                    _ => {}
                }
            }
        }
        ways
    }
}

impl Phase {
    /// The phase of code called from here.
    pub fn called(self, in_loop: bool) -> Phase {
        if self == Phase::Once && in_loop { Phase::Repeated } else { self }
    }
}

impl Units {
    /// Adds a unit unless it is there.
    pub fn add(&mut self, unit: Unit) -> UnitId {
        let key = (unit.inst, unit.part, unit.event);
        if let Some(&id) = self.ids.get(&key) {
            let known = &mut self.units[id.0];
            known.once &= unit.once && known.parent == unit.parent;
            known.shared |= known.parent != unit.parent;
            known.started &= unit.started;
            return id;
        }
        let id = UnitId(self.units.len());
        self.units.push(unit);
        self.visits.push(BTreeSet::new());
        self.ids.insert(key, id);
        id
    }

    /// Says of what libraries are given by the straight line of `main` alone that it starts there.
    pub fn begin_registered(&mut self, flow: &Flow<'_>) {
        let mut sites: BTreeMap<InstId, BTreeSet<InstId>> = BTreeMap::new();
        for ((by, _), events) in &flow.registered {
            for event in events {
                sites.entry(*event).or_default().insert(*by);
            }
        }
        let mut phases: BTreeMap<InstId, BTreeSet<Phase>> = BTreeMap::new();
        for (inst, phase, _) in self.visits.iter().flatten() {
            phases.entry(*inst).or_default().insert(*phase);
        }
        let in_line = |by: &InstId| {
            phases.get(by).is_none_or(|phases| {
                phases.iter().all(|phase| matches!(phase, Phase::Once | Phase::Repeated))
            })
        };
        for unit in self.units.iter_mut().filter(|unit| unit.event && unit.parent.is_none()) {
            let by = sites.get(&unit.inst);
            unit.started |=
                by.is_some_and(|by| by.iter().all(in_line) && by.iter().any(|by| phases.contains_key(by)));
        }
    }

    /// Lets `f` change the units.
    pub fn replace<T>(&mut self, f: impl FnOnce(&mut [Unit]) -> T) -> T {
        let result = f(&mut self.units);
        let key = |unit: &Unit| (unit.inst, unit.part, unit.event);
        self.ids = self.units.iter().enumerate().map(|(id, unit)| (key(unit), UnitId(id))).collect();
        result
    }

    /// Whether a unit is one of these, or was started by one of them, or by one that was.
    pub fn is_below(&self, unit: UnitId, above: &BTreeSet<UnitId>) -> bool {
        let mut at = Some(unit);
        for _ in 0..self.units.len() {
            match at {
                Some(unit) if above.contains(&unit) => return true,
                Some(unit) => at = self.units[unit.0].parent,
                None => return false,
            }
        }
        false
    }

    /// What these units run, with all that they start.
    pub fn visits_below<'u>(&'u self, above: &'u BTreeSet<UnitId>) -> impl Iterator<Item = &'u Visit> {
        let below = (0..self.units.len()).map(UnitId).filter(|unit| self.is_below(*unit, above));
        below.flat_map(|unit| &self.visits[unit.0])
    }

    /// The event that a unit is a part of, itself if it is one.
    pub fn event_of(&self, unit: UnitId) -> UnitId {
        let mut at = unit;
        while let Some(parent) = self.units[at.0].parent.filter(|_| !self.units[at.0].event) {
            at = parent;
        }
        at
    }

    /// The units that start a unit, or give it to a library, and those that start them, and so on.
    pub fn above(&self, unit: UnitId, givers: &Givers) -> BTreeSet<UnitId> {
        let mut found = BTreeSet::new();
        let mut work = vec![unit];
        while let Some(at) = work.pop() {
            let unit = &self.units[at.0];
            work.extend(unit.parent.filter(|parent| found.insert(*parent)));
            if let Some(by) = unit.given_by {
                let givers = givers.get(&by).into_iter().flatten();
                work.extend(givers.filter(|giver| found.insert(**giver)));
            }
        }
        found
    }

    /// The units that run what gives something to a library.
    pub fn givers(&self) -> Givers {
        let mut givers: Givers =
            self.units.iter().filter_map(|unit| unit.given_by).map(|by| (by, BTreeSet::new())).collect();
        if givers.is_empty() {
            return givers;
        }
        for (number, visits) in self.visits.iter().enumerate() {
            for (inst, ..) in visits {
                givers.get_mut(inst).map(|units| units.insert(UnitId(number)));
            }
        }
        givers
    }

    /// The unit that was made of this.
    pub fn find(&self, inst: InstId, part: Option<usize>, event: bool) -> Option<UnitId> {
        self.ids.get(&(inst, part, event)).copied()
    }

    /// The bodies that units run.
    pub fn bodies(&self, flow: &Flow<'_>) -> BTreeSet<crate::world::points::bodies::BodyId> {
        let visits = self.visits.iter().flatten();
        visits.map(|(inst, _, _)| flow.instances[inst.0 as usize].body).collect()
    }

    /// Follows everything that the units added so far run and start.
    pub fn follow(&mut self, flow: &Flow<'_>, facts: &Facts) {
        // Many units run the same code.
        let mut known: FxHashMap<Visit, Rc<Ways>> = FxHashMap::default();
        let mut room = flow.limits().allow(VISITS);
        let mut next = 0;
        while next < self.units.len() {
            let unit = self.units[next].clone();
            let first = (unit.inst, unit.phase, unit.part);
            let mut seen: FxHashSet<Visit> = FxHashSet::default();
            let mut work = vec![first];
            let mut fits = true;
            while let Some(visit) = work.pop() {
                if !seen.insert(visit) {
                    continue;
                }
                fits &= !flow.is_late();
                if !fits {
                    break;
                }
                let ways = Rc::clone(known.entry(visit).or_insert_with(|| Rc::new(Ways::new(facts, visit))));
                for &first in &ways.loops {
                    self.add_loop(UnitId(next), visit.0, visit.1, first);
                }
                for &(task, in_loop, on) in &ways.tasks {
                    let task = self.add_spawned(UnitId(next), task, visit.1, in_loop, on);
                    self.starters.entry(task).or_default().insert((visit.0, in_loop));
                }
                work.extend(ways.calls.iter().copied().filter(|called| !seen.contains(called)));
            }
            // In a set of its own, and about as much again for the set.
            fits &= room.take(2 * seen.len() * size_of::<Visit>());
            match fits {
                true => self.visits[next] = seen.into_iter().collect(),
                false => drop(self.left_out.insert(UnitId(next))),
            }
            next += 1;
        }
        self.put_in_turn(flow);
    }

    fn add_loop(&mut self, parent: UnitId, inst: InstId, phase: Phase, first: usize) {
        let on = self.units[parent.0].on;
        let alone = phase == Phase::Once && self.units[parent.0].once;
        self.add(Unit {
            inst,
            part: Some(first),
            phase: Phase::Event,
            event: true,
            once: false,
            actor: alone,
            on,
            at: None,
            why: "a loop that waits for the outside: an iteration is an event".into(),
            parent: Some(parent),
            shared: false,
            given_by: None,
            idle: false,
            started: matches!(phase, Phase::Once | Phase::Repeated),
        });
    }

    fn add_spawned(&mut self, parent: UnitId, task: InstId, phase: Phase, in_loop: bool, on: On) -> UnitId {
        let event = matches!(phase, Phase::Once | Phase::Repeated);
        let once = phase == Phase::Once && !in_loop && self.units[parent.0].once;
        let why = if once {
            "a task that the program starts once"
        } else if event {
            "a task that the program starts in a loop"
        } else {
            "a task"
        };
        self.add(Unit {
            inst: task,
            part: None,
            phase: if once { Phase::Once } else { Phase::Task },
            event,
            once,
            actor: false,
            on,
            at: None,
            why: why.into(),
            parent: Some(parent),
            shared: false,
            given_by: None,
            idle: false,
            started: event,
        })
    }

    /// Says of the rounds of a task that is started once in a process that they follow one another.
    fn put_in_turn(&mut self, flow: &Flow<'_>) {
        let begun: BTreeSet<InstId> = self.units.iter().map(|unit| unit.inst).collect();
        let is_one = |starters: &BTreeSet<(InstId, bool)>| {
            let mut starters = starters.iter();
            let first = starters.next().filter(|_| starters.next().is_none());
            first.is_some_and(|(by, in_loop)| !in_loop && is_run_for_a_static(flow, &begun, *by))
        };
        let single: BTreeSet<UnitId> =
            self.starters.iter().filter(|(_, starters)| is_one(starters)).map(|(task, _)| *task).collect();
        let is_single = |unit: &Unit| unit.parent.is_some_and(|parent| single.contains(&parent));
        for unit in &mut self.units {
            unit.actor |= unit.part.is_some() && !unit.shared && is_single(unit);
        }
    }
}
