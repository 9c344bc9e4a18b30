//! Excluding what was seen from further answers of the solver.

use std::collections::{BTreeSet, HashMap};
use std::mem::Discriminant;

use crate::ir::{Label, PlaceId, Program, StmtKind, VarId};
use crate::reach::circuit::Values;
use crate::reach::{Lit, Logged, Run, Session};
use crate::translate::{GENERATED, Translated};

/// Excludes every run in which the same statements do the same things. For runs that do not replay.
pub fn exclude_run(run: &Run, values: &Values, session: &mut Session) {
    let visible = run.log.iter().filter(|log| log.frame.is_some());
    let differs: Vec<Lit> =
        visible.map(|log| if values.get(log.guard) { !log.guard } else { log.guard }).collect();
    session.require(&run.circuit, &differs);
}

/// Which statements count as one when a violation is excluded.
pub struct Alike {
    first: HashMap<Label, Label>,
}

impl Alike {
    /// Each is apart.
    pub fn none() -> Self {
        Alike { first: HashMap::new() }
    }

    /// One place in the source may be several statements, one for each of the objects that it may be about: those that do the same are
    /// one.
    pub fn in_source(program: &Program) -> Self {
        let mut known: HashMap<(PlaceId, Discriminant<StmtKind>), Label> = HashMap::new();
        let placed = program.statements().into_iter().filter_map(|stmt| Some((stmt, stmt.place?)));
        let first = placed.map(|(stmt, place)| {
            let key = (place, std::mem::discriminant(&stmt.kind));
            (stmt.label, *known.entry(key).or_insert(stmt.label))
        });
        Alike { first: first.collect() }
    }

    fn of(&self, label: Label) -> Label {
        self.first.get(&label).copied().unwrap_or(label)
    }
}

/// Excludes every violation with the same pivot, and the same root or exit of the delayed event.
pub fn exclude_violation(
    run: &mut Run,
    translated: &Translated,
    (values, alike): (&Values, &Alike),
    session: &mut Session,
) {
    let flags = translated.flags;
    exclude_parts(run, &[flags.root, flags.exit, flags.pivot], (values, alike), session);
}

/// Excludes every violation with the same pivot, and the same exits of the delayed event and the others.
pub fn exclude_cycle(
    run: &mut Run,
    translated: &Translated,
    (values, alike): (&Values, &Alike),
    session: &mut Session,
) {
    exclude_parts(run, &cycle(translated), (values, alike), session);
}

/// As [`exclude_cycle`], unless one of these statements happens that does not happen here.
pub fn exclude_cycle_without(
    (run, translated): (&mut Run, &Translated),
    statements: &BTreeSet<Label>,
    values: &Values,
    session: &mut Session,
) {
    let mut differs = differing(run, &cycle(translated), (values, &Alike::none()));
    let missing = run.log.iter().filter(|log| log.frame.is_some() && statements.contains(&log.label));
    differs.extend(missing.map(|log| log.guard).filter(|guard| !values.get(*guard)));
    session.require(&run.circuit, &differs);
}

/// As [`exclude_cycle`], where a variable is set at the same places, to the same values, and has the same first one. What is set to an integer has
/// to be the same in all runs.
pub fn exclude_history(
    (run, translated): (&mut Run, &Translated),
    var: VarId,
    values: &Values,
    session: &mut Session,
) {
    let mut differs = differing(run, &cycle(translated), (values, &Alike::none()));
    let other = |is: Lit| if values.get(is) { !is } else { is };
    for log in &run.log {
        match log.what {
            Logged::Set(x, value) if x == var => {
                differs.push(other(log.guard));
                differs.extend(value.filter(|_| values.get(log.guard)).map(other));
            }
            Logged::SetNumber(x, _) if x == var => differs.push(other(log.guard)),
            _ => {}
        }
    }
    differs.extend(run.first_bits(var).into_iter().map(other));
    session.require(&run.circuit, &differs);
}

/// The flags that say who takes part in a cycle.
fn cycle(translated: &Translated) -> [VarId; 3] {
    let flags = translated.flags;
    [flags.exit, flags.temp_exit, flags.pivot]
}

/// Excludes every run in which these flags are set by the same statements.
fn exclude_parts(run: &mut Run, parts: &[VarId], (values, alike): (&Values, &Alike), session: &mut Session) {
    let differs = differing(run, parts, (values, alike));
    session.require(&run.circuit, &differs);
}

/// What is so in a run where these flags are set by other statements: one of these.
pub(super) fn differing(run: &mut Run, parts: &[VarId], (values, alike): (&Values, &Alike)) -> Vec<Lit> {
    let is_part = |what: Logged| match what {
        Logged::Set(x, _) | Logged::SetNumber(x, _) => parts.iter().position(|&p| p == x),
        _ => None,
    };
    // Each assignment of a part with the statement it is about: the last one of the same task before it.
    let mut about = Vec::new();
    let mut last: Vec<Label> = vec![GENERATED; run.frames.len()];
    for log in &run.log {
        let Some(frame) = log.frame else { continue };
        match (is_part(log.what), log.label) {
            (Some(part), GENERATED) => about.push((part, alike.of(last[frame]), log.guard)),
            (Some(part), label) => about.push((part, alike.of(label), log.guard)),
            (None, GENERATED) => {}
            (None, label) => last[frame] = label,
        }
    }
    let mut played: Vec<(usize, Label)> = about
        .iter()
        .filter(|(_, _, guard)| values.get(*guard))
        .map(|(part, label, _)| (*part, *label))
        .collect();
    played.sort_unstable();
    played.dedup();
    let mut differs = Vec::new();
    for role in played {
        let mut somewhere = Lit::FALSE;
        for (_, _, guard) in about.iter().filter(|(part, label, _)| (*part, *label) == role) {
            somewhere = run.circuit.or(somewhere, *guard);
        }
        differs.push(!somewhere);
    }
    differs
}
