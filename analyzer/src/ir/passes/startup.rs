//! What is done before everything else leaves values behind: they are what the program starts with.

use std::collections::{BTreeSet, HashSet};

use crate::ir::{ProcId, ProcKind, Program, Value};
use crate::semantics::{Machine, State};

/// More states than this are not followed.
const STATES: usize = 20_000;

/// Runs the events `setup` one after the other and takes them out of the program, unless they stay events. Gives the names
/// of the variables whose values are not known then; they keep their first ones.
pub(crate) fn settle(program: &mut Program, setup: &[(ProcId, bool)]) -> Vec<String> {
    let mut unknown = BTreeSet::new();
    for &(event, stays) in setup {
        match values_after(program, event) {
            Some(values) => {
                for (x, values) in values.into_iter().enumerate() {
                    match values[..] {
                        [value] => program.vars[x].init = value,
                        _ => {
                            unknown.insert(program.vars[x].name.clone());
                        }
                    }
                }
            }
            None => {
                unknown.extend(program.vars.iter().filter(|x| x.domain.is_some()).map(|x| x.name.clone()))
            }
        }
        if !stays {
            let proc = &mut program.procs[event.index()];
            proc.kind = ProcKind::Proc;
            proc.body.clear();
        }
    }
    unknown.into_iter().collect()
}

/// For each variable the values that it can have once the event, alone, is done with.
fn values_after(program: &Program, event: ProcId) -> Option<Vec<Vec<Value>>> {
    let machine = Machine::new(program).ok().filter(|machine| !machine.is_sampled())?;
    let mut state = machine.initial();
    machine.post_event(&mut state, event);
    let mut seen: HashSet<State> = HashSet::from([state.clone()]);
    let mut open = vec![state];
    let mut values = vec![Vec::new(); program.vars.len()];
    while let Some(state) = open.pop() {
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
            if seen.len() == STATES {
                return None;
            }
            if seen.insert(step.state.clone()) {
                open.push(step.state);
            }
        }
    }
    Some(values)
}
