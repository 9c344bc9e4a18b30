//! Reads that are compared with what is read again ([`crate::world::values::revalidate`], **Agreed**).

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Models, Value as ModelValue};

use crate::mir::{Body, CallTarget, Callee, Local, Operand, Rvalue, StatementKind, TerminatorKind};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::Action;
use crate::world::values::rechecks::{Dominators, flows_to};
use crate::world::values::revalidate::{Fate, fate_of};
use crate::world::values::stale::{At, Bodies, Point, Read, forward};

/// A comparison of two values, and the branch that it decides.
pub(crate) struct Comparison {
    operands: [Local; 2],
    /// The call that compares what it is given references to.
    call: Option<At>,
    switch: usize,
    equal: usize,
    differ: usize,
}

/// Comparisons for equality with the branch they decide; only where each side of the branch is reached from there alone.
pub(crate) fn comparisons(body: &Body, cfg: &Cfg) -> Vec<Comparison> {
    let mut found = Vec::new();
    let mut compared: BTreeMap<Local, ([Local; 2], Option<At>, bool)> = BTreeMap::new();
    for &block in &cfg.reached {
        let data = &body.blocks[block];
        for statement in &data.statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            let Some(dest) = place.as_local() else { continue };
            match rvalue {
                Rvalue::Binary(operator, operands) if matches!(&**operator, "Eq" | "Ne") => {
                    if let (Some(a), Some(b)) = (operands.0.place(), operands.1.place()) {
                        compared.insert(dest, ([a.local, b.local], None, &**operator == "Eq"));
                    }
                }
                _ => {}
            }
        }
        if let TerminatorKind::Call(call) = &data.terminator.kind
            && let Callee::Fn { path, .. } = &call.callee
            && matches!(path.last(), "eq" | "ne")
            && let [Some(a), Some(b)] =
                [call.args.first(), call.args.get(1)].map(|arg| arg.and_then(Operand::place))
            && let Some(dest) = call.dest.as_local()
        {
            let call = (block, data.statements.len());
            compared.insert(dest, ([a.local, b.local], Some(call), path.last() == "eq"));
        }
    }
    for &block in &cfg.reached {
        for statement in &body.blocks[block].statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            let known = |operand: &Operand| {
                operand
                    .place()
                    .and_then(|place| place.as_local())
                    .and_then(|local| compared.get(&local))
                    .copied()
            };
            let negated = match rvalue {
                Rvalue::Unary(operator, operand) if &**operator == "Not" => {
                    known(operand).map(|(operands, call, equal)| (operands, call, !equal))
                }
                Rvalue::Use(operand) => known(operand),
                _ => None,
            };
            if let (Some(dest), Some(compares)) = (place.as_local(), negated) {
                compared.insert(dest, compares);
            }
        }
    }
    for &block in &cfg.reached {
        let TerminatorKind::SwitchInt { on, targets, otherwise: Some(otherwise) } =
            &body.blocks[block].terminator.kind
        else {
            continue;
        };
        let Some(&(operands, call, equal)) = on.place().and_then(|place| compared.get(&place.local)) else {
            continue;
        };
        let [(0, no)] = targets[..] else { continue };
        let (no, yes) = (no.0 as usize, otherwise.0 as usize);
        let alone =
            |to: usize| cfg.reached.iter().filter(|from| cfg.succs[**from].contains(&to)).count() == 1;
        if no != yes && alone(no) && alone(yes) {
            let (equal, differ) = if equal { (yes, no) } else { (no, yes) };
            found.push(Comparison { operands, call, switch: block, equal, differ });
        }
    }
    found
}

/// Whether a call compares its first two arguments: true if it says that they are the same, false if that they are not.
pub(crate) fn compares(models: &Models, call: &CallTarget, value: Option<ModelValue>) -> Option<bool> {
    // What a trait's method means, it means whoever implements it.
    let of_trait = || match &call.callee {
        Callee::Fn { path, .. } => models.function(&path.plain())?.value,
        Callee::Value(_) => None,
    };
    match value.or_else(of_trait)? {
        ModelValue::IsEqual => Some(true),
        ModelValue::IsDifferent => Some(false),
        _ => None,
    }
}

/// Reads that are compared with what is read again, and the reads made together with them.
pub(crate) fn agreements(
    bodies: &Bodies<'_>,
    reads: &[Read],
    comparisons: &[Comparison],
    found: &mut Vec<(usize, Fate)>,
) {
    let above = Dominators::of(bodies.cfg);
    let dominates = |first: usize, then: usize| above.dominates(first, then);
    for comparison in comparisons {
        // Whoever ends the process where they differ did not compare in order to try again.
        let after = forward(bodies.cfg, comparison.differ);
        if after.iter().any(|block| bodies.effects[*block].iter().any(|step| step.action == Action::End)) {
            continue;
        }
        let edges = BTreeSet::from([(comparison.switch, comparison.equal)]);
        for (number, read) in reads.iter().enumerate() {
            let old = flows_to(bodies, [read.result]);
            for (second, again) in reads.iter().enumerate().filter(|(_, again)| again.at != read.at) {
                let in_order = (read.at.0 == again.at.0 && read.at.1 < again.at.1
                    || read.at.0 != again.at.0 && dominates(read.at.0, again.at.0))
                    && dominates(again.at.0, comparison.switch);
                if !in_order || !again.locs.iter().any(|loc| read.locs.contains(loc)) {
                    continue;
                }
                let new = flows_to(bodies, [again.result]);
                // Who compares what is behind a reference looks at it as it does.
                let looks = comparison.call == Some(again.at);
                let apart = |a: &Local, b: &Local| {
                    old.contains(a) && !new.contains(a) && (looks || new.contains(b)) && !old.contains(b)
                };
                let [a, b] = &comparison.operands;
                if !(apart(a, b) || apart(b, a)) {
                    continue;
                }
                let point = Point::Again(again.at);
                if !bodies.is_stale(read, &[point], &edges) {
                    continue;
                }
                agree(found, number, point, comparison, None);
                for (other, mate) in reads.iter().enumerate() {
                    let same = mate.at == again.at || other == number;
                    if !same && together(bodies, mate, read) && bodies.is_stale(mate, &[point], &edges) {
                        agree(found, other, point, comparison, Some(number));
                    }
                }
                // An attempt that fails and does nothing is void, as a compare-exchange's is: whoever cares tries again.
                if !after.iter().any(|block| bodies.is_visible(*block)) {
                    let fate = fate_of(found, second);
                    let given_up = Point::Block(comparison.differ);
                    if !fate.points.contains(&given_up) {
                        fate.points.push(given_up);
                    }
                }
            }
        }
    }
}

fn agree(
    found: &mut Vec<(usize, Fate)>,
    number: usize,
    point: Point,
    comparison: &Comparison,
    leader: Option<usize>,
) {
    let fate = fate_of(found, number);
    if !fate.points.contains(&point) {
        fate.points.push(point);
    }
    fate.agrees = Some(fate.agrees.unwrap_or(false) || leader.is_none());
    fate.leader = leader;
    let edges = (comparison.switch, comparison.equal, comparison.differ);
    if !fate.comparisons.contains(&edges) {
        fate.comparisons.push(edges);
    }
}

/// Whether nobody can come in between two reads: nothing is released, acquired or waited for.
fn together(bodies: &Bodies<'_>, a: &Read, b: &Read) -> bool {
    let follows = |first: &Read, then: &Read| {
        let cut = |block: usize, from: usize, to: usize| {
            bodies.effects[block].iter().any(|step| {
                let apart = matches!(
                    step.action,
                    Action::Release { .. }
                        | Action::Acquire { .. }
                        | Action::Yield { .. }
                        | Action::Source { .. }
                        | Action::Join { .. }
                        | Action::Wait
                );
                apart && (from..to).contains(&step.at)
            })
        };
        if first.at.0 == then.at.0 && first.at.1 <= then.at.1 {
            return !cut(first.at.0, first.at.1, then.at.1);
        }
        if cut(first.at.0, first.at.1, usize::MAX) {
            return false;
        }
        let mut seen = BTreeSet::new();
        let mut work = bodies.cfg.succs[first.at.0].clone();
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            if block == then.at.0 {
                return !cut(block, 0, then.at.1);
            }
            if !cut(block, 0, usize::MAX) {
                work.extend(&bodies.cfg.succs[block]);
            }
        }
        false
    };
    follows(a, b) || follows(b, a)
}
