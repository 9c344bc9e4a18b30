//! Reads that decide nothing in the end, because what they saw is looked at again, or because nothing comes of it.
//!
//! * **Again**: later on the same data is looked at again, before anything is changed, and nothing that came out of the
//!   first read is used behind that. It only decided whether to look properly: double-checked locking, `get` then
//!   `entry`, the condition of a loop that waits, the load before a compare-exchange.
//! * **Nothing**: from some block on nothing happens any more, and the value is not returned.
//! * **Agreed**: what is read again is compared with what was read before (a version, a generation), and used only when
//!   both are equal. Such a read, and those in the same critical section, are as good as if nobody else could have
//!   changed the data in between.
//!
//! Whether a read matters depends on the path, so it becomes [`Provisional`]: a choice at the read, which [`Mark`]s on the
//! way confirm or refute.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Order, Value as ModelValue};

use crate::mir::{Body, Operand, Prim, StatementKind, TerminatorKind, TyKind};

use crate::world::actions::cfg::{Cfg, reach};
use crate::world::actions::effects::{Action, Effects, Step, Touch};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::agree::{agreements, comparisons};
use crate::world::values::stale::{At, Bodies, FirstLook, Point, Read, backward, forward};

/// A read that may turn out not to matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Provisional {
    /// Names the read in its body.
    pub id: u32,
    /// It may be compared with what is read again; true: it is itself what is compared.
    pub agrees: Option<bool>,
}

/// What a place on a path says of a provisional read before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It does not matter on this path.
    Superseded,
    /// From here on it cannot be superseded any more.
    Needed,
    /// It agrees just when this other read does, of which it was made together.
    With(u32),
    /// It was compared and found equal.
    Agreed,
    /// It was compared and found different, or it can no longer be compared.
    Differs,
}

/// More pairs of reads than this are not looked at in one body.
const MAX_PAIRS: usize = 4000;

/// Finds reads that may not matter among an instance's actions. `shared` tells what others may change meanwhile, `whole` in what it is that
/// a location only says whether there is something.
pub(crate) fn fates(
    bodies: &Bodies<'_>,
    shared: &dyn Fn(&LocId) -> bool,
    whole: &dyn Fn(&LocId) -> Option<LocId>,
) -> Fates {
    let Bodies { body, cfg, effects, first_looks, .. } = *bodies;
    let reads = reads(body, cfg, effects, shared, whole);
    let asserts = |block: usize| (bodies.called)(block).value == Some(ModelValue::Asserts);
    let mut looks = looks(body, &reads, effects, &asserts, first_looks);
    // Whoever goes on with its own, whatever there is by then, does not look, nor does a copy that nobody uses.
    let unused = |at: &At| {
        let is_copy = |read: &&Read| read.at == *at && at.1 < body.blocks[at.0].statements.len();
        reads.iter().find(is_copy).is_some_and(|read| bodies.is_idle(read))
    };
    looks.retain(|(at, _)| !bodies.goes_on_with_its_own(*at) && !unused(at));
    let mut found: Vec<(usize, Fate)> = Vec::new();
    if !reads.is_empty() && reads.len() * looks.len() <= MAX_PAIRS {
        let comparisons = comparisons(body, cfg);
        let idle = idle(bodies);
        for (number, read) in reads.iter().enumerate() {
            if bodies.is_idle(read) {
                found.push((number, Fate { idle: true, ..Fate::default() }));
                continue;
            }
            let later = later(cfg, read.at.0);
            let comes_after = |at: At| (at.0 == read.at.0 && at.1 > read.at.1) || later.contains(&at.0);
            let again = looks
                .iter()
                .filter(|(at, locs)| comes_after(*at) && locs.iter().any(|loc| read.locs.contains(loc)));
            let mut again: Vec<Point> = again.map(|(at, _)| Point::Again(*at)).collect();
            // With several looks on the way (exchanges in a loop, say), each path has a first one.
            if !bodies.is_stale(read, &again, &BTreeSet::new()) {
                again.retain(|point| bodies.is_stale(read, &[*point], &BTreeSet::new()));
            }
            let mut fate = Fate { points: again, ..Fate::default() };
            for block in idle.iter().filter(|block| comes_after((**block, 0))) {
                let point = Point::Block(*block);
                if bodies.is_stale(read, &[point], &BTreeSet::new()) {
                    fate.points.push(point);
                }
            }
            if !fate.points.is_empty() {
                found.push((number, fate));
            }
        }
        agreements(bodies, &reads, &comparisons, &mut found);
    }
    Fates { reads, found }
}

/// Makes reads provisional and puts marks on the ways from them.
pub(crate) fn mark_reads(
    cfg: &Cfg,
    effects: &mut Effects,
    Fates { reads, found }: Fates,
    waiting: &BTreeSet<InstId>,
) {
    for (id, (number, fate)) in found.iter().enumerate() {
        insert(cfg, effects, &reads[*number], id as u32, fate, waiting);
        let leader =
            found.iter().position(|(other, _)| fate.agrees == Some(false) && fate.leader == Some(*other));
        if let Some(leader) = leader {
            let (mate, compared) = (&reads[*number], &reads[found[leader].0]);
            let last = if comes_after(cfg, mate.at, compared.at) { mate.at } else { compared.at };
            let mark = Mark::With(leader as u32);
            let action = Action::Mark { mark, id: id as u32, locs: compared.locs.clone() };
            effects[last.0].push(Step::new(action, last.1 + 1));
        }
    }
    for steps in effects.iter_mut() {
        // Marks were added at the end; a mark comes before what is done at its place.
        steps.sort_by_key(|step| (step.at, !matches!(step.action, Action::Mark { .. })));
    }
}

/// The reads of a body, and what may become of those of these numbers.
pub(crate) struct Fates {
    reads: Vec<Read>,
    found: Vec<(usize, Fate)>,
}

impl Fates {
    /// The same, but that the reads of these blocks matter.
    pub fn without(mut self, matters: impl Fn(usize) -> bool) -> Fates {
        self.found.retain(|(number, _)| !matters(self.reads[*number].at.0));
        self
    }
}

/// What may become of a read.
#[derive(Default)]
pub(crate) struct Fate {
    /// Nothing ever depends on it.
    pub idle: bool,
    pub points: Vec<Point>,
    pub agrees: Option<bool>,
    /// The read that is compared, if this is one that was made together with it.
    pub leader: Option<usize>,
    /// Switches that compare, with where they lead to.
    pub comparisons: Vec<(usize, usize, usize)>,
}

fn reads(
    body: &Body,
    cfg: &Cfg,
    effects: &Effects,
    shared: &dyn Fn(&LocId) -> bool,
    whole: &dyn Fn(&LocId) -> Option<LocId>,
) -> Vec<Read> {
    let mut reads = Vec::new();
    for &block in &cfg.reached {
        for (number, step) in effects[block].iter().enumerate() {
            let Action::Access { touch: Touch::Read, locs, .. } = &step.action else { continue };
            if !locs.iter().any(shared) {
                continue;
            }
            let result = match body.blocks[block].statements.get(step.at).map(|statement| &statement.kind) {
                Some(StatementKind::Assign(place, _)) => Some(place.local),
                Some(_) => None,
                None => match &body.blocks[block].terminator.kind {
                    TerminatorKind::Call(call) => Some(call.dest.local),
                    _ => None,
                },
            };
            if let Some(result) = result {
                // Who looks at all of it looks at that, too.
                let locs = locs.iter().copied().chain(locs.iter().filter_map(whole)).collect();
                reads.push(Read { at: (block, step.at), step: number, locs, result });
            }
        }
    }
    reads
}

/// Where data is looked at: reads, and accesses that look before they change anything. Who takes out of it what an earlier
/// read told must be there (`queue.pop_front().unwrap()`) relies on that read, and does not look properly.
fn looks(
    body: &Body,
    reads: &[Read],
    effects: &Effects,
    asserts: &dyn Fn(usize) -> bool,
    first_looks: &BTreeMap<InstId, FirstLook>,
) -> Vec<(At, Vec<LocId>)> {
    let relies = |(block, at): At| {
        let data = &body.blocks[block];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
        let result = call.dest.as_local();
        let takes =
            |step: &Step| step.at == at && matches!(step.action, Action::Access { touch: Touch::Write, .. });
        at == data.statements.len()
            && result.is_some()
            && effects[block].iter().any(takes)
            && body.blocks.iter().enumerate().any(|(index, data)| match &data.terminator.kind {
                TerminatorKind::Call(next) => {
                    let first = next.args.first().and_then(Operand::place);
                    first.and_then(|place| place.as_local()) == result && asserts(index)
                }
                _ => false,
            })
    };
    let mut found: Vec<(At, Vec<LocId>)> = reads.iter().map(|read| (read.at, read.locs.clone())).collect();
    for (block, steps) in effects.iter().enumerate() {
        for step in steps {
            match &step.action {
                Action::Access { checks: true, locs, .. } => found.push(((block, step.at), locs.clone())),
                // Of many calls the answer tells: `all`, `any`.
                Action::Call { callees, times, .. }
                    if callees.len() == 1
                        && (*times == Order::Once || *times == Order::Many && answers(body, block)) =>
                {
                    let looks = callees.first().and_then(|callee| first_looks.get(callee));
                    found.extend(looks.map(|looks| ((block, step.at), looks.locs.clone())));
                }
                _ => {}
            }
        }
    }
    found.retain(|(at, _)| !relies(*at));
    found
}

/// Whether the call that ends a block answers yes or no.
fn answers(body: &Body, block: usize) -> bool {
    match &body.blocks[block].terminator.kind {
        TerminatorKind::Call(call) => {
            let decl = call.dest.as_local().and_then(|local| body.locals.get(local.0 as usize));
            decl.is_some_and(|decl| matches!(&*decl.ty, TyKind::Prim(Prim::Bool)))
        }
        _ => false,
    }
}

/// Where paths enter a part of the body in which nothing happens and nothing is returned.
fn idle(bodies: &Bodies<'_>) -> Vec<usize> {
    let cfg = bodies.cfg;
    let busy: BTreeSet<usize> = cfg
        .reached
        .iter()
        .copied()
        .filter(|block| bodies.is_visible(*block) || bodies.returned_in(*block))
        .collect();
    let busy = backward(cfg, &busy, None);
    let enters = |block: &usize| busy.iter().any(|from| cfg.succs[*from].contains(block));
    cfg.reached.iter().copied().filter(|block| !busy.contains(block) && enters(block)).collect()
}

pub(crate) fn fate_of(found: &mut Vec<(usize, Fate)>, number: usize) -> &mut Fate {
    let index = found.iter().position(|(known, _)| *known == number).unwrap_or_else(|| {
        found.push((number, Fate::default()));
        found.len() - 1
    });
    &mut found[index].1
}

/// Whether a statement may come after another one.
fn comes_after(cfg: &Cfg, at: At, other: At) -> bool {
    (at.0 == other.0 && at.1 > other.1) || later(cfg, other.0).contains(&at.0)
}

/// Blocks that can come after a block: itself only in a loop.
fn later(cfg: &Cfg, block: usize) -> BTreeSet<usize> {
    reach(&cfg.succs, cfg.succs[block].iter().copied())
}

/// Makes a read provisional and puts the marks.
fn insert(cfg: &Cfg, effects: &mut Effects, read: &Read, id: u32, fate: &Fate, waiting: &BTreeSet<InstId>) {
    let goals: BTreeSet<usize> = fate.points.iter().map(|point| point.block()).collect();
    let ahead = forward(cfg, read.at.0);
    // Where no way leads to any of the points any more.
    let left = |goals: &BTreeSet<usize>| -> Vec<usize> {
        let open = backward(cfg, goals, None);
        let leaves = |block: &usize| {
            cfg.reached.iter().any(|from| open.contains(from) && cfg.succs[*from].contains(block))
        };
        ahead.iter().copied().filter(|block| !open.contains(block) && leaves(block)).collect()
    };
    let needed: Vec<usize> = left(&goals);
    let next = fate
        .points
        .iter()
        .any(|point| matches!(point, Point::Again((block, at)) if *block == read.at.0 && *at > read.at.1));
    // Who begins to wait on the way may come no further.
    let waits = ahead.iter().any(|block| effects[*block].iter().any(|step| step.waits(waiting)));
    let always = !waits && (next || goals_on_all_ways(cfg, read.at.0, &goals));
    if let Some(Action::Access { locs, provisional, .. }) =
        effects[read.at.0].get_mut(read.step).map(|step| &mut step.action)
    {
        if fate.idle || (always && fate.agrees.is_none()) {
            locs.clear();
            return;
        }
        *provisional = Some(Provisional { id, agrees: fate.agrees });
    }
    let mut put = |block: usize, at: usize, mark: Mark| {
        let action = Action::Mark { mark, id, locs: read.locs.clone() };
        effects[block].push(Step::new(action, at));
    };
    for point in &fate.points {
        match point {
            Point::Again((block, at)) => put(*block, *at, Mark::Superseded),
            Point::Block(block) => put(*block, 0, Mark::Superseded),
        }
    }
    for block in needed {
        put(block, 0, Mark::Needed);
    }
    if fate.agrees.is_some() {
        let switches: BTreeSet<usize> = fate.comparisons.iter().map(|(switch, ..)| *switch).collect();
        for block in left(&switches) {
            if !fate.comparisons.iter().any(|(_, equal, differ)| [*equal, *differ].contains(&block)) {
                put(block, 0, Mark::Differs);
            }
        }
        for (_, equal, differ) in &fate.comparisons {
            put(*equal, 0, Mark::Agreed);
            put(*differ, 0, Mark::Differs);
        }
    }
}

/// Whether every way from a block passes one of the goals.
fn goals_on_all_ways(cfg: &Cfg, from: usize, goals: &BTreeSet<usize>) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = cfg.succs[from].clone();
    if work.is_empty() {
        return false;
    }
    while let Some(at) = work.pop() {
        if goals.contains(&at) || !seen.insert(at) {
            continue;
        }
        if cfg.succs[at].is_empty() {
            return false;
        }
        work.extend(&cfg.succs[at]);
    }
    true
}
