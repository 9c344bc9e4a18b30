//! What an actor is asked and told in two messages: somebody asks how things are, waits for the answer, and sends because of it what they are
//! to be from then on. The actor takes one message after the other, but others' come in between: what they have changed is overwritten.
//!
//! The part of the actor's state that both messages are about is a variable: whoever asks for it reads it, whoever tells the actor to change it
//! updates it. Such accesses mean something in one kind of violation only (`finding/judge/waits/messages.rs`).

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Basis, BasisId, Message};
use crate::lower::sharing::basis::Search;
use crate::lower::sharing::channels::{Channels, Sending};
use crate::lower::sharing::messages::{MOST, Messages};
use crate::lower::sharing::receipts::{Receipt, Receiver, expected_at, sources};
use crate::lower::sharing::state::{Arm, Part, without};
use crate::mir::{Local, Operand, Place, Rvalue, StatementKind, TerminatorKind, Ty};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Touch};
use crate::world::callers::instances;
use crate::world::exclusive::Exclusive;
use crate::world::points::aggregates::variant_made;
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;
use crate::world::units::Units;
use crate::world::values::rechecks::made_of;

/// Functions that ask, or tell, are followed up through so many callers.
const MAX_CALLS: usize = 4;

type At = (InstId, usize);

/// Where an answer has come back.
struct Answer {
    /// The call whose result it is, and the local that has it.
    at: At,
    local: Local,
    /// The type of the answer itself.
    ty: Option<Ty>,
    /// Where it was asked for.
    asked: At,
}

impl Search<'_, '_> {
    /// Adds parts of actors' states that somebody asks for and then sets, with what asking and telling are based on.
    pub(in crate::lower::sharing) fn actors(
        &self,
        receipts: &[Receipt],
        (channels, sendings): (&Channels, &[Sending]),
        units: &Units,
        list: &mut Vec<Basis>,
        messages: &mut Messages,
    ) {
        let mut places: BTreeMap<(InstId, String), Vec<&Receipt>> = BTreeMap::new();
        for receipt in receipts.iter().filter(|receipt| receipt.by == Receiver::Queue) {
            let kind = receipt.payload.as_ref().map(ToString::to_string).unwrap_or_default();
            places.entry((receipt.at.0, kind)).or_default().push(receipt);
        }
        let mut exclusive = None;
        for receipts_there in places.into_values() {
            let arms = self.arms(&receipts_there, sendings);
            if !arms.iter().any(|arm| !arm.sets.is_empty()) || self.flow.is_late() {
                continue;
            }
            let is_there =
                |receipt: &&Receipt| receipts_there.iter().any(|there| std::ptr::eq(*there, *receipt));
            let sent = sendings.iter().filter(|sent| channels.of(self, sent, receipts).iter().any(is_there));
            let sent: Vec<(&Sending, &Arm)> =
                sent.filter_map(|sent| Some((sent, self.arm(sent, &arms)?))).collect();
            let exclusive = exclusive.get_or_insert_with(|| Exclusive::new(self.flow, units));
            // Nobody else has what only this call sends on.
            let is_own = |sent: &Sending| exclusive.owner(self.flow, sent.at.0, &sent.locs).is_some();
            let sent: Vec<(&Sending, &Arm)> = sent.into_iter().filter(|(sent, _)| !is_own(sent)).collect();
            let parts: BTreeSet<Part> = arms.iter().flat_map(|arm| &arm.sets).copied().collect();
            for part in parts {
                self.set_by_answers(part, &arms, &sent, list, messages);
            }
        }
    }

    /// Adds one part of a state, if somebody asks for it and sets it because of the answer.
    fn set_by_answers(
        &self,
        part: Part,
        arms: &[Arm],
        sent: &[(&Sending, &Arm)],
        list: &mut Vec<Basis>,
        messages: &mut Messages,
    ) {
        let asks = |arm: &Arm| arm.answers && arm.reads.contains(&part) && !arm.changes.contains(&part);
        let asked = sent.iter().filter(|(_, arm)| asks(arm)).flat_map(|(sent, _)| self.answers_to(sent));
        let answers: Vec<Answer> = asked.collect();
        // Nobody else asks for what is under a key that was drawn just now.
        let own_key = |sent: &Sending, arm: &Arm| arm.keyed.contains(&part) && self.is_drawn(sent);
        let set = sent.iter().filter(|(sent, arm)| arm.sets.contains(&part) && !own_key(sent, arm));
        let told: Vec<(At, At)> = set.flat_map(|(sent, _)| self.telling(sent.at)).collect();
        let mut pairs: BTreeSet<(At, At)> = BTreeSet::new();
        for answer in &answers {
            let because = told.iter().filter(|(site, _)| self.is_because(answer, *site));
            pairs.extend(because.map(|(_, told)| (answer.asked, *told)));
        }
        if pairs.is_empty() || messages.channels.len() == MOST || self.flow.is_late() {
            return;
        }
        let channel = messages.channels.len();
        messages.channels.push(format!("{} (actor)", self.called(arms[0].at.0, part)));
        let changes = sent.iter().filter(|(_, arm)| arm.changes.contains(&part)).map(|(sent, _)| sent.at);
        let changes: BTreeSet<At> = changes.collect();
        let first = list.len() as u32;
        let ids: BTreeMap<At, BasisId> =
            (0..).map(|number| BasisId(first + number)).zip(&changes).map(|(id, at)| (*at, id)).collect();
        let asking: BTreeSet<At> = pairs.iter().map(|(asked, _)| *asked).collect();
        let above = first + ids.len() as u32;
        let asked: BTreeMap<At, BasisId> =
            (0..).map(|number| BasisId(above + number)).zip(asking).map(|(id, at)| (at, id)).collect();
        for (at, id) in &ids {
            let concerns = pairs.iter().filter(|(_, told)| told == at).map(|(ask, _)| asked[ask]).collect();
            list.push(Basis::of_message(Message::Told, concerns));
            messages.sent.entry(*at).or_default().push((channel, *id));
        }
        for (at, id) in &asked {
            let concerns = pairs.iter().filter(|(ask, _)| ask == at).map(|(_, told)| ids[told]).collect();
            list.push(Basis::of_message(Message::Inquired, concerns));
            messages.received.entry(*at).or_default().push((channel, *id));
        }
    }

    /// What a part of an actor's state is called.
    fn called(&self, actor: InstId, (local, field): Part) -> String {
        let body = self.flow.body_of(actor);
        let named = || {
            let ty = self.flow.local_ty(actor, local.0)?;
            let of = ty.peel_refs().as_path()?.last().to_owned();
            self.flow.code.fields.get(&(of, String::new(), field?)).cloned().flatten()
        };
        let local = body.locals.get(local.0 as usize).and_then(|decl| decl.name.as_deref());
        named().map_or_else(|| local.unwrap_or(&body.name).to_owned(), |field| field.to_string())
    }

    /// Whether something that is sent is made of a number that was drawn from a counter there, or of what is new each time.
    fn is_drawn(&self, sent: &Sending) -> bool {
        let (inst, body) = (sent.at.0, self.flow.body_of(sent.at.0));
        let Some(message) = sent.message(body) else { return false };
        let made = sources(body, message);
        body.blocks.iter().enumerate().any(|(block, data)| match &data.terminator.kind {
            TerminatorKind::Call(call) if made.contains(&call.dest.local) => {
                let steps = &self.facts.effects[inst.0 as usize][block];
                steps.iter().any(|step| {
                    let changes = !matches!(step.action, Action::Access { touch: Touch::Read, .. });
                    changes && self.amount(inst, block, step.at).is_some()
                })
            }
            _ => false,
        })
    }

    /// What the actor does with what is sent there.
    fn arm<'m>(&self, sent: &Sending, arms: &'m [Arm]) -> Option<&'m Arm> {
        let (inst, message) = (sent.at.0, sent.message(self.flow.body_of(sent.at.0))?);
        let ty = self.flow.place_ty(inst, message.place()?)?;
        let variant = variant_made(self.flow.code.variants(&ty)?, self.made(inst, message)?)?;
        arms.iter().find(|arm| arm.takes(variant))
    }

    /// Where answers come back that what is sent there asks for: what waits for them is made with what was sent.
    fn answers_to(&self, sent: &Sending) -> Vec<Answer> {
        let (inst, block) = sent.at;
        let (body, cfg) = (self.flow.body_of(inst), self.cfg(inst));
        let Some(message) = sent.message(body) else { return Vec::new() };
        let message = sources(body, message);
        let mut found = Vec::new();
        for later in reach(&cfg.succs, cfg.succs[block].iter().copied()) {
            let steps = &self.facts.effects[inst.0 as usize][later];
            let TerminatorKind::Call(call) = &body.blocks[later].terminator.kind else { continue };
            let waits = steps.iter().any(|step| expected_at(step).is_some());
            let is_its = || {
                let ends = call.args.iter().flat_map(|arg| sources(body, arg));
                ends.into_iter().any(|local| message.contains(&local) && self.is_called(inst, local))
            };
            if waits && is_its() {
                let ty = self.flow.place_ty(inst, &call.dest).map(answer_of);
                found.push(Answer { at: (inst, later), local: call.dest.local, ty, asked: sent.at });
            }
        }
        // Whoever calls a function that returns it has it, too.
        let mut from = 0;
        for _ in 0..MAX_CALLS {
            let mut more = Vec::new();
            for answer in &found[from..] {
                let (inst, _) = answer.at;
                if !made_of(self.flow.body_of(inst), self.cfg(inst), answer.local).contains(&Local::RETURN) {
                    continue;
                }
                for at in self.calls_of(inst) {
                    let TerminatorKind::Call(call) = &self.flow.body_of(at.0).blocks[at.1].terminator.kind
                    else {
                        continue;
                    };
                    let (local, ty) = (call.dest.local, answer.ty.clone());
                    more.push(Answer { at, local, ty, asked: answer.asked });
                }
            }
            from = found.len();
            found.extend(more);
        }
        found
    }

    /// Whether a local is filled by a call that makes a channel.
    fn is_called(&self, inst: InstId, local: Local) -> bool {
        let mut blocks = self.flow.body_of(inst).blocks.iter().enumerate();
        blocks.any(|(block, data)| match &data.terminator.kind {
            TerminatorKind::Call(call) if call.dest.as_local() == Some(local) => {
                let model = self.flow.model_at(inst, block);
                model.and_then(|model| model.flow) == Some(robust_models::Flow::Channel)
            }
            _ => false,
        })
    }

    /// Where something is sent, and where functions are called that send it, with where that is.
    fn telling(&self, sent: At) -> Vec<(At, At)> {
        let mut found = vec![sent];
        let mut from = 0;
        for _ in 0..MAX_CALLS {
            let above: Vec<At> = found[from..].iter().flat_map(|at| self.calls_of(at.0)).collect();
            from = found.len();
            found.extend(above);
        }
        found.into_iter().map(|site| (site, sent)).collect()
    }

    /// The blocks that call an instance.
    fn calls_of(&self, callee: InstId) -> Vec<At> {
        let mut found = Vec::new();
        for (inst, effects) in instances(&self.facts.effects).filter(|(inst, _)| *inst != callee) {
            for (block, steps) in effects.iter().enumerate() {
                let calls = steps.iter().any(
                    |step| matches!(&step.action, Action::Call { callees, .. } if callees.contains(&callee)),
                );
                if calls
                    && matches!(
                        self.flow.body_of(inst).blocks[block].terminator.kind,
                        TerminatorKind::Call(_)
                    )
                {
                    found.push((inst, block));
                }
            }
        }
        found
    }

    /// Whether something is told because of an answer: that goes into it, or decides that it is.
    fn is_because(&self, answer: &Answer, (inst, block): At) -> bool {
        let (body, cfg) = (self.flow.body_of(inst), self.cfg(inst));
        let after = || reach(&cfg.succs, cfg.succs[answer.at.1].iter().copied());
        if inst != answer.at.0 || block == answer.at.1 || !after().contains(&block) {
            return false;
        }
        let made = made_of(body, cfg, answer.local);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return false };
        let mut places = call.args.iter().filter_map(Operand::place);
        if places.any(|place| made.contains(&place.local)) {
            return true;
        }
        let leads = |to: usize| without(cfg, to, answer.at.1).contains(&block);
        let branches = |from: &usize| {
            let succs = &cfg.succs[*from];
            succs.iter().any(|to| leads(*to)) && !succs.iter().all(|to| leads(*to))
        };
        let mut after = after().into_iter().filter(branches);
        after.any(|from| self.branches_on_answer(inst, from, answer, &made))
    }

    /// Whether a block branches on what an answer says, and not only on whether there is one.
    fn branches_on_answer(
        &self,
        inst: InstId,
        block: usize,
        answer: &Answer,
        made: &BTreeSet<Local>,
    ) -> bool {
        let data = &self.flow.body_of(inst).blocks[block];
        let TerminatorKind::SwitchInt { on, .. } = &data.terminator.kind else { return false };
        let Some(on) = on.place().filter(|on| made.contains(&on.local)) else { return false };
        let of = data.statements.iter().rev().find_map(|statement| match &statement.kind {
            StatementKind::Assign(to, Rvalue::Discriminant(of)) if to.local == on.local => Some(of),
            _ => None,
        });
        let Some(of) = of else { return true };
        let asked = |of: &Place| self.flow.place_ty(inst, of);
        answer.ty.as_ref().zip(asked(of)).is_some_and(|(ty, of)| any_part(ty, &mut |part| *part == *of))
    }
}

/// What is answered, within what says whether there is an answer.
fn answer_of(mut ty: Ty) -> Ty {
    for wrapper in ["Poll", "Result"] {
        let inner = ty.as_path().filter(|path| path.last() == wrapper);
        if let Some(inner) = inner.and_then(|path| path.type_args().next().cloned()) {
            ty = inner;
        }
    }
    ty
}
