//! Where streams tell what they tell: for each call that makes one, which calls of the program it is that values, errors and ends
//! come from, and where. The least solution: a stream tells what the streams tell that it is made of, unless it goes on elsewhere;
//! who subscribes does so up to where the stream begins. The closures on the way run where that happens.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Cause, Function, Order, Signal, Stream};

use crate::world::points::calls::CALL;
use crate::world::points::heap::Root;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::streams::{Maker, Scheduler, StreamCall, made_in};

use super::graph::{At, Edge, Node};
use super::place::Places;

/// A call that something comes from, and where it goes on.
type Origin = (Maker, At);

/// Where something comes from.
type Origins = BTreeSet<Origin>;

/// All that a stream tells.
const SIGNALS: [Signal; 3] = [Signal::Next, Signal::Error, Signal::Complete];

/// What is known of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Told {
    signals: BTreeMap<Signal, Origins>,
    /// Who subscribes.
    subscribed: Origins,
    /// Who makes it tell something by calling a function.
    said: BTreeMap<Signal, Origins>,
}

impl Told {
    fn of(&self, signal: Signal) -> Origins {
        self.signals.get(&signal).cloned().unwrap_or_default()
    }
}

/// A call that has to do with streams.
struct Op<'o> {
    maker: Maker,
    model: &'o Stream,
    call: &'o StreamCall,
    /// The streams that it is called on.
    up: BTreeSet<Maker>,
    /// Other streams that it is given.
    others: BTreeSet<Maker>,
    /// The closures that it is given.
    closures: BTreeSet<InstId>,
    /// The streams that these return.
    inner: BTreeSet<Maker>,
}

/// Adds what runs because streams tell something.
pub(crate) fn connect(flow: &Flow<'_>, places: &Places<'_>, nodes: &mut [Node]) {
    if !flow.has_streams {
        return;
    }
    let streams = Streams::new(flow, places);
    for (to, ((inst, block), at)) in streams.edges() {
        let by = flow.calls.get(&(inst, block)).and_then(|info| info.foreign.clone());
        if let Some(node) = nodes.get_mut(inst.0 as usize) {
            node.edges.push(Edge {
                block,
                to,
                at,
                by,
                in_turn: false,
                several: false,
                told: true,
                first: false,
            });
        }
    }
}

/// All of it.
struct Streams<'s, 'a> {
    places: &'s Places<'a>,
    flow: &'s Flow<'a>,
    ops: Vec<Op<'s>>,
    /// By call that made something: where what it gave to a scheduler of the program's own to run is run.
    run: BTreeMap<Maker, Origins>,
    told: BTreeMap<Maker, Told>,
}

impl<'s, 'a> Streams<'s, 'a> {
    fn new(flow: &'s Flow<'a>, places: &'s Places<'a>) -> Self {
        let mut streams =
            Streams { places, flow, ops: Vec::new(), run: BTreeMap::new(), told: BTreeMap::new() };
        for (maker, info) in &flow.calls {
            let Some(call) = &info.stream else { continue };
            let model = flow.model_of(info);
            match model.and_then(|model| model.stream.as_ref()) {
                Some(model) => streams.ops.push(op(flow, *maker, model, info, call)),
                None => streams.note_runs(*maker, info, model, call),
            }
        }
        streams.solve();
        streams
    }

    /// Notes where a call runs what a scheduler was given.
    fn note_runs(&mut self, maker: Maker, info: &CallInfo, model: Option<&Function>, call: &StreamCall) {
        let place = |at: Option<&str>, on| {
            At::Place(at.map_or_else(|| self.places.on(on), |at| self.places.named(at)))
        };
        let first = || call.args.first().into_iter().collect::<Vec<_>>();
        let spawn = model.and_then(|model| model.spawn.as_ref());
        let event = model.and_then(|model| model.event.as_ref());
        let calls = model.and_then(|model| model.calls.as_ref());
        let (at, tasks) = if let Some(spawn) = spawn {
            (place(spawn.at.as_deref(), spawn.on), call.args.get(spawn.task).into_iter().collect())
        } else if let Some(event) = event {
            (place(event.at.as_deref(), event.on), call.args.iter().collect())
        } else if let Some(calls) = calls.filter(|calls| calls.times != Order::Never) {
            let at = calls.at.as_deref().map_or(At::Here, |at| At::Place(self.places.named(at)));
            (at, call.args.iter().collect())
        } else if info.poll.is_some() || is_call(self.flow, maker) {
            (At::Here, first())
        } else {
            return;
        };
        for task in tasks.into_iter().flatten() {
            self.run.entry(*task).or_default().insert((maker, at));
        }
    }

    fn solve(&mut self) {
        loop {
            let before = self.told.clone();
            for number in 0..self.ops.len() {
                self.step(number);
            }
            if self.told == before || self.flow.is_late() {
                return;
            }
        }
    }

    /// What one call adds to what is known.
    fn step(&mut self, number: usize) {
        let op = &self.ops[number];
        let here = Origins::from([(op.maker, At::Here)]);
        if let Some(signal) = op.model.tells {
            for stream in &op.up {
                self.told
                    .entry(*stream)
                    .or_default()
                    .said
                    .entry(signal)
                    .or_default()
                    .extend(here.iter().copied());
            }
            return;
        }
        let subscribes = if op.model.now { here } else { self.all(op, &op.model.subscribes, None) };
        let inner = self.all(op, &op.model.inner, None);
        let signals = SIGNALS.map(|signal| (signal, self.all(op, op.model.causes(signal), Some(signal))));
        let passed = SIGNALS.map(|signal| (signal, self.up(op, &op.up, signal)));
        for stream in op.up.iter().chain(op.others.iter().filter(|_| !op.model.now)) {
            self.told.entry(*stream).or_default().subscribed.extend(subscribes.iter().copied());
        }
        for stream in &op.inner {
            self.told.entry(*stream).or_default().subscribed.extend(inner.iter().copied());
        }
        if op.model.now {
            // A stream that is told by others, and is given as an observer.
            for stream in &op.others {
                let told = self.told.entry(*stream).or_default();
                for (signal, origins) in &passed {
                    told.said.entry(*signal).or_default().extend(origins.iter().copied());
                }
            }
            return;
        }
        let told = self.told.entry(op.maker).or_default();
        for (signal, origins) in signals {
            told.signals.entry(signal).or_default().extend(origins);
        }
    }

    /// Where something is done that has these causes. `as_told`: what it is that others may say.
    fn all(&self, op: &Op<'_>, causes: &[Cause], as_told: Option<Signal>) -> Origins {
        causes.iter().flat_map(|cause| self.cause(op, *cause, as_told)).collect()
    }

    fn cause(&self, op: &Op<'_>, cause: Cause, as_told: Option<Signal>) -> Origins {
        let own = || self.told.get(&op.maker);
        match cause {
            Cause::Next => self.up(op, &op.up, Signal::Next),
            Cause::Error => self.up(op, &op.up, Signal::Error),
            Cause::Complete => self.up(op, &op.up, Signal::Complete),
            Cause::OtherNext => self.up(op, &op.others, Signal::Next),
            Cause::OtherError => self.up(op, &op.others, Signal::Error),
            Cause::OtherComplete => self.up(op, &op.others, Signal::Complete),
            Cause::InnerNext => self.up(op, &op.inner, Signal::Next),
            Cause::InnerError => self.up(op, &op.inner, Signal::Error),
            Cause::InnerComplete => self.up(op, &op.inner, Signal::Complete),
            Cause::Subscribe => own().map(|told| told.subscribed.clone()).unwrap_or_default(),
            Cause::Scheduler => self.scheduled(op, &op.call.schedulers),
            Cause::Context => self.scheduled(op, &op.call.context),
            Cause::Told => {
                let said = as_told.and_then(|signal| own()?.said.get(&signal));
                said.cloned().unwrap_or_default()
            }
        }
    }

    /// Where streams tell something; unknown, if it is not known what streams these are.
    fn up(&self, op: &Op<'_>, streams: &BTreeSet<Maker>, signal: Signal) -> Origins {
        if streams.is_empty() {
            return Origins::from([(op.maker, At::Unknown)]);
        }
        streams.iter().filter_map(|stream| self.told.get(stream)).flat_map(|told| told.of(signal)).collect()
    }

    /// Where that goes on which a call gives to schedulers: nowhere, while nobody subscribes.
    fn scheduled(&self, op: &Op<'_>, schedulers: &BTreeSet<Scheduler>) -> Origins {
        if self.told.get(&op.maker).is_none_or(|told| told.subscribed.is_empty()) {
            return Origins::new();
        }
        let unknown = || Origins::from([(op.maker, At::Unknown)]);
        let at = |name: &str| Origins::from([(op.maker, At::Place(self.places.named(name)))]);
        let all = schedulers.iter().flat_map(|scheduler| match scheduler {
            Scheduler::At(name) => at(name),
            Scheduler::Made(maker) => {
                let model = self.flow.calls.get(maker).and_then(|info| self.flow.model_of(info));
                model.and_then(|model| model.schedules.as_deref()).map_or_else(unknown, at)
            }
            Scheduler::Own(_) => self.run.get(&op.maker).cloned().unwrap_or_else(unknown),
        });
        let all: Origins = all.collect();
        if all.is_empty() { unknown() } else { all }
    }

    /// What runs because of what.
    fn edges(&self) -> BTreeSet<(InstId, Origin)> {
        let mut edges = BTreeSet::new();
        for op in &self.ops {
            let runs = self.all(op, &op.model.runs, None);
            for closure in &op.closures {
                edges.extend(runs.iter().map(|origin| (*closure, *origin)));
            }
            for (signal, observer) in &op.call.observers {
                edges.extend(self.up(op, &op.up, *signal).into_iter().map(|origin| (*observer, origin)));
            }
            for (schedulers, cause) in
                [(&op.call.schedulers, Cause::Scheduler), (&op.call.context, Cause::Context)]
            {
                let asked = self.asked(op, cause);
                for scheduler in schedulers {
                    if let Scheduler::Own(inst) = scheduler {
                        edges.extend(asked.iter().map(|origin| (*inst, *origin)));
                    }
                }
            }
        }
        edges
    }

    /// Where a scheduler is given what it is to run.
    fn asked(&self, op: &Op<'_>, cause: Cause) -> Origins {
        let begins = op.up.is_empty() || op.model.subscribes.contains(&cause);
        let subscribed = self.cause(op, Cause::Subscribe, None);
        let passed = SIGNALS.into_iter().filter(|signal| op.model.causes(*signal).contains(&cause));
        let passed = passed.flat_map(|signal| self.up(op, &op.up, signal));
        if begins { subscribed } else { passed.collect() }
    }
}

/// What a call has to do with streams.
fn op<'o>(
    flow: &Flow<'_>,
    maker: Maker,
    model: &'o Stream,
    info: &'o CallInfo,
    call: &'o StreamCall,
) -> Op<'o> {
    let is_stream = |made: &&Maker| {
        let info = flow.calls.get(*made);
        info.and_then(|info| flow.model_of(info)).is_some_and(|model| model.stream.is_some())
    };
    let streams = |args: &[BTreeSet<Maker>]| args.iter().flatten().filter(is_stream).copied().collect();
    let own = call.schedulers.iter().chain(&call.context).filter_map(|scheduler| match scheduler {
        Scheduler::Own(inst) => Some(*inst),
        _ => None,
    });
    let other: BTreeSet<InstId> = own.chain(call.observers.iter().map(|(_, inst)| *inst)).collect();
    let closures: BTreeSet<InstId> = info.callees.difference(&other).copied().collect();
    let results = closures.iter().filter_map(|closure| flow.heap.find(&Root::Local(*closure, 0)));
    let inner = results.flat_map(|result| made_in(flow, &[result])).filter(|made| is_stream(&made)).collect();
    let (up, others) = call.args.split_at(call.args.len().min(1));
    Op { maker, model, call, up: streams(up), others: streams(others), closures, inner }
}

/// Whether a call is one of a closure.
fn is_call(flow: &Flow<'_>, (inst, block): Maker) -> bool {
    use crate::mir::{Callee, TerminatorKind};
    match &flow.body_of(inst).blocks[block as usize].terminator.kind {
        TerminatorKind::Call(call) => match &call.callee {
            Callee::Fn { path, .. } => CALL.contains(&&*path.plain()),
            Callee::Value(_) => true,
        },
        _ => false,
    }
}
