//! From all that starts on a place of its own down to what that place does not provide.

mod crowd;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use robust_models::{Host, On};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::{Class, Level};
use crate::mir::{BodyKind, Crate, TerminatorKind, is_library};
use crate::world::actions::cfg::is_polled;
use crate::world::actions::promised::promised;
use crate::world::facts::Facts;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Phase, Unit, Units};
use crate::world::values::stale::forward;

use crate::confinement::arms::Ways;
use crate::confinement::atoms::{Asked, Atoms, DemandSet};
use crate::confinement::graph::{At, Edge, Graph, Site};
use crate::confinement::levels::{Judgement, judge};
use crate::confinement::place::{PlaceId, Places, Record};
use crowd::Crowd;

/// Why nobody may come to an operation along the way that was found.
const CONTRADICTION: &str =
    "on the way there one enum is taken to be two things: a bug only if it changes, or there are two";

/// An instance may run in so many ways; more are not told apart, and the code is said to be not analysed.
const RECORDS: usize = 16;

/// Something that starts on a place.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub inst: InstId,
    pub record: Record,
    pub start: Start,
}

/// Why it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// By this rule, at most once or time and again.
    Unit { why: String, once: bool },
    /// An instance started it in a block, with this function; `told`: a stream tells it something.
    Task { by: InstId, block: u32, with: String, told: bool },
}

/// A step on the way from a root to an offence: a call in a block, and what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub from: InstId,
    pub block: u32,
    pub to: InstId,
    pub record: Record,
    /// The library function in between.
    pub by: Option<String>,
    /// A stream tells something.
    pub told: bool,
}

/// An operation where it should not be.
#[derive(Clone, Debug)]
pub(crate) struct Breach {
    pub root: Root,
    pub chain: Vec<Link>,
    /// Where it is done.
    pub inst: InstId,
    pub block: u32,
    pub record: Record,
    pub operation: String,
    pub dropped: bool,
    pub asked: Asked,
    pub judgement: Judgement,
    /// Other roots that come there.
    pub alike: BTreeSet<InstId>,
    /// Other such operations in the same function: their instance and block, and what they are.
    pub more: Vec<(InstId, u32, String)>,
}

impl Breach {
    /// Whether it happens because a stream tells something.
    fn is_told(&self) -> bool {
        matches!(self.root.start, Start::Task { told: true, .. }) || self.chain.iter().any(|link| link.told)
    }
}

/// The search.
pub(crate) struct Descent<'d, 'a> {
    pub(in crate::confinement) flow: &'d Flow<'a>,
    facts: &'d Facts,
    places: &'d Places<'a>,
    pub(in crate::confinement) graph: &'d Graph,
    effects: &'d [Atoms],
    pub(in crate::confinement) roots: Vec<Root>,
    /// By instance, where it may run.
    seen: FxHashMap<InstId, Vec<Record>>,
    /// Instances that run time and again: in loops, or as tasks and handlers.
    again: FxHashSet<InstId>,
    /// Instances that handlers and other things run of which there may be several at a time.
    often: FxHashSet<InstId>,
    /// Instances that may run in too many ways.
    cut: BTreeSet<InstId>,
    /// What was given to unknown functions: those, and the code.
    strange: BTreeSet<(String, InstId)>,
    crowd: Crowd,
}

impl<'d, 'a> Descent<'d, 'a> {
    pub fn new(
        flow: &'d Flow<'a>,
        facts: &'d Facts,
        places: &'d Places<'a>,
        graph: &'d Graph,
        effects: &'d [Atoms],
    ) -> Self {
        Descent {
            flow,
            facts,
            places,
            graph,
            effects,
            roots: Vec::new(),
            seen: FxHashMap::default(),
            again: FxHashSet::default(),
            often: FxHashSet::default(),
            cut: BTreeSet::new(),
            strange: BTreeSet::new(),
            crowd: Crowd::new(places, graph, facts),
        }
    }

    /// Finds all that starts somewhere, and where each instance may run.
    pub fn explore(&mut self, units: &Units, crates: &[Arc<Crate>]) {
        for visits in &units.visits {
            let often = visits.iter().filter(|(_, phase, _)| matches!(phase, Phase::Repeated | Phase::Event));
            self.again.extend(often.map(|(inst, ..)| *inst));
        }
        for (unit, visits) in units.units.iter().zip(&units.visits) {
            if !unit.once {
                self.often.extend(visits.iter().map(|(inst, ..)| *inst));
            }
        }
        let ui = self.places.on(On::Ui);
        let mut handlers = Vec::new();
        for unit in units.units.iter().filter(|unit| unit.parent.is_none() && unit.part.is_none()) {
            let kind = &*crates[self.flow.home_of(unit.inst)].kind;
            if !is_for_development(kind) {
                let place = self.place_of(unit, kind);
                let record = self.given(unit.inst, self.places.start(place));
                let start = Start::Unit { why: unit.why.clone(), once: unit.once };
                let of = if place == ui { &mut handlers } else { &mut self.roots };
                of.push(Root { inst: unit.inst, record, start: start.clone() });
                // Whoever calls it awaits what it returns.
                let futures = promised(self.flow, unit.inst).into_values().flat_map(|(futures, _)| futures);
                for inst in futures {
                    let record = self.given(inst, self.places.start(self.places.host(Host::Futures)));
                    self.roots.push(Root { inst, record, start: start.clone() });
                }
            }
        }
        // The event loop that calls them runs in `main`, within what that has entered.
        let entered = if handlers.is_empty() { 0 } else { self.entered_by_main() };
        handlers.iter_mut().for_each(|root| root.record = root.record.with(entered, 0));
        self.roots.extend(handlers);
        let mut known: FxHashSet<(InstId, Record)> = FxHashSet::default();
        let mut next = 0;
        while next < self.roots.len() {
            let (inst, record) = (self.roots[next].inst, self.roots[next].record);
            next += 1;
            if known.insert((inst, record)) {
                self.follow(inst, record);
            }
        }
        let mut first = FxHashSet::default();
        self.roots.retain(|root| first.insert((root.inst, root.record)));
    }

    /// What is there where `main` does the last that it does, which is to run an event loop if there is one: a runtime that it has entered.
    fn entered_by_main(&self) -> DemandSet {
        let main = self.places.host(Host::Main);
        let mains = self.roots.iter().filter(|root| root.record.place == main);
        let mut work: Vec<(InstId, Record)> = mains.map(|root| (root.inst, root.record)).collect();
        let (mut found, mut seen) = (0, FxHashSet::default());
        while let Some((inst, record)) = work.pop() {
            if self.flow.is_late() || !seen.insert((inst, record)) {
                continue;
            }
            let node = self.graph.node(inst);
            for block in self.last_calls(inst) {
                found |= record.has() | node.shift(block).0;
                let here = node.edges.iter().filter(|edge| edge.block == block && !self.is_start(edge));
                work.extend(here.map(|edge| (edge.to, self.along(inst, edge, record))));
            }
        }
        found
    }

    /// The blocks of an instance that call something and that no other call comes behind.
    fn last_calls(&self, inst: InstId) -> Vec<u32> {
        let (body, cfg) = (self.flow.body_of(inst), &self.facts.cfgs[inst.0 as usize]);
        let calls = |block: usize| matches!(body.blocks[block].terminator.kind, TerminatorKind::Call(_));
        let behind = |block: usize| cfg.succs[block].iter().flat_map(|next| forward(cfg, *next));
        let last = |block: &&usize| calls(**block) && !behind(**block).any(calls);
        cfg.reached.iter().filter(last).map(|block| *block as u32).collect()
    }

    /// Where a unit runs that nobody in the program starts.
    fn place_of(&self, unit: &Unit, kind: &str) -> PlaceId {
        if let Some(name) = &unit.at {
            return self.places.named(name);
        }
        let body = self.flow.body_of(unit.inst);
        let is_main = unit.phase == Phase::Once && unit.once && &*body.def == "main" && !is_library(kind);
        if is_main {
            self.places.host(Host::Main)
        } else if unit.on == On::Ui {
            self.places.on(unit.on)
        } else if matches!(body.kind, BodyKind::Coroutine { .. }) || is_polled(body) {
            self.places.host(Host::Futures)
        } else {
            self.places.host(Host::Others)
        }
    }

    /// Notes where all runs that a root runs, and what that starts elsewhere.
    fn follow(&mut self, inst: InstId, record: Record) {
        let mut work = vec![(inst, record)];
        while let Some((inst, record)) = work.pop() {
            if self.flow.is_late() {
                return;
            }
            let known = self.seen.entry(inst).or_default();
            if known.contains(&record) {
                continue;
            }
            if known.len() == RECORDS {
                self.cut.insert(inst);
                continue;
            }
            known.push(record);
            for edge in &self.graph.node(inst).edges {
                if self.is_elsewhere(inst, edge.block, record) {
                    continue;
                }
                let next = self.along(inst, edge, record);
                if edge.at == At::Unknown && !crate::confinement::infer::is_harmless(self.effects, edge.to) {
                    self.strange.insert((edge.by.clone().unwrap_or_default(), edge.to));
                }
                if self.is_start(edge) {
                    let next = self.given(edge.to, next);
                    let with = edge.by.clone().unwrap_or_default();
                    let start = Start::Task { by: inst, block: edge.block, with, told: edge.told };
                    self.roots.push(Root { inst: edge.to, record: next, start });
                } else {
                    work.push((edge.to, next));
                }
            }
        }
    }

    /// What is known where something starts that takes more for its thread: before that it asks for none of it, as a rule.
    fn given(&self, inst: InstId, record: Record) -> Record {
        record.with(self.effects[inst.0 as usize].gives, 0)
    }

    /// Whether an edge leads to a thread of its own.
    pub(in crate::confinement) fn is_start(&self, edge: &Edge) -> bool {
        matches!(edge.at, At::Place(place) if !self.places.get(place).here)
    }

    /// Whether code does not come to a block where this is known: it has asked for what is there, and goes there only if that is not. Where
    /// nothing is known it has seen to it.
    fn is_elsewhere(&self, inst: InstId, block: u32, record: Record) -> bool {
        let lacks = self.graph.node(inst).lacks(block);
        lacks != 0 && (!record.is_known() || record.has_any(lacks))
    }

    /// What is known where an edge leads.
    pub(in crate::confinement) fn along(&self, inst: InstId, edge: &Edge, record: Record) -> Record {
        let (has, told) = self.graph.node(inst).shift(edge.block);
        let here = record.with(has, told);
        let there = match edge.at {
            At::Here => here,
            At::Place(place) => self.places.go_on(place, here),
            At::Unknown => self.places.unknown(),
        };
        let there = if edge.in_turn { there.in_turn() } else { there };
        let there = self.among_tasks(inst, edge.block, there);
        if edge.first { there.at_first() } else { there }
    }

    /// What is known where an instance comes to a block: tasks may have been started before on the one thread that it runs on.
    fn among_tasks(&self, inst: InstId, block: u32, record: Record) -> Record {
        let is_crowded = record.is_alone_on_one() && self.crowd.is_there(inst, block);
        if is_crowded { record.crowded() } else { record }
    }

    /// The bodies that run where it is known where that is.
    pub fn placed(&self) -> impl Iterator<Item = usize> {
        let known = self.seen.iter().filter(|(_, records)| records.iter().any(|record| record.is_known()));
        known.map(|(inst, _)| self.flow.instances[inst.0 as usize].body.0 as usize)
    }

    /// What was not looked into.
    pub fn not_analysed(&self) -> Vec<(String, String)> {
        let name = |inst: &InstId| reader_name(self.flow, *inst);
        let cut = self.cut.iter().map(|inst| {
            (
                name(inst),
                format!("it runs in more than {RECORDS} kinds of places: where was not followed further"),
            )
        });
        let strange = self.strange.iter().map(|(by, inst)| {
            (name(inst), format!("it is given to `{by}`, of which no model says where that runs it"))
        });
        let models = self.flow.models.undeclared().into_iter().map(|missing| {
            (missing, "models name this place, or what a place has, and none declares it".to_owned())
        });
        let all: BTreeSet<(String, String)> = cut.chain(strange).chain(models).collect();
        all.into_iter().collect()
    }

    /// All breaches: of each operation in the source the gravest, with the shortest way there; those of one kind in one function
    /// are one.
    pub fn breaches(&self) -> Vec<Breach> {
        let mut best: BTreeMap<Offence, Breach> = BTreeMap::new();
        let ways = Ways::new(self.flow, self.facts, self.graph, &self.roots);
        for root in &self.roots {
            for mut breach in self.below(root) {
                if breach.judgement.class == Class::ConfinedCallOffThread && breach.is_told() {
                    breach.judgement.class = Class::ObserverOffThread;
                }
                if ways.contradict(&breach) {
                    breach.judgement.level = Level::Note;
                    breach.judgement.excuse = CONTRADICTION;
                }
                let body = self.flow.instances[breach.inst.0 as usize].body.0;
                let key = (body, breach.block, breach.judgement.class);
                match best.get_mut(&key) {
                    None => _ = best.insert(key, breach),
                    Some(known) => {
                        let is_better = rank(&breach) < rank(known);
                        let (mut kept, other) =
                            if is_better { (breach, known.clone()) } else { (known.clone(), breach) };
                        kept.alike.extend(other.alike);
                        kept.alike.insert(other.root.inst);
                        *known = kept;
                    }
                }
            }
        }
        one_per_function(best.into_values().collect(), self.flow)
    }

    /// Breaches below a root, breadth first.
    fn below(&self, root: &Root) -> Vec<Breach> {
        let mut found = Vec::new();
        let mut nodes: Vec<Reached<'_>> = vec![(root.inst, root.record, None)];
        let mut seen = FxHashSet::from_iter([(root.inst, root.record)]);
        let mut queue = VecDeque::from([0]);
        while let Some(number) = queue.pop_front() {
            if self.flow.is_late() {
                break;
            }
            let (inst, record, _) = nodes[number];
            let node = self.graph.node(inst);
            for site in &node.sites {
                if self.is_elsewhere(inst, site.block, record) {
                    continue;
                }
                let (has, told) = node.shift(site.block);
                let here = self.among_tasks(inst, site.block, record.with(has, told));
                let offence = self.offence(inst, site, here);
                found.extend(offence.map(|(asked, judgement)| Breach {
                    root: root.clone(),
                    chain: chain(&nodes, number),
                    inst,
                    block: site.block,
                    record: here,
                    operation: site.operation.clone(),
                    dropped: site.dropped,
                    asked,
                    judgement,
                    alike: BTreeSet::new(),
                    more: Vec::new(),
                }));
            }
            for edge in node.edges.iter().filter(|edge| !self.is_start(edge)) {
                if self.is_elsewhere(inst, edge.block, record) {
                    continue;
                }
                let next = self.along(inst, edge, record);
                if next.unsettled(self.effects[edge.to.0 as usize]).is_empty()
                    || !seen.insert((edge.to, next))
                {
                    continue;
                }
                nodes.push((edge.to, next, Some((number, edge))));
                queue.push_back(nodes.len() - 1);
            }
        }
        found
    }

    /// Where an instance may run.
    pub fn records(&self, inst: InstId) -> &[Record] {
        self.seen.get(&inst).map_or(&[], Vec::as_slice)
    }

    /// Whether something runs an instance anywhere.
    pub fn runs(&self, inst: InstId) -> bool {
        self.seen.contains_key(&inst)
    }

    /// Whether there may be several of what a root starts at a time.
    pub fn is_many(&self, root: &Root) -> bool {
        match &root.start {
            Start::Unit { once, .. } => !once,
            Start::Task { by, block, .. } => {
                let in_loop = self.facts.cfgs[by.0 as usize].loop_of(*block as usize).is_some();
                in_loop || self.again.contains(by) || self.often.contains(by)
            }
        }
    }

    /// Whether a root runs an instance only before it starts anything else.
    pub fn is_beginning(&self, root: &Root, inst: InstId) -> bool {
        matches!(root.start, Start::Unit { once: true, .. }) && !self.again.contains(&inst)
    }

    /// The gravest of what an operation asks for and does not get.
    fn offence(&self, inst: InstId, site: &Site, record: Record) -> Option<(Asked, Judgement)> {
        if record.has_asked(site.atoms) {
            return None;
        }
        let in_loop = || self.facts.cfgs[inst.0 as usize].loop_of(site.block as usize).is_some();
        let again = self.again.contains(&inst) || in_loop();
        let all = record.unsettled(site.atoms).each();
        let judged = all.filter_map(|asked| Some((asked, judge(self.places, asked, record, again)?)));
        // The first of the gravest.
        judged.reduce(|best, next| if next.1.level > best.1.level { next } else { best })
    }
}

/// An instance, where it runs, and from which of the others it was reached by which edge.
type Reached<'g> = (InstId, Record, Option<(usize, &'g Edge)>);

/// What tells an operation in the source, and what is said of it: body, block, class.
type Offence = (u32, u32, Class);

/// Graver and shorter first; where it is known what runs there before where it is not.
fn rank(breach: &Breach) -> (std::cmp::Reverse<Level>, bool, usize, InstId) {
    (
        std::cmp::Reverse(breach.judgement.level),
        !breach.record.is_known(),
        breach.chain.len(),
        breach.root.inst,
    )
}

/// Operations of one class and level in one function are told of together.
fn one_per_function(mut breaches: Vec<Breach>, flow: &Flow<'_>) -> Vec<Breach> {
    let mut kept: Vec<Breach> = Vec::new();
    let mut known: FxHashMap<_, usize> = FxHashMap::default();
    breaches.sort_by_key(|breach| (flow.instances[breach.inst.0 as usize].body, breach.block));
    for breach in breaches {
        let body = flow.instances[breach.inst.0 as usize].body;
        let key = (body, breach.judgement.class, breach.judgement.level);
        match known.get(&key) {
            Some(&first) => {
                kept[first].more.push((breach.inst, breach.block, breach.operation));
                kept[first].alike.extend(breach.alike);
            }
            None => {
                known.insert(key, kept.len());
                kept.push(breach);
            }
        }
    }
    kept
}

/// The edges from the root to the node with this number.
fn chain(nodes: &[Reached<'_>], mut number: usize) -> Vec<Link> {
    let mut links = Vec::new();
    while let (to, record, Some((before, edge))) = nodes[number] {
        let (from, ..) = nodes[before];
        links.push(Link { from, block: edge.block, to, record, by: edge.by.clone(), told: edge.told });
        number = before;
    }
    links.reverse();
    links
}

/// Whether a crate of cargo's kind is for developers only.
pub(crate) fn is_for_development(kind: &str) -> bool {
    matches!(kind, "test" | "bench" | "example" | "custom-build" | "proc-macro")
}

/// A body's name without the layer that async functions are wrapped in.
pub(crate) fn reader_name(flow: &Flow<'_>, inst: InstId) -> String {
    flow.body_of(inst).reader_name().to_owned()
}
