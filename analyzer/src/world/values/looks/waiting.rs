//! Loops that wait for somebody else: they do nothing that brings them closer to their end. What comes after one relies on what ended it
//! (weak control dependence: Podgurski, Clarke, TSE 1990; for other loops it is taken for granted that they end).

use std::collections::BTreeSet;

use crate::mir::{
    Body, BorrowKind, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind,
};
use crate::world::actions::cfg::Cfg;
use crate::world::values::rechecks::Dominators;

/// A loop that is left at one place.
pub(crate) struct Loop {
    /// The one block from which it is left.
    pub end: usize,
    pub blocks: BTreeSet<usize>,
    /// The blocks that can only be reached through its end.
    pub after: Vec<usize>,
}

/// The loops that wait; `changes` tells whether a block changes anything that others see, `is_same` whether a local is as good as before,
/// whatever a round gives it.
pub(crate) fn loops(
    body: &Body,
    cfg: &Cfg,
    changes: &dyn Fn(usize) -> bool,
    is_same: &dyn Fn(Local) -> bool,
) -> Vec<Loop> {
    left_at_one_place(cfg, |blocks, header, _| {
        !comes_closer(body, blocks, header, is_same) && !blocks.iter().any(|block| changes(*block))
    })
}

/// The loops that are left at one place and are as wanted, by their blocks, where they begin and where they end.
pub(crate) fn left_at_one_place(
    cfg: &Cfg,
    is_wanted: impl Fn(&BTreeSet<usize>, usize, usize) -> bool,
) -> Vec<Loop> {
    if cfg.loops.is_empty() {
        return Vec::new();
    }
    let before = Dominators::of(cfg);
    let mut found = Vec::new();
    for header in cfg.reached.iter().copied().filter(|block| cfg.loop_of(*block).is_some()) {
        let blocks = loop_at(cfg, &before, header);
        if let Some(end) = only_end(cfg, &blocks)
            && is_wanted(&blocks, header, end)
        {
            let after = cfg.succs[end].iter().copied().find(|to| !blocks.contains(to));
            let comes_after = |block: &usize| after.is_some_and(|after| before.dominates(after, *block));
            let after = cfg.reached.iter().copied().filter(comes_after).collect();
            found.push(Loop { end, blocks, after });
        }
    }
    found
}

/// The blocks of the loop that begins with a block; none if none does.
fn loop_at(cfg: &Cfg, before: &Dominators, header: usize) -> BTreeSet<usize> {
    let goes_back = |from: &usize| cfg.reached.contains(from) && before.dominates(header, *from);
    let mut work: Vec<usize> = cfg.preds[header].iter().copied().filter(goes_back).collect();
    let mut blocks = BTreeSet::new();
    while let Some(block) = work.pop() {
        if blocks.insert(block) && block != header {
            work.extend(cfg.preds[block].iter().filter(|block| cfg.reached.contains(block)));
        }
    }
    blocks
}

/// The one block from which a loop is left.
fn only_end(cfg: &Cfg, blocks: &BTreeSet<usize>) -> Option<usize> {
    let leaves = |block: &usize| cfg.succs[*block].iter().any(|to| !blocks.contains(to));
    let mut ends = blocks.iter().copied().filter(leaves);
    ends.next().filter(|_| ends.next().is_none())
}

/// Whether a round leaves something for the next one: it gives a local another value that is used before it is given one again, or lends
/// out something from before the loop to be changed.
fn comes_closer(
    body: &Body,
    blocks: &BTreeSet<usize>,
    header: usize,
    is_same: &dyn Fn(Local) -> bool,
) -> bool {
    let mut given: BTreeSet<Local> = BTreeSet::new();
    let mut lent: BTreeSet<Local> = BTreeSet::new();
    for block in blocks.iter().map(|block| &body.blocks[*block]) {
        for statement in &block.statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            given.insert(place.local);
            if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, mutable: true } = rvalue
                && !of.projection.contains(&Projection::Deref)
            {
                lent.insert(of.local);
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            given.insert(call.dest.local);
        }
    }
    lent.iter().any(|local| !given.contains(local))
        || given.iter().any(|local| !is_same(*local) && is_used_first(body, blocks, header, *local))
}

/// Whether a round may use a local before it gives it a value.
fn is_used_first(body: &Body, blocks: &BTreeSet<usize>, header: usize, local: Local) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![header];
    while let Some(index) = work.pop() {
        if !blocks.contains(&index) || !seen.insert(index) {
            continue;
        }
        match first_use(&body.blocks[index], local) {
            Some(true) => return true,
            Some(false) => {}
            None => work.extend(body.blocks[index].terminator.kind.successors()),
        }
    }
    false
}

/// Whether the first thing that a block does with a local is to use it; none if it does nothing with it.
fn first_use(block: &crate::mir::BasicBlock, local: Local) -> Option<bool> {
    let in_place = |place: &Place| {
        let indexes =
            place.projection.iter().any(|step| matches!(step, Projection::Index(at) if *at == local));
        place.local == local || indexes
    };
    let to = |place: &Place| match place.local == local {
        true => Some(!place.projection.is_empty()),
        false => in_place(place).then_some(true),
    };
    for statement in &block.statements {
        if let StatementKind::Assign(place, rvalue) = &statement.kind {
            if rvalue.places().into_iter().any(in_place) {
                return Some(true);
            }
            if let found @ Some(_) = to(place) {
                return found;
            }
        }
    }
    let used = |operand: &Operand| operand.place().is_some_and(in_place);
    match &block.terminator.kind {
        TerminatorKind::Call(call) if call.args.iter().any(used) => Some(true),
        TerminatorKind::Call(call) => to(&call.dest),
        TerminatorKind::SwitchInt { on, .. } => used(on).then_some(true),
        // What is dropped is gone.
        _ => None,
    }
}
