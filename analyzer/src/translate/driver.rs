//! What runs the instrumented tasks: one event (`detStr`), or events in any order (`robSeq`).

use super::build::*;
use super::instrument::{Goal, Instrument};
use super::{Mutation, Precision, Translated};
use crate::ir::*;
use crate::reach::Relevant;

/// The instrumented event (section 4), started with its guard true, and alone.
///
/// # Panics
/// When the program is not valid.
pub fn detstr(program: &Program, event: ProcId, precision: Precision, mutation: Mutation) -> Translated {
    let guard = match program.proc(event).kind {
        ProcKind::Event { guard, .. } => guard,
        _ => None,
    };
    let mut code = instrument(program, Goal::Determinism, precision, mutation);
    let mut body: Block = guard.map(|g| set(g, constant(true))).into_iter().collect();
    body.extend(start(&code, event));
    body.push(set(code.names.error, var(code.names.flags.root)));
    let entry = code.add_proc("run", ProcKind::Proc, 0, vec!["event".into()], body);
    translated(code, entry)
}

/// The instrumented event set with the loop that starts up to `events` instances (section 6).
///
/// # Panics
/// When the program is not valid.
pub fn robstr(program: &Program, events: u32, precision: Precision, mutation: Mutation) -> Translated {
    let mut code = instrument(program, Goal::Serializability, precision, mutation);
    let delayed_ran = code.names.flag("delayed_ran");
    let flags = code.names.flags;
    let mut between = code.names.between(program.vars.len());
    between.values.push(delayed_ran);
    let mut choice = Vec::new();
    let ids: Vec<_> = program.events().collect();
    for event in ids.into_iter().rev() {
        let mut run = start(&code, event);
        if let ProcKind::Event { once: true, .. } = program.proc(event).kind {
            let ran = code.names.flag(&format!("{}_ran", program.proc(event).name));
            between.restrictions.push(ran);
            run.splice(0..0, [assume(not(var(ran))), set(ran, constant(true))]);
        }
        choice = match choice.is_empty() {
            true => run,
            false => vec![either(run, choice)],
        };
    }
    let mut round = vec![
        set(flags.delayed, constant(false)),
        set(flags.taking_part, constant(false)),
        set(flags.entered, constant(false)),
        set(flags.temp_exit, number(0)),
        stmt(StmtKind::If(
            var(delayed_ran),
            vec![set(flags.taking_part, Expr::Any)],
            vec![set(flags.delayed, Expr::Any)],
        )),
    ];
    round.extend(choice);
    round.push(when(
        var(flags.delayed),
        vec![
            assume(not(equal(var(flags.pivot), number(0)))),
            assume(not(equal(var(flags.exit), number(0)))),
            set(delayed_ran, constant(true)),
        ],
    ));
    let mut part_over = vec![
        assume(var(flags.entered)),
        assume(not(equal(var(flags.temp_exit), number(0)))),
        set(flags.exit, var(flags.temp_exit)),
    ];
    let accesses = &code.names.accesses;
    let closes = any_of(accesses.list.iter().enumerate().flat_map(|(i, a)| {
        let pairs = accesses.conflicting(*a).map(move |c| (i, c));
        pairs.map(|(i, c)| and(equal(var(flags.exit), number(i + 1)), equal(var(flags.pivot), number(c + 1))))
    }));
    part_over.extend(closes.map(|closes| when(closes, vec![set(code.names.error, constant(true))])));
    round.push(when(var(flags.taking_part), part_over));
    let body = vec![stmt(StmtKind::Loop(events, vec![either(round, vec![])]))];
    let entry = code.add_proc("run", ProcKind::Proc, 0, vec!["event".into()], body);
    Translated { between, ..translated(code, entry) }
}

fn instrument(program: &Program, goal: Goal, precision: Precision, mutation: Mutation) -> Instrument {
    let flat = flatten(program);
    let types = validate(&flat).expect("only valid programs are translated");
    Instrument::new(flat, types, goal, precision, mutation)
}

/// Runs an event to its end, with everything it starts. Local 0 of the driver is for its handle.
fn start(code: &Instrument, event: ProcId) -> Block {
    let handle = LocalId(0);
    let args = code.no_inheritance();
    vec![stmt(StmtKind::Async { task: event, args, handle: Some(handle) }), stmt(StmtKind::Join(handle))]
}

fn translated(code: Instrument, entry: ProcId) -> Translated {
    let returned = code.returned();
    let names = code.names;
    Translated {
        returned,
        between: Relevant::default(),
        program: names.program,
        entry,
        error: names.error,
        flags: names.flags,
        accesses: names.accesses,
    }
}
