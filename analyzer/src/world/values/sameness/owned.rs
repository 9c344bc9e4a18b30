//! Who else may have a key that was made for a part of an event: tasks that were started with it, rounds of a loop in one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ir::Own;
use crate::lower::sharing::basis::AccessAt;
use crate::world::actions::cfg::reach_through;
use crate::world::actions::effects::{Action, Started};
use crate::world::facts::Facts;
use crate::world::followed::started_once;
use crate::world::points::bodies::BodyId;
use crate::world::points::object::allocator;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{UnitId, Units, Visit};

/// Places where values are made: instances and their blocks.
pub(crate) type Places = BTreeSet<(InstId, usize)>;

/// The units that run a block.
type Running = Rc<BTreeSet<UnitId>>;

/// A block of a body.
type Text = (BodyId, usize);

/// Finds who has a key.
pub(crate) struct Owners<'o, 'a> {
    flow: &'o Flow<'a>,
    facts: &'o Facts,
    units: &'o Units,
    /// By instance: the units that run it.
    visits: BTreeMap<InstId, Vec<(UnitId, Visit)>>,
    /// By instance that objects are named after: those that make them.
    makers: FxHashMap<InstId, Vec<InstId>>,
    /// By block: the units that run it, as far as anybody asked.
    running: RefCell<FxHashMap<(InstId, usize), Running>>,
}

/// What uses a key, or an object, one thing after the other.
#[derive(Clone, Copy)]
struct User {
    by: UnitId,
    /// Each instance of its event makes one itself.
    inside: bool,
    /// It makes one itself, be it a task.
    itself: bool,
    /// It was given it by what starts it, which may start others that run the same code.
    given: bool,
    /// It was made for what is started with it, each time anew.
    started: bool,
    /// The event that is so started.
    to: Option<UnitId>,
    /// Each run of this, with all that it starts, makes one, or is started with one.
    maker: UnitId,
}

/// A key that is somebody's own, or an object.
struct Key {
    made: Places,
    /// One that uses it, if all that do run the same code.
    by: Option<UnitId>,
    inside: bool,
    itself: bool,
    given: bool,
    /// It was made for who is started with it.
    started: bool,
    to: Option<UnitId>,
    makers: BTreeSet<UnitId>,
}

impl Key {
    /// Who uses it, and was started with it, if all that do run the same code.
    fn users(&self) -> impl Iterator<Item = UnitId> {
        self.by.into_iter().chain(self.to)
    }
}

/// What each run of these units makes, or is started with.
pub(crate) struct Makers<'m> {
    pub units: &'m BTreeSet<UnitId>,
    /// They are started with it.
    pub started: bool,
    /// Where it is made.
    pub made: &'m Places,
}

impl<'o, 'a> Owners<'o, 'a> {
    pub fn new(flow: &'o Flow<'a>, facts: &'o Facts, units: &'o Units) -> Self {
        let mut visits: BTreeMap<InstId, Vec<(UnitId, Visit)>> = BTreeMap::new();
        for (number, visit) in
            units.visits.iter().enumerate().flat_map(|(unit, all)| all.iter().map(move |visit| (unit, visit)))
        {
            visits.entry(visit.0).or_default().push((UnitId(number), *visit));
        }
        let mut makers: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
        for &inst in visits.keys() {
            makers.entry(allocator(flow, inst)).or_default().push(inst);
        }
        Owners { flow, facts, units, visits, makers, running: RefCell::default() }
    }

    /// Whose the keys or objects are that are made in these places, by access: as far as `is_kept` says that nobody gives any of them to
    /// another run of their makers, each of which makes one, with all that it starts.
    pub fn own(
        &self,
        accesses: Vec<(AccessAt, Option<Places>)>,
        mut is_kept: impl FnMut(AccessAt, &Makers<'_>) -> bool,
    ) -> Vec<Option<Own>> {
        let mut key = |at: AccessAt, made: Places| {
            self.key((at.0, at.1), made).filter(|key| {
                is_kept(at, &Makers { units: &key.makers, started: key.started, made: &key.made })
            })
        };
        let keys: Vec<Option<Key>> = accesses.into_iter().map(|(at, made)| key(at, made?)).collect();
        let mut groups = Groups::default();
        keys.iter().flatten().for_each(|key| groups.join(&self.texts(&key.made)));
        let users = self.users(&keys);
        let mut own = Vec::with_capacity(keys.len());
        for key in keys {
            own.push(key.and_then(|key| {
                let by = key.by.map(|by| self.body(by));
                // Of several that run the same code, nobody can tell later which it was.
                let one = |by: UnitId| {
                    let by = self.body(by);
                    key.made.iter().all(|place| users[&(*place, by)].len() <= 1)
                };
                let told_apart = || key.users().next().is_some() && key.users().all(one);
                (!key.given || told_apart()).then(|| Own {
                    key: groups.of(&self.texts(&key.made)),
                    by: by.map(|by| by.0),
                    inside: key.inside,
                    to: key.to.map(|to| self.body(to).0),
                    by_task: key.itself,
                })
            }));
        }
        own
    }

    /// By place where a key is made and body: the units with that body that use it.
    fn users(&self, keys: &[Option<Key>]) -> BTreeMap<((InstId, usize), BodyId), BTreeSet<UnitId>> {
        let mut users: BTreeMap<_, BTreeSet<UnitId>> = BTreeMap::new();
        for key in keys.iter().flatten() {
            for (by, place) in key.users().flat_map(|by| key.made.iter().map(move |place| (by, place))) {
                users.entry((*place, self.body(by))).or_default().insert(by);
            }
        }
        users
    }

    /// The places in the text: the same code in several contexts may become one event.
    fn texts(&self, made: &Places) -> BTreeSet<Text> {
        made.iter().map(|(inst, block)| (self.flow.instances[inst.0 as usize].body, *block)).collect()
    }

    fn body(&self, unit: UnitId) -> BodyId {
        self.flow.instances[self.units.units[unit.0].inst.0 as usize].body
    }

    /// Whose a key is that is made in these places and used in a block.
    fn key(&self, used: (InstId, usize), made: Places) -> Option<Key> {
        let users: Vec<User> =
            self.running(used).iter().map(|unit| self.user(*unit, &made)).collect::<Option<_>>()?;
        let last = users.last()?;
        let inside = users.iter().all(|user| user.inside);
        let itself = users.iter().all(|user| user.itself);
        let given = users.iter().any(|user| user.given);
        let makers = users.iter().map(|user| user.maker).collect();
        let started = users.iter().any(|user| user.started);
        let alike = users.iter().all(|user| self.body(user.by) == self.body(last.by));
        let to = last.to.filter(|to| {
            users.iter().all(|user| user.to.is_some_and(|other| self.body(other) == self.body(*to)))
        });
        let by = alike.then_some(last.by);
        // What each makes itself is its own, whoever it is.
        (alike || inside || to.is_some()).then_some(Key {
            made,
            by,
            inside,
            itself,
            given,
            started,
            to,
            makers,
        })
    }

    /// The units that run a block.
    fn running(&self, (inst, block): (InstId, usize)) -> Running {
        if let Some(known) = self.running.borrow().get(&(inst, block)) {
            return Rc::clone(known);
        }
        // Most units that run an instance run it in the same way.
        let mut runs: BTreeMap<Visit, bool> = BTreeMap::new();
        let visits = self.visits.get(&inst).into_iter().flatten();
        let there = visits.filter(|(_, visit)| {
            *runs.entry(*visit).or_insert_with(|| self.facts.blocks(*visit).contains(&block))
        });
        let found = Rc::new(there.map(|(unit, _)| *unit).collect());
        self.running.borrow_mut().insert((inst, block), Rc::clone(&found));
        found
    }

    /// What uses, in this unit, what is made in these places.
    fn user(&self, unit: UnitId, made: &Places) -> Option<User> {
        let at = |unit: UnitId| &self.units.units[unit.0];
        let (mut within, event) = self.up_to_event(unit);
        let user = |by, maker| User {
            by,
            inside: false,
            itself: false,
            given: false,
            started: false,
            to: None,
            maker,
        };
        if self.all_in(made, &within) {
            let itself = self.all_in(made, &[unit].into());
            return Some(User { inside: true, itself, ..user(unit, event) });
        }
        if self.is_started_with(event, made) {
            return Some(User { given: true, started: true, to: Some(event), ..user(unit, event) });
        }
        // Rounds of a loop come one after the other in one task, which has one such key.
        let task = at(unit).parent.filter(|_| at(unit).part.is_some())?;
        if self.all_in(made, &[unit, task].into()) {
            return Some(user(task, task));
        }
        if self.is_started_with(task, made) {
            return Some(User { given: true, started: true, ..user(task, task) });
        }
        let (above, event) = self.up_to_event(task);
        within.extend(above);
        (self.all_in(made, &within) && self.is_started_once(task))
            .then_some(User { given: true, ..user(task, event) })
    }

    /// A task, and what it is part of, up to the event, which is the second.
    fn up_to_event(&self, unit: UnitId) -> (BTreeSet<UnitId>, UnitId) {
        let mut found = BTreeSet::from([unit]);
        let mut at = unit;
        while !self.units.units[at.0].event
            && let Some(parent) = self.units.units[at.0].parent
            && found.insert(parent)
        {
            at = parent;
        }
        (found, at)
    }

    fn all_in(&self, made: &Places, units: &BTreeSet<UnitId>) -> bool {
        let makes = |inst: &InstId, block: usize| !self.running((*inst, block)).is_disjoint(units);
        made.iter().all(|(inst, block)| {
            let others = self.makers.get(inst).into_iter().flatten();
            others.chain([inst]).any(|inst| makes(inst, *block))
        })
    }

    /// Whether a task is started at one place in the text only, each time behind where another one of these is made.
    fn is_started_with(&self, task: UnitId, made: &Places) -> bool {
        let unit = &self.units.units[task.0];
        if unit.part.is_some() || !unit.started && unit.parent.is_none() {
            return false;
        }
        let mut text = None;
        for &inst in self.visits.keys() {
            for (block, steps) in self.facts.effects[inst.0 as usize].iter().enumerate() {
                for step in steps {
                    let Action::Spawn { tasks, started, .. } = &step.action else { continue };
                    if !tasks.contains(&unit.inst) {
                        continue;
                    }
                    let here = (self.flow.instances[inst.0 as usize].body, block);
                    if *text.get_or_insert(here) != here
                        || *started == Started::Twice
                        || !self.is_made_before(made, inst, block)
                    {
                        return false;
                    }
                }
            }
        }
        text.is_some()
    }

    /// Whether a block is come to only behind where one of these is made, in the same function, and again only behind where another one is.
    fn is_made_before(&self, made: &Places, inst: InstId, block: usize) -> bool {
        let named = allocator(self.flow, inst);
        let makes = |at: usize| made.contains(&(inst, at)) || made.contains(&(named, at));
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let without = |from: Vec<usize>| reach_through(&cfg.succs, from, |at| !makes(at)).contains(&block);
        !makes(block) && !without(vec![0]) && !without(cfg.succs[block].clone())
    }

    /// Whether a task is started in one place by what it is part of, itself or in what it calls, and there not again and again.
    fn is_started_once(&self, task: UnitId) -> bool {
        let (inst, parent) = (self.units.units[task.0].inst, self.units.units[task.0].parent);
        let Some(parent) = parent else { return false };
        let own = self.units.units[parent.0].inst;
        let again = |inst: InstId, block: usize| match inst == own {
            true => self.facts.comes_again(inst, block),
            false => self.facts.is_in_loop(inst, block),
        };
        started_once(self.facts, self.units, parent, again).contains(&inst)
    }
}

/// Places that go together, because a value may be made in any of them.
#[derive(Default)]
struct Groups {
    number: BTreeMap<Text, u32>,
}

impl Groups {
    fn join(&mut self, places: &BTreeSet<Text>) {
        let next = self.number.len() as u32;
        let known: BTreeSet<u32> =
            places.iter().filter_map(|place| self.number.get(place).copied()).collect();
        let number = known.first().copied().unwrap_or(next);
        self.number.values_mut().filter(|other| known.contains(other)).for_each(|other| *other = number);
        self.number.extend(places.iter().map(|place| (*place, number)));
    }

    fn of(&self, places: &BTreeSet<Text>) -> u32 {
        places.first().and_then(|place| self.number.get(place)).copied().unwrap_or_default()
    }
}
