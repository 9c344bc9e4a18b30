//! Overlaps of guards in the user's words.

use std::collections::BTreeSet;

use crate::finding::{Class, Finding, Level, Property, Role};
use crate::world::points::names;
use crate::world::points::points_to::InstId;

use super::descend::{Link, Root, reader_name};
use super::describe::Describe;
use super::held::{Overlap, Taking};
use super::reach::Reach;

impl Describe<'_, '_> {
    /// The finding that an overlap amounts to. `holds` and `takes` are the ways to the two.
    pub fn overlap(&self, overlap: &Overlap, holds: &Reach<'_>, takes: &Reach<'_>) -> Finding {
        let Overlap { holder, taken, taker, wanted, .. } = overlap;
        let name = names::name(self.flow, overlap.loc);
        let (own, other) = (reader_name(self.flow, holder.inst), reader_name(self.flow, taker.inst));
        let who = if own == other { format!("another `{other}`") } else { format!("`{other}`") };
        let room = overlap.room.map(|channel| names::name(self.flow, channel));
        let room =
            room.map(|name| if name.is_empty() { "a channel".to_owned() } else { format!("`{name}`") });
        let message = match (taken.borrow, overlap.level) {
            _ if let Some(room) = &room => format!(
                "`{own}` waits for room in {room} while it has locked `{name}`; {who}, which makes room there, waits for the lock: for ever"
            ),
            (true, _) => format!(
                "`{own}` is suspended while it has borrowed `{name}`; {who} borrows it meanwhile, and panics"
            ),
            (false, Level::Deny) if overlap.together => format!(
                "`{own}` is suspended while it has locked `{name}`, and polls {who} meanwhile, which waits for it: for ever"
            ),
            (false, Level::Deny) => format!(
                "`{own}` is suspended while it has locked `{name}`; {who} waits for it on the same thread: for ever"
            ),
            (false, _) => {
                format!(
                    "`{own}` is suspended while it has locked `{name}`; {who} keeps its thread waiting for it"
                )
            }
        };
        let mut lanes = vec![self.lane(holder.inst, holder.record.place, &holder.start)];
        lanes.push(self.lane(taker.inst, taker.record.place, &taker.start));
        lanes[1].instance = 1;
        let mut steps = self.way(0, holder, &holds.chain(taken.inst));
        steps.push(self.take(0, taken));
        let suspended = self.place(taken.inst, overlap.suspended).or_else(|| self.declared(taken.inst));
        steps.push(self.step(0, Role::Offence, "is suspended, and holds it".to_owned(), suspended));
        steps.extend(self.way(1, taker, &takes.chain(wanted.inst)));
        steps.push(self.take(1, wanted));
        let [whole, function] = [holder.inst, taken.inst].map(|inst| self.flow.body_of(inst).whole_name());
        let mut finding = Finding {
            class: Class::LockAcrossAwait,
            level: overlap.level,
            property: Property::Confinement { root: own.clone() },
            fingerprint: format!("{:?}\0{name}\0{whole}\0{function}", Class::LockAcrossAwait),
            variable: name,
            message,
            lanes,
            steps,
            assumption: String::new(),
            hint: match taken.borrow {
                true => "Await first and borrow then, or end the borrow before the await".to_owned(),
                false if room.is_some() => {
                    "Give the lock back before the await: take a copy of the sender out of it, and send with that".to_owned()
                }
                false => "Give the lock back before the await, or take one that is awaited".to_owned(),
            },
            excuse: overlap.excuse.to_owned(),
            unit: String::new(),
            alike: BTreeSet::new(),
        };
        finding.seal();
        finding
    }

    /// How a root begins and comes to an instance.
    fn way(&self, lane: usize, root: &Root, chain: &[Link]) -> Vec<crate::finding::Step> {
        let mut steps = vec![self.begin(lane, root)];
        for link in chain {
            steps.push(self.step(lane, Role::Step, self.call(link), self.place(link.from, link.block)));
        }
        steps
    }

    /// The call that takes a lock, or borrows.
    fn take(&self, lane: usize, taking: &Taking) -> crate::finding::Step {
        let verb = if taking.borrow { "borrows" } else { "locks" };
        let text = match self.operation(taking.inst, taking.block) {
            operation if operation.is_empty() => format!("{verb} it"),
            operation => format!("{verb} it with `{operation}`"),
        };
        let place = self.place(taking.inst, taking.block).or_else(|| self.declared(taking.inst));
        self.step(lane, Role::Hop, text, place)
    }

    fn operation(&self, inst: InstId, block: u32) -> String {
        let Some(info) = self.flow.calls.get(&(inst, block)) else { return String::new() };
        // A function of the program that returns the guard.
        let own = || info.callees.first().map(|callee| reader_name(self.flow, *callee));
        info.model.clone().or_else(|| info.foreign.clone()).or_else(own).unwrap_or_default()
    }
}
