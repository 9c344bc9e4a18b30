//! Questions on one channel whose answers come on another one, the receiving end of which is shared: who asks and then takes the next answer may get
//! that of somebody else who asks in between, unless both are done under one lock.
//!
//! The channel of the answers is a variable: whoever asks updates it, whoever takes an answer reads it. Such accesses mean something in one kind
//! of violation only (`finding/judge/waits/messages.rs`).

use std::collections::BTreeSet;

use robust_models::TypeKind;

use crate::ir::{Basis, BasisId, Message};
use crate::lower::sharing::basis::Search;
use crate::lower::sharing::channels::{Channels, Sending, unwrapped};
use crate::lower::sharing::messages::Messages;
use crate::lower::sharing::receipts::{Receipt, Receiver, Variants, expected_at, expected_by, sources};
use crate::mir::{TerminatorKind, TyKind};
use crate::world::actions::cfg::reach;
use crate::world::answers::called_by;
use crate::world::points::heap::LocId;
use crate::world::points::names::name;
use crate::world::points::points_to::InstId;

impl Search<'_, '_> {
    /// Adds the channels of such answers, with what asking and taking an answer are based on.
    pub(in crate::lower::sharing) fn answers(
        &self,
        questions: &[Receipt],
        (channels, sendings): (&Channels, &[Sending]),
        list: &mut Vec<Basis>,
        messages: &mut Messages,
    ) {
        let answers = self.shared_answers();
        if answers.is_empty() || self.flow.is_late() {
            return;
        }
        let ways = Channels::new(self, &answers);
        for answer in &answers {
            let leads = |asked: &Sending| {
                let here = asked.at.0 == answer.at.0 && self.comes_before(asked.at, answer.at.1);
                let served = |question: &&Receipt| {
                    let serves = called_by(self.facts, question.at.0);
                    question.by == Receiver::Queue
                        && sendings.iter().filter(|sending| serves.contains(&sending.at.0)).any(|sending| {
                            let mut all = ways.of(self, sending, &answers).into_iter();
                            all.any(|other| std::ptr::eq(other, answer))
                        })
                };
                here && channels.of(self, asked, questions).iter().any(served)
            };
            let asked: Vec<&Sending> = sendings.iter().filter(|asked| leads(asked)).collect();
            if asked.is_empty() {
                continue;
            }
            let called = answer.locs.iter().map(|loc| name(self.flow, *loc)).find(|name| !name.is_empty());
            let channel = messages.channels.len();
            messages.channels.push(format!("{} (channel)", called.as_deref().unwrap_or("answers")));
            let taken = BasisId(list.len() as u32);
            let asks: Vec<BasisId> =
                (1..=asked.len() as u32).map(|number| BasisId(taken.0 + number)).collect();
            list.push(Basis::of_message(Message::Answered, asks.clone()));
            messages.received.entry(answer.at).or_default().push((channel, taken));
            for (asked, id) in asked.into_iter().zip(asks) {
                list.push(Basis::of_message(Message::Asked, vec![taken]));
                messages.sent.entry(asked.at).or_default().push((channel, id));
            }
        }
    }

    /// Where an answer is taken of a channel that several may take one of, and that is more than a sign.
    fn shared_answers(&self) -> Vec<Receipt> {
        let mut found = Vec::new();
        for (index, effects) in self.facts.effects.iter().enumerate() {
            let inst = InstId(index as u32);
            let loops = self.facts.event_loops(inst);
            for (block, steps) in effects.iter().enumerate() {
                let serves = loops.iter().any(|(_, blocks)| blocks.contains(&block));
                let Some(locs) = steps.iter().find_map(expected_at).filter(|_| !serves) else { continue };
                found.extend(self.taken_there(inst, block, locs));
            }
        }
        found
    }

    fn taken_there(&self, inst: InstId, block: usize, locs: &[LocId]) -> Option<Receipt> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let locs = match (locs, call.args.first()) {
            ([], Some(future)) => expected_by(self, inst, &sources(body, future)),
            _ => locs.to_vec(),
        };
        let kind = |loc: LocId| self.flow.heap.get(loc).ty.as_ref().and_then(|ty| self.flow.kind(ty));
        let is_shared = |loc: &LocId| {
            let locked = self.flow.heap.within(*loc).any(|id| kind(id) == Some(TypeKind::Lock));
            locked && self.sharing.outer.contains(loc)
        };
        let payload = self.flow.place_ty(inst, &call.dest).map(|ty| unwrapped(&ty).clone())?;
        let is_sign = matches!(&*payload, TyKind::Tuple(of) if of.is_empty());
        let [next] = self.cfg(inst).succs[block][..] else { return None };
        (locs.iter().any(is_shared) && !is_sign).then(|| Receipt {
            at: (inst, next),
            variants: Variants::Any,
            locs,
            payload: Some(payload),
            by: Receiver::Waiter,
            content: BTreeSet::new(),
        })
    }

    fn comes_before(&self, (inst, block): (InstId, usize), later: usize) -> bool {
        let succs = &self.cfg(inst).succs;
        reach(succs, succs[block].iter().copied()).contains(&later)
    }
}
