//! Overlaps of guards in the user's words.

use std::collections::BTreeSet;

use crate::finding::{Class, Finding, Property, Role};
use crate::world::points::names;
use crate::world::points::points_to::InstId;

use super::descend::{Link, Root, reader_name};
use super::describe::Describe;
use super::held::{Overlap, Stall, Taking};
use super::reach::Reach;

impl Describe<'_, '_> {
    /// The finding that an overlap amounts to. `holds` and `takes` are the ways to the two.
    pub fn overlap(&self, overlap: &Overlap, holds: &Reach<'_>, takes: &Reach<'_>) -> Finding {
        let Overlap { holder, taken, taker, wanted, .. } = overlap;
        let name = names::name(self.flow, overlap.loc);
        let (own, other) = (reader_name(self.flow, holder.inst), reader_name(self.flow, taker.inst));
        let who = if own == other { format!("another `{other}`") } else { format!("`{other}`") };
        let stall = match overlap.stall {
            _ if taken.borrow => {
                format!("is suspended while it has borrowed `{name}`; {who} borrows it meanwhile, and panics")
            }
            Stall::Room(channel) => {
                let room = names::name(self.flow, channel);
                let room = if room.is_empty() { "a channel".to_owned() } else { format!("`{room}`") };
                format!(
                    "waits for room in {room} while it has locked `{name}`; {who}, which makes room there, waits for the lock: for ever"
                )
            }
            Stall::Together => {
                format!(
                    "is suspended while it has locked `{name}`, and polls {who} meanwhile, which waits for it: for ever"
                )
            }
            Stall::OneThread => {
                format!(
                    "is suspended while it has locked `{name}`; {who} waits for it on the same thread: for ever"
                )
            }
            Stall::AnyRuntime => format!(
                "is suspended while it has locked `{name}`; {who} keeps its thread waiting for it: for ever, where a runtime has one thread for both"
            ),
            Stall::AllThreads => format!(
                "is suspended while it has locked `{name}`; {who} keeps its thread waiting for it: for ever, where it runs on all threads at once"
            ),
            Stall::Elsewhere => {
                format!("is suspended while it has locked `{name}`; {who} keeps its thread waiting for it")
            }
        };
        let message = format!("`{own}` {stall}");
        let (level, excuse) = overlap.stall.judge();
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
            level,
            property: Property::Confinement { root: own.clone() },
            fingerprint: format!("{:?}\0{name}\0{whole}\0{function}", Class::LockAcrossAwait),
            variable: name,
            message,
            lanes,
            steps,
            assumption: String::new(),
            hint: match taken.borrow {
                true => "Await first and borrow then, or end the borrow before the await".to_owned(),
                false if matches!(overlap.stall, Stall::Room(_)) => {
                    "Give the lock back before the await: take a copy of the sender out of it, and send with that".to_owned()
                }
                false => "Give the lock back before the await, or take one that is awaited".to_owned(),
            },
            excuse: excuse.to_owned(),
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
