//! Who wakes those who wait, and only then changes what they wait for: whoever looks in between finds it as it was, begins to wait, and is told
//! by nobody. Such a wake is a message that was sent too early, to somebody who misses it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{Basis, BasisId, ENLIST, Message, WAKE};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::messages::{MOST, Messages};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Step};
use crate::world::answers::called_by;
use crate::world::points::points_to::InstId;

/// A wait that begins, and what wakes whoever waits there.
type Wait = (AccessAt, Vec<AccessAt>);

impl Search<'_, '_> {
    /// The waits that something wakes.
    pub(super) fn waits_with_wakes(&self) -> Vec<Wait> {
        let signals = |wanted| self.ids.keys().copied().filter(move |at| self.signals(*at, wanted));
        let wakes: Vec<AccessAt> = signals(WAKE).collect();
        let woken = |wait: AccessAt| {
            let at_it = |wake: &&AccessAt| !self.vars(**wake).is_disjoint(self.vars(wait));
            (wait, wakes.iter().filter(at_it).copied().collect())
        };
        signals(ENLIST).map(woken).filter(|(_, waking): &Wait| !waking.is_empty()).collect()
    }

    /// Adds the wakes behind which something is changed that those look at who begin to wait. `all`: the accesses of the units that run an
    /// instance.
    pub(super) fn missed(
        &self,
        waits: Vec<Wait>,
        all: &dyn Fn(InstId) -> Rc<[AccessAt]>,
        list: &mut Vec<Basis>,
        messages: &mut Messages,
    ) {
        let ways = Ways { search: self, calls: RefCell::default(), behind: RefCell::default() };
        for (wait, waking) in waits {
            if self.flow.is_late() {
                continue;
            }
            let heard = self.decides_to_wait(&all(wait.0), wait, list);
            let mut sent: Vec<(AccessAt, BTreeSet<BasisId>)> = Vec::new();
            let again = RefCell::default();
            for wake in &waking {
                if self.flow.is_late() {
                    break;
                }
                let accesses = all(wake.0);
                let about = |change: &&AccessAt| {
                    let seen =
                        |(at, _): &(AccessAt, BasisId)| !self.vars(*at).is_disjoint(self.vars(**change));
                    heard.iter().any(seen)
                };
                let behind = |change: &&AccessAt| {
                    ways.comes_behind(**change, *wake, (&waking, &again))
                        && !ways.undoes(**change, *wake, &accesses)
                };
                let changes = accesses.iter().filter(about).filter(behind);
                let told: BTreeSet<BasisId> = changes.map(|at| self.ids[at]).collect();
                if !told.is_empty() {
                    sent.push((*wake, told));
                }
            }
            if sent.is_empty() || messages.channels.len() == MOST {
                continue;
            }
            let channel = messages.channels.len();
            messages.channels.push(self.name_of(wait));
            let mut add = |at: (InstId, usize), message, concerns: BTreeSet<BasisId>| {
                let id = BasisId(list.len() as u32);
                list.push(Basis::of_message(message, concerns.into_iter().collect()));
                let places = match message {
                    Message::Sent => &mut messages.sent,
                    _ => &mut messages.received,
                };
                places.entry(at).or_default().push((channel, id));
            };
            add((wait.0, wait.1), Message::Missed, heard.into_iter().map(|(_, id)| id).collect());
            for (wake, told) in sent {
                add((wake.0, wake.1), Message::Sent, told);
            }
        }
    }

    /// The looks that decide whether a wait begins.
    fn decides_to_wait(
        &self,
        accesses: &[AccessAt],
        wait: AccessAt,
        list: &[Basis],
    ) -> Vec<(AccessAt, BasisId)> {
        let Some(basis) = list.get(self.ids[&wait].index()) else { return Vec::new() };
        let looks = accesses.iter().filter(|at| self.looks(**at)).map(|at| (*at, self.ids[at]));
        looks.filter(|(_, look)| basis.branch.name(*look)).collect()
    }

    /// What is waited at.
    fn name_of(&self, wait: AccessAt) -> String {
        let locs = self.locs(wait).iter();
        let mut names = locs.map(|loc| crate::world::points::names::name(self.flow, *loc));
        names.find(|name| !name.is_empty()).unwrap_or_else(|| "the condition".to_owned())
    }
}

/// What comes behind what in a function, by itself or by what it calls.
struct Ways<'w, 's, 'a> {
    search: &'w Search<'s, 'a>,
    /// By instance, and by instance that it calls at some depth: the blocks that do so.
    calls: RefCell<BTreeMap<(InstId, InstId), BTreeSet<usize>>>,
    /// By block, the blocks that come behind it.
    behind: Blocks<(InstId, usize)>,
}

/// Blocks of an instance, as far as anybody asked.
type Blocks<K> = RefCell<BTreeMap<K, Rc<BTreeSet<usize>>>>;

impl Ways<'_, '_, '_> {
    /// Whether something is changed behind a wake, and nobody is woken behind that, as far as one of the two functions tells.
    fn comes_behind(
        &self,
        change: AccessAt,
        wake: AccessAt,
        (wakes, again): (&[AccessAt], &Blocks<InstId>),
    ) -> bool {
        if self.search.looks(change)
            || self.search.signals(change, WAKE)
            || self.search.signals(change, ENLIST)
        {
            return false;
        }
        [wake.0, change.0].into_iter().any(|inst| {
            let (from, to) = (self.places_in(inst, wake), self.places_in(inst, change));
            if from.is_empty()
                || !from.is_disjoint(&to)
                || from.iter().any(|block| self.behind(inst, *block).is_disjoint(&to))
            {
                return false;
            }
            let mut known = again.borrow_mut();
            let again = known.entry(inst).or_insert_with(|| {
                Rc::new(wakes.iter().flat_map(|wake| self.places_in(inst, *wake)).collect())
            });
            !to.iter().any(|block| again.contains(block) || !self.behind(inst, *block).is_disjoint(again))
        })
    }

    /// The blocks that come behind one.
    fn behind(&self, inst: InstId, block: usize) -> Rc<BTreeSet<usize>> {
        let find = || {
            let succs = &self.search.cfg(inst).succs;
            Rc::new(reach(succs, succs[block].iter().copied()))
        };
        Rc::clone(self.behind.borrow_mut().entry((inst, block)).or_insert_with(find))
    }

    /// Whether a number was changed before the wake, which is about that: what is changed behind it is something else.
    fn undoes(&self, change: AccessAt, wake: AccessAt, accesses: &[AccessAt]) -> bool {
        let counts = |at: AccessAt| {
            let step = &self.search.facts.effects[at.0.0 as usize][at.1][at.2];
            self.search.amount(at.0, at.1, step.at).is_some()
        };
        let before = |at: &&AccessAt| {
            !self.search.looks(**at)
                && counts(**at)
                && !self.search.vars(**at).is_disjoint(self.search.vars(change))
                && self.leads_to_wake(**at, wake)
        };
        counts(change) && accesses.iter().any(|at| before(&at))
    }

    fn leads_to_wake(&self, change: AccessAt, wake: AccessAt) -> bool {
        [wake.0, change.0].into_iter().any(|inst| {
            let (from, to) = (self.places_in(inst, change), self.places_in(inst, wake));
            from.iter().any(|block| to.contains(block) || !self.behind(inst, *block).is_disjoint(&to))
        })
    }

    /// The blocks of an instance in which an access is made, by itself or by what it calls there.
    fn places_in(&self, inst: InstId, at: AccessAt) -> BTreeSet<usize> {
        if at.0 == inst {
            return BTreeSet::from([at.1]);
        }
        let facts = self.search.facts;
        let calls = |steps: &[Step]| {
            steps.iter().any(|step| match &step.action {
                Action::Call { callees, .. } => {
                    callees.iter().any(|callee| called_by(facts, *callee).contains(&at.0))
                }
                _ => false,
            })
        };
        let find = || {
            let blocks = facts.effects[inst.0 as usize].iter().enumerate();
            blocks.filter(|(_, steps)| calls(steps)).map(|(block, _)| block).collect()
        };
        self.calls.borrow_mut().entry((inst, at.0)).or_insert_with(find).clone()
    }
}
