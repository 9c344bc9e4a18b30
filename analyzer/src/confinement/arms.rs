//! Ways that contradict each other: a thread is started only where some enum is one thing, and what it comes to is reached only
//! where an enum of that type is another. Which runtime there is, say, is chosen in one place and asked for in many.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::mir::{Body, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::cfg::Cfg;
use crate::world::facts::Facts;
use crate::world::points::aggregates::only_definition;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::control::deciders;

use super::descend::{Breach, Root, Start};
use super::graph::Graph;

/// By enum: the variants of which one is there, by number; [`OTHER`] for those that no arm names.
type Arms = BTreeMap<String, BTreeSet<u128>>;

/// All variants that a `match` has no arm of their own for.
const OTHER: u128 = u128::MAX;

/// What is known of such enums wherever something runs.
pub(crate) struct Ways<'w, 'a> {
    flow: &'w Flow<'a>,
    facts: &'w Facts,
    /// By instance that branches on such an enum: see [`deciders`].
    deciders: FxHashMap<InstId, Rc<Vec<Vec<usize>>>>,
    /// By instance: what is so wherever it is called or started.
    entry: FxHashMap<InstId, Arms>,
}

impl<'w, 'a> Ways<'w, 'a> {
    /// From what starts by itself along all calls and starts.
    pub fn new(flow: &'w Flow<'a>, facts: &'w Facts, graph: &Graph, roots: &[Root]) -> Self {
        let mut ways = Ways { flow, facts, deciders: FxHashMap::default(), entry: FxHashMap::default() };
        for index in 0..graph.nodes.len() {
            ways.branch(InstId(index as u32));
        }
        if ways.deciders.is_empty() {
            return ways;
        }
        let begins = roots.iter().filter(|root| matches!(root.start, Start::Unit { .. }));
        let mut work: Vec<InstId> = begins.map(|root| root.inst).collect();
        work.iter().for_each(|inst| _ = ways.entry.insert(*inst, Arms::new()));
        while let Some(inst) = work.pop() {
            if flow.is_late() {
                break;
            }
            for edge in &graph.node(inst).edges {
                let mut there = ways.entry.get(&inst).cloned().unwrap_or_default();
                narrow(&mut there, ways.at(inst, edge.block));
                let known = ways.entry.get(&edge.to);
                let joined = known.map_or_else(|| there.clone(), |known| join(known, &there));
                if known != Some(&joined) {
                    ways.entry.insert(edge.to, joined);
                    work.push(edge.to);
                }
            }
        }
        ways
    }

    /// Whether nobody comes along this way while the enums that decide on it stay the same.
    pub fn contradict(&self, breach: &Breach) -> bool {
        let mut arms = self.entry.get(&breach.root.inst).cloned().unwrap_or_default();
        let links = breach.chain.iter().map(|link| (link.from, link.block));
        links
            .chain([(breach.inst, breach.block)])
            .any(|(inst, block)| !narrow(&mut arms, self.at(inst, block)))
    }

    /// Notes what decides in an instance, if it branches on such an enum.
    fn branch(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        let asks = body.blocks.iter().filter(|block| !block.cleanup).any(|block| {
            let statements = block.statements.iter();
            statements.into_iter().any(|statement| {
                matches!(&statement.kind,
                StatementKind::Assign(_, Rvalue::Discriminant(place)) if self.chosen(inst, place).is_some())
            })
        });
        if asks {
            let found = Rc::new(deciders(&self.facts.cfgs[inst.0 as usize]));
            self.deciders.insert(inst, found);
        }
    }

    /// The own enum that something keeps: settings, not a message that was just received.
    fn chosen(&self, inst: InstId, place: &Place) -> Option<String> {
        let kept = |step: &Projection| matches!(step, Projection::Deref | Projection::Field(..));
        let is_kept = |place: &Place| place.projection.iter().any(kept);
        let copied = || place.as_local().and_then(|local| copied(self.flow.body_of(inst), local));
        if !is_kept(place) && !copied().is_some_and(is_kept) {
            return None;
        }
        let ty = self.flow.place_ty(inst, place)?;
        let path = ty.as_path().filter(|_| self.flow.code.has_fields(&ty))?;
        Some(path.plain())
    }

    /// What is so in a block, as far as its own body decides.
    fn at(&self, inst: InstId, block: u32) -> Arms {
        let mut arms = Arms::new();
        let Some(deciders) = self.deciders.get(&inst) else { return arms };
        let body = self.flow.body_of(inst);
        let cfg = &self.facts.cfgs[inst.0 as usize];
        for &decider in &deciders[block as usize] {
            let data = &body.blocks[decider];
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &data.terminator.kind else {
                continue;
            };
            let Some(local) = on.place().and_then(Place::as_local) else { continue };
            let name = data.statements.iter().find_map(|statement| match &statement.kind {
                StatementKind::Assign(to, Rvalue::Discriminant(of)) if to.as_local() == Some(local) => {
                    self.chosen(inst, of)
                }
                _ => None,
            });
            let Some(name) = name else { continue };
            let others = otherwise.iter().map(|to| (OTHER, to.0 as usize));
            let all = targets.iter().map(|(value, to)| (*value, to.0 as usize)).chain(others);
            let leading: BTreeSet<u128> = all
                .filter(|(_, to)| leads(cfg, *to, block as usize, decider))
                .map(|(value, _)| value)
                .collect();
            narrow(&mut arms, Arms::from([(name, leading)]));
        }
        arms
    }
}

/// The place that a local has a copy of, where it is never given anything else.
fn copied(body: &Body, local: Local) -> Option<&Place> {
    match only_definition(body, local)? {
        (to, Rvalue::Use(Operand::Copy(from))) if to.as_local().is_some() => Some(from),
        _ => None,
    }
}

/// Whether one block leads to another without coming by a third.
fn leads(cfg: &Cfg, from: usize, to: usize, without: usize) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if at == to {
            return true;
        }
        work.extend(cfg.succs[at].iter().copied().filter(|next| *next != without && seen.insert(*next)));
    }
    false
}

/// Adds what is also so; false when both cannot be.
fn narrow(arms: &mut Arms, with: Arms) -> bool {
    let mut possible = true;
    for (name, variants) in with {
        let known = arms.entry(name).or_insert_with(|| variants.clone());
        known.retain(|variant| variants.contains(variant));
        possible &= !known.is_empty();
    }
    possible
}

/// What is so on both of two ways.
fn join(one: &Arms, other: &Arms) -> Arms {
    let both = one.iter().filter_map(|(name, variants)| {
        let others = other.get(name)?;
        Some((name.clone(), variants.union(others).copied().collect()))
    });
    both.collect()
}
