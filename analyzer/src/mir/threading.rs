//! Jump threading: where a value that was just made decides a branch further on, the way from there to the branch is copied, and
//! leads where the value says.
//!
//! ```text
//! let found = match map.get(key) { Some(value) => Some(*value), None => None };
//! match found { .. }
//! ```
//!
//! is two choices in MIR, with one way between them. rustc threads such jumps where it optimises; what is analysed is not
//! optimised. Without it, whoever goes by the blocks takes what was not found for found.

use std::collections::BTreeSet;

use super::{
    AggregateKind, BasicBlock, Block, Body, BorrowKind, Crate, Local, Operand, Place, Rvalue, Statement,
    StatementKind, TerminatorKind,
};

/// A way that is copied has so many blocks.
const LONGEST: usize = 8;
/// A body gets so many blocks more.
const MOST: usize = 64;

/// Threads the jumps of all bodies.
pub fn thread_jumps(krate: &mut Crate) {
    krate.bodies.iter_mut().for_each(thread);
}

fn thread(body: &mut Body) {
    let made: Vec<Vec<(Local, u128)>> = body.blocks.iter().map(made).collect();
    if made.iter().all(Vec::is_empty) {
        return;
    }
    let lent = lent(body);
    let heads = heads(body);
    let mut entries = vec![0_u32; body.blocks.len()];
    for block in &body.blocks {
        block.terminator.kind.resumed_successors().into_iter().for_each(|next| entries[next] += 1);
    }
    let end = body.blocks.len() + MOST;
    for (index, made) in made.iter().enumerate() {
        let mut ways = made.iter().filter(|(local, _)| !lent.contains(local)).filter_map(|(local, value)| {
            let way = way(body, index, (*local, *value), &heads)?;
            way.blocks.iter().any(|block| entries[*block] > 1).then_some(way)
        });
        if let Some(way) = ways.next().filter(|way| body.blocks.len() + way.blocks.len() <= end) {
            copy(body, index, &way);
        }
    }
}

/// The way from a block to a branch that is decided, that one last, and where that leads.
struct Way {
    blocks: Vec<usize>,
    to: Block,
}

/// What a block makes of whole locals that can decide a branch, as the value that is asked for.
fn made(block: &BasicBlock) -> Vec<(Local, u128)> {
    let mut made: Vec<(Local, u128)> = Vec::new();
    if block.cleanup || only_next(block).is_none() {
        return made;
    }
    for statement in &block.statements {
        if let Some(changed) = changed(statement) {
            made.retain(|(local, _)| *local != changed);
        }
        if let StatementKind::Assign(place, rvalue) = &statement.kind
            && let (Some(local), Some(value)) = (place.as_local(), value(rvalue))
        {
            made.push((local, value));
        }
    }
    made
}

/// The truth value, or the variant of a well-known enum, that this certainly is.
fn value(rvalue: &Rvalue) -> Option<u128> {
    match rvalue {
        Rvalue::Use(operand @ Operand::Const(_)) => operand.truth().map(u128::from),
        Rvalue::Aggregate(kind, _) => {
            let AggregateKind::Adt { path, .. } = &**kind else { return None };
            let [.., ty, variant] = &path.segments[..] else { return None };
            match (&*ty.name, &*variant.name) {
                ("Option", "None") | ("Result", "Ok") | ("Poll", "Ready") | ("ControlFlow", "Continue") => {
                    Some(0)
                }
                ("Option", "Some") | ("Result", "Err") | ("Poll", "Pending") | ("ControlFlow", "Break") => {
                    Some(1)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The local that a statement changes, or a part of it.
fn changed(statement: &Statement) -> Option<Local> {
    match &statement.kind {
        StatementKind::Assign(place, _) | StatementKind::SetDiscriminant(place, _) => Some(place.local),
        StatementKind::StorageLive(local) | StatementKind::StorageDead(local) => Some(*local),
        _ => None,
    }
}

/// Locals that are lent to be changed: what they are is not seen.
fn lent(body: &Body) -> BTreeSet<Local> {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let lent = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(
            _,
            Rvalue::Ref(BorrowKind::Mut, place) | Rvalue::RawPtr { mutable: true, place },
        ) => Some(place.local),
        _ => None,
    });
    lent.collect()
}

fn way(body: &Body, from: usize, (local, value): (Local, u128), heads: &BTreeSet<usize>) -> Option<Way> {
    // What has it, as far as it is handed on.
    let mut same = BTreeSet::from([local]);
    let mut at = only_next(&body.blocks[from])?;
    let mut blocks = Vec::new();
    let first = &body.blocks[from].terminator.kind;
    while blocks.len() < LONGEST && !heads.contains(&at) && !is_dropped(first, &same) {
        let block = body.blocks.get(at).filter(|block| !block.cleanup)?;
        blocks.push(at);
        let asked = follow(block, &mut same);
        if let TerminatorKind::SwitchInt { on, targets, otherwise } = &block.terminator.kind {
            let by = on.place()?.as_local()?;
            let decides = asked == Some(by) || same.contains(&by);
            let to = targets.iter().find(|(bits, _)| *bits == value).map(|(_, to)| *to).or(*otherwise);
            return to.filter(|_| decides).map(|to| Way { blocks, to });
        }
        if same.is_empty() || is_dropped(&block.terminator.kind, &same) {
            return None;
        }
        at = only_next(block)?;
    }
    None
}

fn is_dropped(terminator: &TerminatorKind, locals: &BTreeSet<Local>) -> bool {
    matches!(terminator, TerminatorKind::Drop { place, .. } if locals.contains(&place.local))
}

/// Follows a value through the statements of a block: which locals have it behind them, and which says what variant it is.
fn follow(block: &BasicBlock, same: &mut BTreeSet<Local>) -> Option<Local> {
    let mut asked = None;
    for statement in &block.statements {
        let is_it = |place: &Place, same: &BTreeSet<Local>| {
            place.as_local().is_some_and(|local| same.contains(&local))
        };
        let (mut has, mut asks) = (None, None);
        if let StatementKind::Assign(to, rvalue) = &statement.kind {
            match rvalue {
                Rvalue::Use(Operand::Copy(from) | Operand::Move(from)) if is_it(from, same) => {
                    has = to.as_local()
                }
                Rvalue::Discriminant(of) if is_it(of, same) => asks = to.as_local(),
                _ => {}
            }
        }
        if let Some(changed) = changed(statement) {
            same.remove(&changed);
            asked = asked.filter(|asked| *asked != changed);
        }
        same.extend(has);
        asked = asks.or(asked);
    }
    asked
}

/// Lets a block lead to copies of the blocks of a way, and the last of them where the value says.
fn copy(body: &mut Body, from: usize, way: &Way) {
    let first = body.blocks.len();
    for (number, &block) in way.blocks.iter().enumerate() {
        let mut copy = body.blocks[block].clone();
        match number + 1 == way.blocks.len() {
            true => decide(&mut copy, way.to),
            false => lead(&mut copy.terminator.kind, first + number + 1),
        }
        body.blocks.push(copy);
    }
    lead(&mut body.blocks[from].terminator.kind, first);
}

/// Takes a branch out of a block, with what was only made for it: whoever asks what a local is given finds it given once.
fn decide(block: &mut BasicBlock, to: Block) {
    let branch = std::mem::replace(&mut block.terminator.kind, TerminatorKind::Goto(to));
    if let TerminatorKind::SwitchInt { on: Operand::Move(by), .. } = branch {
        block.statements.retain(|statement| {
            !matches!(&statement.kind, StatementKind::Assign(place, _) if place.as_local() == by.as_local())
        });
    }
}

/// Where a block leads that leads to one other only, but for unwinding.
fn only_next(block: &BasicBlock) -> Option<usize> {
    match &block.terminator.kind {
        TerminatorKind::Goto(to)
        | TerminatorKind::FalseEdge(to)
        | TerminatorKind::Drop { target: Some(to), .. } => Some(to.0 as usize),
        _ => None,
    }
}

fn lead(terminator: &mut TerminatorKind, next: usize) {
    if let TerminatorKind::Goto(to)
    | TerminatorKind::FalseEdge(to)
    | TerminatorKind::Drop { target: Some(to), .. } = terminator
    {
        *to = Block(next as u32);
    }
}

/// The blocks that loops begin with. A way through one would be a second way into the loop.
fn heads(body: &Body) -> BTreeSet<usize> {
    let mut heads = BTreeSet::new();
    let mut seen = vec![false; body.blocks.len()];
    let mut open = vec![false; body.blocks.len()];
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut enter = |at: usize, open: &mut Vec<bool>, stack: &mut Vec<(usize, Vec<usize>)>| {
        if let Some(block) = body.blocks.get(at).filter(|_| !std::mem::replace(&mut seen[at], true)) {
            open[at] = true;
            stack.push((at, block.terminator.kind.resumed_successors()));
        }
    };
    enter(0, &mut open, &mut stack);
    while let Some((at, left)) = stack.last_mut() {
        let at = *at;
        match left.pop() {
            Some(next) if open[next] => _ = heads.insert(next),
            Some(next) => enter(next, &mut open, &mut stack),
            None => {
                open[at] = false;
                stack.pop();
            }
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::text::{Entry, Print};

    fn body(source: &str) -> Body {
        let entries = Print::read(source, "", &|| false).entries;
        entries
            .into_iter()
            .find_map(|entry| if let Entry::Body(body) = entry { Some(body) } else { None })
            .unwrap()
    }

    const TWICE: &str = "fn twice(_1: bool) -> u32 {
    let mut _0: u32;
    let mut _2: std::option::Option<u32>;
    let mut _3: isize;

    bb0: {
        switchInt(copy _1) -> [0: bb2, otherwise: bb1];
    }

    bb1: {
        _2 = std::option::Option::<u32>::Some(const 1_u32);
        goto -> bb3;
    }

    bb2: {
        _2 = std::option::Option::<u32>::None;
        goto -> bb3;
    }

    bb3: {
        _3 = discriminant(_2);
        switchInt(move _3) -> [0: bb4, 1: bb5, otherwise: bb6];
    }

    bb4: {
        _0 = const 0_u32;
        return;
    }

    bb5: {
        _0 = copy ((_2 as variant#1).0: u32);
        return;
    }

    bb6: {
        unreachable;
    }
}
";

    #[test]
    fn each_way_leads_where_its_value_says() {
        let mut body = body(TWICE);
        thread(&mut body);
        let leads = |at: usize| only_next(&body.blocks[at]).unwrap();
        assert_eq!(leads(leads(1)), 5);
        assert_eq!(leads(leads(2)), 4);
    }

    #[test]
    fn what_may_have_changed_decides_nothing() {
        for (what, with) in [
            ("_2 = std::option::Option::<u32>::None;\n        goto", "_2 = f() -> bb3;\n        goto"),
            (
                "_3 = discriminant(_2);",
                "_2 = std::option::Option::<u32>::None;\n        _3 = discriminant(_2);",
            ),
        ] {
            let mut body = body(
                &TWICE
                    .replace(what, with)
                    .replace("_2 = f() -> bb3;\n        goto -> bb3;", "_2 = f() -> bb3;"),
            );
            let before = body.blocks.len();
            thread(&mut body);
            assert!(body.blocks.len() <= before + 1, "{what}");
        }
    }
}
