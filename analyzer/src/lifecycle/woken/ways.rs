//! All ways through a `poll`: what is known on each of the variants of what it looks at, whether it has arranged to be woken, and
//! whether it depends on anything but what the future alone can change.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value;

use crate::mir::{
    AggregateKind, Body, CallTarget, Callee, Local, Name, Operand, Place, Rvalue, StatementKind,
    TerminatorKind, TyKind,
};
use crate::world::points::types::any_part;

use super::super::parts::{Part, Parts};
use super::asked::{Asked, Known, PENDING, asks, made, number};
use super::context::{aliases, around, mentions};
use super::own::Own;
use super::{is_pending, is_poll};

/// The number of the variant that is nothing.
const NONE: i128 = 0;
/// So many states of a body are looked at; a body with more is left out.
const STATES: usize = 20_000;

/// The fields below something, and what is known of what they lead to.
type Below = (Vec<(Name, u32)>, i128);

/// A way to an answer that it is not ready.
#[derive(Clone)]
pub(super) struct Way {
    pub block: usize,
    pub statement: usize,
    /// Somebody was asked to wake the task, or may have been.
    pub used: bool,
    /// All that it depends on is what the future alone can change, and it changes nothing: the next poll would answer the same.
    pub own: bool,
    /// The last call that was given the context and was ready.
    pub ready: Option<usize>,
    /// What the fields of the future must have been when it was polled.
    pub assumed: Known,
    /// A macro of a library answers.
    pub foreign: bool,
}

/// What is known at a point.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: usize,
    /// Whether the context was used, so that somebody may wake the task.
    used: bool,
    /// Answers of those who were given the context. Who is not ready wakes the task, who is ready does not.
    answers: BTreeMap<Local, usize>,
    ready: Option<usize>,
    known: Known,
    assumed: Known,
    /// What has changed since it was polled.
    changed: BTreeSet<Part>,
    own: bool,
    /// Results of calls that have changed nothing only if they are nothing.
    taken: BTreeSet<Local>,
    /// Where it was said that it is not ready.
    pending: Option<(usize, usize)>,
}

/// The ways through one body.
pub(super) struct Ways<'p, 'b, 'f, 'a> {
    pub parts: &'p Parts<'b, 'f, 'a>,
    context: BTreeSet<Local>,
    around: BTreeSet<usize>,
    asked: BTreeMap<usize, Asked>,
    /// What is worth to be kept in mind.
    of_interest: BTreeSet<Part>,
    own: Own<'p, 'b, 'f, 'a>,
    /// Of this, whoever gets it as a whole takes what always holds for granted, and keeps to it.
    whole: Option<Part>,
}

/// Where a way ends: what is known, what was changed.
pub(super) struct End {
    pub known: Known,
    pub changed: BTreeSet<Part>,
}

impl<'p, 'b, 'f, 'a> Ways<'p, 'b, 'f, 'a> {
    /// Through a body with or without a context.
    pub fn new(parts: &'p Parts<'b, 'f, 'a>, context: Option<Local>) -> Self {
        let body = parts.body;
        let context = context.map(|context| aliases(body, context)).unwrap_or_default();
        let around = around(body, &context);
        let asked = (0..body.blocks.len()).filter_map(|block| Some((block, asks(parts, block)?)));
        let mut ways = Ways {
            parts,
            context,
            around,
            asked: asked.collect(),
            of_interest: BTreeSet::new(),
            own: Own::new(parts),
            whole: None,
        };
        ways.note_interest();
        ways
    }

    /// Through a body that changes these two fields of a whole.
    pub fn about(parts: &'p Parts<'b, 'f, 'a>, whole: Part, fields: [Part; 2]) -> Self {
        let mut ways = Ways::new(parts, None);
        ways.whole = Some(whole);
        ways.of_interest.extend(fields);
        ways
    }

    fn body(&self) -> &'b Body {
        self.parts.body
    }

    /// Asked for twice, or set; and the fields of the future.
    fn note_interest(&mut self) {
        let mut times: BTreeMap<&Part, usize> = BTreeMap::new();
        for asked in self.asked.values() {
            *times.entry(&asked.part).or_default() += if is_field(&asked.part) { 2 } else { 1 };
        }
        let blocks = self.body().blocks.iter().filter(|block| !block.cleanup);
        let set: BTreeSet<Part> = blocks
            .flat_map(|block| &block.statements)
            .filter_map(|statement| match &statement.kind {
                StatementKind::Assign(to, _) => self.parts.target(to),
                _ => None,
            })
            .collect();
        self.of_interest = times
            .into_iter()
            .filter(|(part, times)| *times > 1 || set.contains(part))
            .map(|(part, _)| part.clone())
            .collect();
    }

    /// All ways to such an answer; none if there are too many.
    pub fn pending(&self) -> Option<Vec<Way>> {
        let mut found: Vec<Way> = Vec::new();
        let mut seen = BTreeSet::new();
        self.walk(&mut |state| {
            let Some((block, statement)) = state.pending else { return };
            let used = state.used || !state.answers.is_empty();
            let own = state.own && state.taken.is_empty();
            let key = (block, statement, used, own, state.ready, state.assumed.clone());
            if seen.insert(key) {
                let foreign = self.body().blocks[block].statements[statement].source.span.is_foreign();
                let State { ready, assumed, .. } = state.clone();
                found.push(Way { block, statement, used, own, ready, assumed, foreign });
            }
        })?;
        found.sort_by_key(|way| (way.block, way.statement, way.ready));
        Some(found)
    }

    /// What is known wherever the body ends, or others get to see the whole.
    pub fn ends(&self) -> Option<Vec<End>> {
        let mut found = Vec::new();
        self.walk(&mut |state| {
            found.push(End { known: state.known.clone(), changed: state.changed.clone() });
        })?;
        Some(found)
    }

    fn walk(&self, end: &mut dyn FnMut(&State)) -> Option<()> {
        let mut seen: BTreeSet<State> = BTreeSet::new();
        let mut work = vec![State {
            at: 0,
            used: false,
            answers: BTreeMap::new(),
            ready: None,
            known: Known::new(),
            assumed: Known::new(),
            changed: BTreeSet::new(),
            own: true,
            taken: BTreeSet::new(),
            pending: None,
        }];
        while let Some(mut state) = work.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if seen.len() > STATES {
                return None;
            }
            let at = state.at;
            state.used |= self.around.contains(&at);
            for (number, statement) in self.body().blocks[at].statements.iter().enumerate() {
                if let StatementKind::Assign(to, rvalue) = &statement.kind {
                    if is_pending(statement)
                        && self.body().locals[to.local.0 as usize].ty == *self.body().output()
                    {
                        state.pending = Some((at, number));
                    } else if to.as_local() == Some(Local::RETURN) && !is_copy(rvalue) {
                        state.pending = None;
                    }
                    self.assign(&mut state, to, rvalue);
                }
            }
            self.leave(state, &mut work, end);
        }
        Some(())
    }

    fn assign(&self, state: &mut State, to: &Place, rvalue: &Rvalue) {
        // What only borrows the context again has not used it yet; what stores it has.
        let borrows = to.as_local().is_some_and(|to| self.context.contains(&to));
        state.used |= mentions(rvalue, &self.context) && !borrows;
        self.pass_answer(state, to, rvalue);
        if let Some(part) = self.parts.target(to) {
            let found = self.value(state, rvalue);
            self.change(state, &part);
            for (below, value) in found {
                let mut part = part.clone();
                part.fields.extend(below);
                state.known.insert(part, value);
            }
            state.own &= to.projection.is_empty();
        } else {
            state.known.retain(|part, _| part.local != to.local);
            state.own = false;
        }
    }

    /// An answer is moved, or goes where it is not followed.
    fn pass_answer(&self, state: &mut State, to: &Place, rvalue: &Rvalue) {
        let whole = |operand: &Operand| operand.place().and_then(Place::as_local);
        match rvalue {
            Rvalue::Use(from) | Rvalue::Wrap(from, _) => {
                if let Some(from) = whole(from)
                    && let Some(block) = state.answers.remove(&from)
                {
                    match to.as_local() {
                        Some(to) => _ = state.answers.insert(to, block),
                        None => state.used = true,
                    }
                }
            }
            Rvalue::Aggregate(_, operands) => {
                let goes = operands.iter().filter_map(whole).any(|from| state.answers.contains_key(&from));
                state.used |= goes;
            }
            _ => {}
        }
    }

    /// What is known of a value, by the fields below it.
    fn value(&self, state: &State, rvalue: &Rvalue) -> Vec<Below> {
        match rvalue {
            Rvalue::Use(Operand::Copy(from) | Operand::Move(from)) => {
                self.parts.reach(from).map_or_else(Vec::new, |from| below(&state.known, &from.part))
            }
            Rvalue::Aggregate(kind, operands) if made(rvalue).is_none() => {
                let is_plain = matches!(&**kind, AggregateKind::Tuple | AggregateKind::Adt { .. });
                let parts = operands.iter().enumerate().filter(|_| is_plain);
                let of = |(number, operand): (usize, &Operand)| {
                    let within = self.value(state, &Rvalue::Use(operand.clone()));
                    within.into_iter().map(move |(mut fields, value)| {
                        fields.insert(0, (Name::default(), number as u32));
                        (fields, value)
                    })
                };
                parts.flat_map(of).collect()
            }
            _ => made(rvalue).map(|value| (Vec::new(), value)).into_iter().collect(),
        }
    }

    /// Something may be another value from now on.
    fn change(&self, state: &mut State, part: &Part) {
        state.known.retain(|other, _| !part.covers(other));
        state.changed.extend(self.of_interest.iter().filter(|other| part.covers(other)).cloned());
    }

    fn leave(&self, mut state: State, work: &mut Vec<State>, end: &mut dyn FnMut(&State)) {
        let mut go = |state: &State, to: usize| work.push(State { at: to, ..state.clone() });
        match &self.body().blocks[state.at].terminator.kind {
            TerminatorKind::Return => end(&state),
            TerminatorKind::Call(call) => {
                self.call(&mut state, call, end);
                if let Some(to) = call.target {
                    go(&state, to.0 as usize);
                }
            }
            TerminatorKind::SwitchInt { on, targets, otherwise } => {
                state.own &= self.own.is_operand(on);
                let asked = self.asked.get(&state.at).cloned();
                let value = match on {
                    Operand::Const(constant) => number(&constant.kind),
                    _ => asked.as_ref().and_then(|asked| asked.answer(&state.known)).or_else(|| {
                        let local = on.place()?.as_local()?;
                        state.known.get(&Part::whole(local)).copied()
                    }),
                };
                let is_target = |value: i128| targets.iter().any(|(bits, _)| *bits as i128 == value);
                for (bits, to) in targets {
                    let bits = *bits as i128;
                    if value.is_none_or(|value| value == bits) {
                        let mut next = state.clone();
                        self.learn(&mut next, asked.as_ref(), bits);
                        go(&next, to.0 as usize);
                    }
                }
                if let Some(to) = otherwise.filter(|_| value.is_none_or(|value| !is_target(value))) {
                    let mut next = state.clone();
                    if let ([(bits @ (0 | 1), _)], Some(true)) =
                        (&targets[..], asked.as_ref().map(|asked| asked.has_two))
                    {
                        self.learn(&mut next, asked.as_ref(), 1 - *bits as i128);
                    }
                    go(&next, to.0 as usize);
                }
            }
            TerminatorKind::Goto(to) | TerminatorKind::FalseEdge(to) => go(&state, to.0 as usize),
            TerminatorKind::Drop { target, .. } => {
                target.iter().for_each(|to| go(&state, to.0 as usize));
            }
            TerminatorKind::Assert { target, .. } => go(&state, target.0 as usize),
            TerminatorKind::Yield { resume, .. } => {
                end(&state);
                go(&state, resume.0 as usize);
            }
            _ => {}
        }
    }

    fn learn(&self, state: &mut State, asked: Option<&Asked>, bits: i128) {
        let Some(asked) = asked else { return };
        let value = asked.value(bits);
        if asked.part.fields.is_empty()
            && let Some(block) = state.answers.remove(&asked.part.local)
        {
            match value {
                PENDING => state.used = true,
                _ => state.ready = Some(block),
            }
        }
        if asked.part.fields.is_empty() && value == NONE {
            state.taken.remove(&asked.part.local);
        }
        if !self.of_interest.contains(&asked.part) {
            return;
        }
        if is_field(&asked.part) && !state.changed.contains(&asked.part) {
            state.assumed.insert(asked.part.clone(), value);
        }
        state.known.insert(asked.part.clone(), value);
    }

    fn call(&self, state: &mut State, call: &CallTarget, end: &mut dyn FnMut(&State)) {
        let places = || call.args.iter().filter_map(Operand::place);
        let gets_context = places().any(|place| self.context.contains(&place.local));
        let polled = is_poll(&self.body().locals[call.dest.local.0 as usize].ty);
        let answer = call.dest.as_local().filter(|_| polled);
        // An answer that another one is made of.
        let passed = places().filter_map(Place::as_local).find_map(|from| state.answers.remove(&from));
        match call.dest.as_local().filter(|_| self.own.takes(call)) {
            Some(taken) => _ = state.taken.insert(taken),
            None => state.own &= self.own.is_call(call),
        }
        let left = self.left_behind(state, call);
        if !self.parts.is_followed(call) {
            for place in places().filter(|place| may_change(self.body(), place)) {
                for part in self.parts.all(place) {
                    let is_handed = self.whole.as_ref().is_some_and(|whole| part.covers(whole));
                    if is_handed {
                        end(state);
                    }
                    self.change(state, &part);
                    if is_handed {
                        state.changed.retain(|other| !part.covers(other));
                    }
                }
            }
        }
        if let Some(part) = self.parts.target(&call.dest) {
            self.change(state, &part);
        }
        state.known.extend(left);
        if call.dest.local == Local::RETURN {
            state.pending = None;
        }
        match answer {
            Some(answer) if gets_context && self.parts.is_contract(call) => {
                state.answers.insert(answer, state.at);
            }
            Some(answer) if !gets_context && is_of_poll(call) => {
                state.answers.extend(passed.map(|block| (answer, block)));
            }
            _ => state.used |= gets_context || passed.is_some(),
        }
    }

    /// What is known once something was taken out of an option.
    fn left_behind(&self, state: &State, call: &CallTarget) -> Known {
        let is_take = self.parts.model(call).is_some_and(|model| model.value == Some(Value::Take));
        let from = call.args.first().and_then(Operand::place).and_then(|place| self.parts.reach(place));
        let (Some(from), Some(to)) = (from.filter(|_| is_take), self.parts.target(&call.dest)) else {
            return Known::new();
        };
        let is_option = |ty: &TyKind| ty.as_path().is_some_and(|path| path.last() == "Option");
        if !is_option(&self.body().locals[call.dest.local.0 as usize].ty) {
            return Known::new();
        }
        let moved = below(&state.known, &from.part).into_iter().map(|(fields, value)| {
            let mut part = to.clone();
            part.fields.extend(fields);
            (part, value)
        });
        moved.chain([(from.part.clone(), 0)]).collect()
    }
}

/// Whether a function makes another answer of one, as ready as that (`Poll::map`).
fn is_of_poll(call: &CallTarget) -> bool {
    let Callee::Fn { path, .. } = &call.callee else { return false };
    path.segments.iter().rev().nth(1).is_some_and(|ty| &*ty.name == "Poll")
}

/// What is known below a part.
fn below(known: &Known, part: &Part) -> Vec<Below> {
    let within = known.iter().filter(|(other, _)| part.covers(other));
    within.map(|(other, value)| (other.fields[part.fields.len()..].to_vec(), *value)).collect()
}

/// A field of the future itself.
fn is_field(part: &Part) -> bool {
    part.local == Local(1) && part.fields.len() == 1
}

/// Whether a call may change what an argument leads to.
fn may_change(body: &Body, place: &Place) -> bool {
    let ty = &body.locals[place.local.0 as usize].ty;
    any_part(ty, &mut |part| {
        matches!(part, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { mutable: true, .. })
    }) || !matches!(&**ty, TyKind::Ref { .. })
}

fn is_copy(rvalue: &Rvalue) -> bool {
    matches!(rvalue, Rvalue::Use(Operand::Move(_) | Operand::Copy(_)))
}
