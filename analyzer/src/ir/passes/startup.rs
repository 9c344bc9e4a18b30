//! What is done before everything else leaves values behind: they are what the program starts with.

use std::collections::HashSet;

use crate::ir::{Domain, ProcId, ProcKind, Program, Value, Var};
use crate::limits::Deadline;
use crate::semantics::{Machine, State};

/// More states than this are not followed.
const STATES: usize = 20_000;
/// One of them may take this part of the time that is left.
const SHARE: f64 = 0.2;

/// An event that is done before everything else.
pub(crate) struct Setup {
    pub event: ProcId,
    /// Whether it stays an event.
    pub stays: bool,
    /// Whether it is known what it does.
    pub known: bool,
}

/// Runs the events `setup` one after the other and takes them out of the program, unless they stay events. A truth value
/// that is not known then is open; any other variable whose value is not known is not followed: whoever reads it gets any value.
pub(crate) fn settle(program: &mut Program, setup: &[Setup], deadline: Deadline) {
    for &Setup { event, stays, known } in setup {
        let values = if known { values_after(program, event, deadline.part(SHARE)) } else { None };
        let followed = |var: &Var| var.domain.is_some() && !var.open;
        for (x, var) in program.vars.iter_mut().enumerate().filter(|(_, var)| followed(var)) {
            match values.as_ref().map(|values| &values[x][..]) {
                Some([value]) => var.init = *value,
                // The setup never ends: nothing is known to come after it.
                Some([]) => {}
                _ if var.domain.is_some_and(Domain::may_be_open) => var.open = true,
                _ => (var.domain, var.init) = (None, Value::Bool(false)),
            }
        }
        if !stays {
            let proc = &mut program.procs[event.index()];
            proc.kind = ProcKind::Proc;
            proc.body.clear();
        }
    }
}

/// For each variable the values that it can have once the event, alone, is done with; `None` when that is too much to find out.
fn values_after(program: &Program, event: ProcId, deadline: Deadline) -> Option<Vec<Vec<Value>>> {
    // What is open before stays so, whatever the setup does to it.
    let mut program = program.clone();
    for var in program.vars.iter_mut().filter(|var| var.open) {
        (var.domain, var.open) = (None, false);
    }
    let machine = Machine::new(&program).ok().filter(|machine| !machine.is_sampled())?;
    let machine = machine.until(deadline.instant());
    let mut state = machine.initial();
    machine.post_event(&mut state, event);
    let mut seen: HashSet<State> = HashSet::from([state.clone()]);
    let mut open = vec![state];
    let mut values = vec![Vec::new(); program.vars.len()];
    while let Some(state) = open.pop() {
        if state.is_void() {
            continue;
        }
        let steps = machine.steps(&state);
        if steps.is_empty() {
            for (x, values) in values.iter_mut().enumerate() {
                let value = machine.value(&state, x);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        for step in steps {
            if seen.len() == STATES || machine.is_late() {
                return None;
            }
            if seen.insert(step.state.clone()) {
                open.push(step.state);
            }
        }
    }
    // Tasks stand still once it is late.
    (!machine.is_late()).then_some(values)
}
