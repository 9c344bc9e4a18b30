//! Messages that are sent too early: the sender changes something behind them that the receiver goes by. What is counted, entered or put in
//! behind the message is taken off or out by who has it already; who was answered finds what is removed behind the answer.
//!
//! A channel is a variable here: whoever sends updates it, whoever has received reads it, where it is known that there is a message.
//! Such accesses mean something in one kind of violation only (`finding/judge/waits/messages.rs`), so they are made only where this kind is possible:
//! where the sender has a change, and the receiver an access, that may be its two ends.

use std::cell::{LazyCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ir::{Basis, BasisId, Change, ENLIST, Message, WAKE};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::channels::{Channels, Sending, sendings};
use crate::lower::sharing::receipts::{
    PRESENT, Receipt, Receiver, Variants, present, receipts, rounds, sources,
};
use crate::mir::{AggregateKind, Local, Operand, Rvalue, TerminatorKind};
use crate::world::actions::effects::{Action, Started, Touch};
use crate::world::callers::instances;
use crate::world::points::aggregates::variant_made;
use crate::world::points::names::name;
use crate::world::points::points_to::InstId;
use crate::world::units::{UnitId, Units};
use crate::world::values::value::given;

/// More of them are not told apart from what is sent and received otherwise.
pub(super) const MOST: usize = 64;

/// By block: the channels that it accesses, numbered, with what these accesses are based on.
pub(crate) type Places = BTreeMap<(InstId, usize), Vec<(usize, BasisId)>>;

/// Where messages are sent and received that may come too early.
#[derive(Default)]
pub(crate) struct Messages {
    /// What the channels are called.
    pub channels: Vec<String>,
    /// By block that ends in sending something.
    pub sent: Places,
    /// By block that is reached when there is a message.
    pub received: Places,
}

impl Messages {
    /// Whether something is sent in a block, or was received there.
    pub fn has(&self, inst: InstId, block: usize) -> bool {
        [&self.sent, &self.received].into_iter().any(|places| places.contains_key(&(inst, block)))
    }
}

impl Search<'_, '_> {
    /// Finds them; the bases of sending and receiving are added to the list.
    pub(in crate::lower::sharing) fn messages(&self, units: &Units, list: &mut Vec<Basis>) -> Messages {
        let mut messages = Messages::default();
        let mut receipts = receipts(self);
        let starts = self.starts(&mut receipts);
        let waits = self.waits_with_wakes();
        if receipts.is_empty() && waits.is_empty() {
            return messages;
        }
        let visitors = visitors(units);
        let accesses = self.by_unit(units, &visitors);
        let known = RefCell::<FxHashMap<InstId, Rc<[AccessAt]>>>::default();
        let all = |inst| {
            let mut known = known.borrow_mut();
            Rc::clone(known.entry(inst).or_insert_with(|| of_inst(&visitors, &accesses, inst)))
        };
        self.missed(waits, &all, list, &mut messages);
        if receipts.is_empty() {
            return messages;
        }
        let channels = Channels::new(self, &receipts);
        let sendings = sendings(self);
        self.answers(&receipts, (&channels, &sendings), list, &mut messages);
        self.actors(&receipts, (&channels, &sendings), units, list, &mut messages);
        let mut sendings: Vec<(Sending, Vec<&Receipt>)> = sendings
            .into_iter()
            .map(|sending| {
                let receipts = channels.of(self, &sending, &receipts);
                (sending, receipts)
            })
            .collect();
        let started = starts.into_iter().map(|(start, rounds)| (start, receipts[rounds].iter().collect()));
        sendings.extend(started);
        let pairing = Pairing::new(self);
        for receipt in &receipts {
            let mut heard = BTreeSet::new();
            let mut sent = Vec::new();
            let early = LazyCell::new(|| self.by_var(&all(receipt.at.0)));
            for (sending, receipts) in &sendings {
                let meets = receipts.iter().any(|other| std::ptr::eq(*other, receipt));
                if self.flow.is_late() || !meets || !self.is_for(sending, receipt) {
                    continue;
                }
                let pairs = pairing.pairs(list, (sending, &all(sending.at.0)), (receipt, &early));
                let told: BTreeSet<BasisId> = pairs.iter().map(|(told, _)| *told).collect();
                heard.extend(pairs.into_iter().map(|(_, heard)| heard));
                if !told.is_empty() {
                    sent.push((sending.at, told, sending.locs.first().copied()));
                }
            }
            if sent.is_empty() || messages.channels.len() == MOST {
                continue;
            }
            let channel = messages.channels.len();
            let called = sent.iter().filter_map(|(.., loc)| *loc).chain(receipt.locs.iter().copied());
            let called = called.map(|loc| name(self.flow, loc)).find(|name| !name.is_empty());
            messages.channels.push(match receipt.by {
                Receiver::Task => self.flow.body_of(receipt.at.0).name.to_string(),
                Receiver::Queue | Receiver::Waiter => {
                    format!("{} (channel)", called.as_deref().unwrap_or("messages"))
                }
            });
            let mut add = |places: &mut Places, at, message, others: BTreeSet<BasisId>| {
                let id = BasisId(list.len() as u32);
                list.push(Basis::of_message(message, others.into_iter().collect()));
                places.entry(at).or_default().push((channel, id));
            };
            let (send, receive) = match receipt.by {
                Receiver::Task => (Message::Started, Message::Running),
                Receiver::Queue | Receiver::Waiter => (Message::Sent, Message::Received),
            };
            add(&mut messages.received, receipt.at, receive, heard);
            for (at, told, _) in sent {
                add(&mut messages.sent, at, send, told);
            }
        }
        messages
    }

    /// Where tasks are started, and which of the receipts, added here, are the rounds of their work.
    fn starts(&self, receipts: &mut Vec<Receipt>) -> Vec<(Sending, Range<usize>)> {
        let mut found = Vec::new();
        for (inst, effects) in instances(&self.facts.effects) {
            for (block, steps) in effects.iter().enumerate() {
                let tasks = steps.iter().filter_map(|step| match &step.action {
                    Action::Spawn { tasks, started: Started::One | Started::Each, .. } => Some(tasks),
                    _ => None,
                });
                for task in tasks.flatten() {
                    let before = receipts.len();
                    receipts.extend(rounds(self, *task));
                    let start = Sending { at: (inst, block), locs: Vec::new(), payload: None };
                    found.push((start, before..receipts.len()));
                }
            }
        }
        found
    }

    /// Whether what is sent there may be what is received here: of several kinds of messages, it is of this one.
    fn is_for(&self, sending: &Sending, receipt: &Receipt) -> bool {
        let message = sending.message(self.flow.body_of(sending.at.0));
        let Some(message) = message.filter(|_| receipt.by != Receiver::Task) else {
            return receipt.variants == Variants::Any;
        };
        let (inst, flow) = (sending.at.0, self.flow);
        let Some(ty) = message.place().and_then(|place| flow.place_ty(inst, place)) else {
            return receipt.variants == Variants::Any;
        };
        let variants = flow.code.variants(&ty).filter(|variants| variants.len() > 1);
        let made = self.made(inst, message);
        // Nothing is no message.
        if present(&ty).is_some() {
            let is_present = made.and_then(variant).is_none_or(|variant| PRESENT.contains(&variant));
            return is_present && receipt.variants == Variants::Any;
        }
        let made = || variant_made(variants?, made?);
        match (variants, &receipt.variants) {
            (None, Variants::Any) => true,
            (Some(_), Variants::These(these)) => made().is_some_and(|made| these.contains(&made)),
            (Some(_), Variants::AllBut(others)) => made().is_some_and(|made| !others.contains(&made)),
            _ => false,
        }
    }

    /// How an operand was made, where the text says so.
    pub(super) fn made(&self, inst: InstId, operand: &Operand) -> Option<&Rvalue> {
        let body = self.flow.body_of(inst);
        let mut local = operand.place()?.as_local()?;
        for _ in 0..body.locals.len() {
            match given(body, local)? {
                Rvalue::Use(of) => local = of.place()?.as_local()?,
                made => return Some(made),
            }
        }
        None
    }

    /// Whether an access adds to a number, or takes from it.
    fn adds(&self, (inst, block, number): AccessAt) -> Option<bool> {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        self.amount(inst, block, step.at).map(|(_, less)| !less)
    }

    /// Whether something that is changed is what a look has found, or is made of that.
    fn goes_into_change(&self, list: &[Basis], look: BasisId) -> bool {
        let mut changes = self.ids.iter().filter(|(at, _)| !self.looks(**at));
        changes.any(|(_, id)| list.get(id.index()).is_some_and(|basis| basis.data.name(look)))
    }

    /// Whether an access begins to wait, or wakes who waits.
    pub(super) fn signals(&self, (inst, block, number): AccessAt, wanted: &str) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        matches!(&step.action, Action::Access { touch: Touch::Update(class), .. } if class == wanted)
    }

    /// Whether a message has to do with the key under which its sender changes something later.
    fn is_sent_along(&self, sending: &Sending, later: AccessAt) -> bool {
        let step = &self.facts.effects[later.0.0 as usize][later.1][later.2];
        let key = self.keyed(later.0, later.1, step.at).map(|(_, key)| key);
        let (Some(key), Some(message)) = (key, sending.message(self.flow.body_of(sending.at.0))) else {
            return false;
        };
        let body = self.flow.body_of(sending.at.0);
        let own = sources(self.flow.body_of(later.0), key);
        let keys = if sending.at.0 == later.0 { own } else { self.given_by(sending.at.0, later.0, &own) };
        !keys.is_disjoint(&sources(body, message))
    }

    /// What an instance gives another one, that it calls, for these of its parameters.
    fn given_by(&self, inst: InstId, callee: InstId, params: &BTreeSet<Local>) -> BTreeSet<Local> {
        let body = self.flow.body_of(inst);
        let arguments = |block: usize| match &body.blocks[block].terminator.kind {
            TerminatorKind::Call(call) => &call.args[..],
            _ => &[],
        };
        let calls = self.facts.effects[inst.0 as usize].iter().enumerate().filter(|(_, steps)| {
            steps
                .iter()
                .any(|step| matches!(&step.action, Action::Call { callees, .. } if callees.contains(&callee)))
        });
        let given = calls.flat_map(|(block, _)| {
            let args = arguments(block).iter().enumerate();
            args.filter(|(number, _)| params.contains(&Local(*number as u32 + 1))).map(|(_, arg)| arg)
        });
        given.flat_map(|arg| sources(body, arg)).collect()
    }

    /// Whether the key under which a receiver accesses something came with the message, as far as one body tells.
    fn is_received(&self, receipt: &Receipt, early: AccessAt) -> bool {
        let step = &self.facts.effects[early.0.0 as usize][early.1][early.2];
        let key = self.keyed(early.0, early.1, step.at).and_then(|(_, key)| key.place());
        early.0 != receipt.at.0 || key.is_some_and(|key| receipt.content.contains(&key.local))
    }

    fn by_var(&self, accesses: &[AccessAt]) -> ByVar {
        let mut found = ByVar::default();
        for at in accesses {
            self.vars(*at).iter().for_each(|var| found.entry(*var).or_default().push(*at));
        }
        found
    }

    /// By unit: its accesses to shared variables.
    fn by_unit(&self, units: &Units, visitors: &BTreeMap<InstId, BTreeSet<UnitId>>) -> Vec<Vec<AccessAt>> {
        let mut found = vec![Vec::new(); units.units.len()];
        for at in self.ids.keys() {
            for unit in visitors.get(&at.0).into_iter().flatten() {
                found[unit.0].push(*at);
            }
        }
        found
    }
}

/// Accesses, by variable that they are about.
type ByVar = FxHashMap<usize, Vec<AccessAt>>;

/// By what is sent, and what is changed later: whether the message has to do with it.
type Along = FxHashMap<((InstId, usize), AccessAt), bool>;

/// What is asked of accesses again for each message that they may come too early for.
struct Pairing<'p, 's, 'a> {
    search: &'p Search<'s, 'a>,
    /// See [`Search::adds`].
    adds: RefCell<FxHashMap<AccessAt, Option<bool>>>,
    /// See [`Search::is_sent_along`].
    along: RefCell<Along>,
}

impl<'p, 's, 'a> Pairing<'p, 's, 'a> {
    fn new(search: &'p Search<'s, 'a>) -> Self {
        Pairing { search, adds: RefCell::default(), along: RefCell::default() }
    }

    fn adds(&self, at: AccessAt) -> Option<bool> {
        *self.adds.borrow_mut().entry(at).or_insert_with(|| self.search.adds(at))
    }

    fn is_sent_along(&self, sending: &Sending, later: AccessAt) -> bool {
        let mut known = self.along.borrow_mut();
        *known.entry((sending.at, later)).or_insert_with(|| self.search.is_sent_along(sending, later))
    }

    /// The sender's changes and the receiver's accesses that the one should have come before the other.
    fn pairs(
        &self,
        list: &[Basis],
        (sending, told): (&Sending, &[AccessAt]),
        (receipt, heard): (&Receipt, &ByVar),
    ) -> Vec<(BasisId, BasisId)> {
        let search = self.search;
        let basis = |at: &AccessAt| search.ids.get(at).and_then(|id| Some((*id, list.get(id.index())?)));
        let mut found = Vec::new();
        for later in told {
            let Some((told, change)) = basis(later).filter(|_| !search.looks(*later)) else { continue };
            if change.keyed && !(receipt.by == Receiver::Waiter) && !self.is_sent_along(sending, *later) {
                continue;
            }
            let shared = search.vars(*later).iter().filter_map(|var| heard.get(var)).flatten();
            for early in &shared.copied().collect::<BTreeSet<AccessAt>>() {
                let Some((heard, access)) = basis(early) else { continue };
                // Who wakes those who wait by then has woken nobody.
                if search.signals(*later, ENLIST) {
                    if receipt.by == Receiver::Queue && search.signals(*early, WAKE) {
                        found.push((told, heard));
                    }
                    continue;
                }
                let looks = search.looks(*early);
                // Both leave the whole of it as they say.
                if receipt.by == Receiver::Task {
                    let last_wins = !looks && change.stores.is_some() && access.stores.is_some();
                    if last_wins && change.stores != access.stores {
                        found.push((told, heard));
                    }
                    continue;
                }
                let used = is_used(access);
                let entered = change.change.is_some_and(Change::puts_in);
                let missed = match (change.keyed, self.adds(*later)) {
                    // Who does not find it goes on without.
                    (true, _) => {
                        let used = || access.given_out || search.goes_into_change(list, heard);
                        let goes_by = looks && (access.asserts || access.branches && used());
                        entered
                            && access.keyed
                            && (access.change == Some(Change::Remove) || goes_by)
                            && search.is_received(receipt, *early)
                    }
                    (false, Some(adds)) => {
                        adds && self.adds(*early) == Some(false) && (used || is_used(change))
                    }
                    (false, None) => entered && access.misses && access.change == Some(Change::Take),
                };
                let removes = change.change.is_some_and(Change::takes_out);
                let enters = access.keyed && access.change == Some(Change::Set);
                let lowers = !change.keyed && self.adds(*later) == Some(false);
                let found_still = (receipt.by == Receiver::Waiter)
                    && (removes || lowers || change.stores.is_some())
                    && (looks && used || removes && enters);
                if missed || found_still {
                    found.push((told, heard));
                }
            }
        }
        found
    }
}

/// Whether somebody goes by what an access gave.
fn is_used(basis: &Basis) -> bool {
    basis.decides || basis.returned || basis.told || basis.asserts
}

/// The name of the variant that is made.
fn variant(made: &Rvalue) -> Option<&str> {
    let Rvalue::Aggregate(kind, _) = made else { return None };
    let AggregateKind::Adt { path, .. } = &**kind else { return None };
    Some(path.last())
}

/// By instance: the units that run it.
fn visitors(units: &Units) -> BTreeMap<InstId, BTreeSet<UnitId>> {
    let mut found: BTreeMap<InstId, BTreeSet<UnitId>> = BTreeMap::new();
    for (number, visits) in units.visits.iter().enumerate() {
        for (inst, ..) in visits {
            found.entry(*inst).or_default().insert(UnitId(number));
        }
    }
    found
}

/// The accesses of all units that run an instance.
fn of_inst(
    visitors: &BTreeMap<InstId, BTreeSet<UnitId>>,
    accesses: &[Vec<AccessAt>],
    inst: InstId,
) -> Rc<[AccessAt]> {
    let units = visitors.get(&inst).into_iter().flatten();
    let all: BTreeSet<AccessAt> = units.flat_map(|unit| &accesses[unit.0]).copied().collect();
    all.into_iter().collect()
}
