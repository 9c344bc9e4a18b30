//! What runs the instrumented tasks: one event (`detStr`), or events in any order (`robSeq`).

use super::build::*;
use super::instrument::{Goal, Instrument};
use super::{Mutation, Precision, Translated};
use crate::ir::*;
use crate::reach::Relevant;

/// The state in which an event's determinism is asked (definition 3 of the paper quantifies over all that can be reached).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    /// These variables have any values. What holds then holds in every state that events can leave which change no others.
    Arbitrary(&'a [VarId]),
    /// So many event instances ran before, one after the other, each to its end.
    After(u32),
}

/// The instrumented event (section 4), started where `start` says. An event that happens alone is given its guard.
///
/// # Panics
/// When the program is not valid.
pub fn detstr(
    program: &Program,
    event: ProcId,
    start: Start,
    precision: Precision,
    mutation: Mutation,
) -> Translated {
    let start = match start {
        Start::After(_) if mutation == Mutation::Before => Start::After(0),
        start => start,
    };
    let mut code = instrument(program, Goal::Determinism, precision, mutation);
    let mut body = match (program.proc(event).kind, start) {
        (ProcKind::Event { alone: true, guard, .. }, _) => {
            guard.map(|g| set(g, constant(true))).into_iter().collect()
        }
        (_, Start::Arbitrary(changed)) => changed.iter().map(|&x| stmt(StmtKind::Write(x))).collect(),
        (_, Start::After(0)) => Vec::new(),
        (_, Start::After(instances)) => before(&mut code, program, event, instances),
    };
    body.extend(run(&code, event));
    body.push(set(code.names.error, var(code.names.flags.root)));
    let entry = code.add_proc("run", ProcKind::Proc, 0, vec!["event".into()], body);
    translated(code, entry)
}

/// Runs that many event instances, each with all its tasks to the end.
fn before(code: &mut Instrument, program: &Program, event: ProcId, instances: u32) -> Block {
    let preparing = code.names.preparing;
    let (any_event, _) = one_of(code, program, Some(event));
    let mut body = vec![set(preparing, constant(true))];
    // Written out: a loop here would be the one whose rounds are looked at one by one.
    (0..instances).for_each(|_| body.extend(any_event.iter().cloned()));
    body.push(set(preparing, constant(false)));
    body
}

/// Runs an instance of one of the events that happen beside others, and the flags that tell which of those ran that happen once.
/// `but` comes later: it does not run now if it happens only once.
fn one_of(code: &mut Instrument, program: &Program, but: Option<ProcId>) -> (Block, Vec<VarId>) {
    let (mut choice, mut flags) = (None, Vec::new());
    let ids: Vec<_> = program.events().collect();
    for event in ids.into_iter().rev() {
        let ProcKind::Event { once, alone, .. } = program.proc(event).kind else { continue };
        if alone || (once && but == Some(event)) {
            continue;
        }
        let mut run = run(code, event);
        if once {
            let ran = code.names.flag(&format!("{}_ran", program.proc(event).name));
            flags.push(ran);
            run.splice(0..0, [assume(not(var(ran))), set(ran, constant(true))]);
        }
        choice = Some(match choice {
            None => run,
            Some(others) => vec![either(run, others)],
        });
    }
    (choice.unwrap_or_else(|| vec![assume(constant(false))]), flags)
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
    let (choice, ran) = one_of(&mut code, program, None);
    between.restrictions.extend(ran);
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
fn run(code: &Instrument, event: ProcId) -> Block {
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
