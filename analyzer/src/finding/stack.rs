//! How a task came to a step: the calls on the way.

use std::collections::{BTreeSet, HashMap};

use super::{Finding, Frame, Role, Step};
use crate::ir::*;

/// Calls on a way that are followed.
const DEEPEST: usize = 64;

/// Who calls whom, in a program.
pub(super) struct Calls {
    /// By statement: the procedure that it is in.
    home: HashMap<Label, ProcId>,
    /// By procedure: from where it is called.
    callers: HashMap<ProcId, BTreeSet<(ProcId, Option<PlaceId>)>>,
}

impl Calls {
    pub fn of(program: &Program) -> Calls {
        let mut calls = Calls { home: HashMap::new(), callers: HashMap::new() };
        for (index, proc) in program.procs.iter().enumerate() {
            let caller = ProcId(index as u32);
            for statement in proc.statements() {
                calls.home.insert(statement.label, caller);
                if let StmtKind::Call { proc, .. } = &statement.kind {
                    calls.callers.entry(*proc).or_default().insert((caller, statement.place));
                }
            }
        }
        calls
    }

    /// The calls that lead from a task's procedure to a statement, the innermost first, as far as there is only one way.
    pub fn way(&self, task: ProcId, label: Label, place: Option<PlaceId>) -> Vec<(ProcId, Option<PlaceId>)> {
        let Some(&home) = self.home.get(&label) else { return Vec::new() };
        let (mut way, mut at) = (vec![(home, place)], home);
        while at != task && way.len() < DEEPEST {
            let callers = self.callers.get(&at).into_iter().flatten();
            let mut callers = callers.filter(|(caller, _)| *caller == task || self.leads_to(task, *caller));
            let (Some(&(caller, call)), None) = (callers.next(), callers.next()) else { break };
            way.push((caller, call));
            at = caller;
        }
        way
    }

    /// Whether calls lead from one procedure to another.
    fn leads_to(&self, from: ProcId, to: ProcId) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([to]), vec![to]);
        while let Some(proc) = open.pop() {
            if proc == from {
                return true;
            }
            let callers = self.callers.get(&proc).into_iter().flatten();
            open.extend(callers.map(|(caller, _)| *caller).filter(|caller| seen.insert(*caller)));
        }
        false
    }
}

/// What the source says of places.
pub trait SourceText {
    /// The innermost function that a place is in, by its name and its type's: `Db::get`.
    fn function_at(&self, place: &SourcePlace) -> Option<String>;
    /// Whether a place is a trait's name in a `#[derive(..)]`: what the compiler says of functions that the derive made.
    fn is_derived(&self, place: &SourcePlace) -> bool;
}

impl Finding {
    /// Corrects ways by what is in the source: code that a derive made is where it is called, and code of one function that was put
    /// into another's is in the function where it stands.
    pub fn settle_stacks(&mut self, source: &impl SourceText) {
        self.steps.iter_mut().filter(|step| step.role != Role::Step).for_each(|step| settle(step, source));
    }
}

fn settle(step: &mut Step, source: &impl SourceText) {
    if let [made, caller, ..] = &step.stack[..]
        && made.declared.as_ref().is_some_and(|declared| source.is_derived(declared))
        && caller.is_in_its_function()
    {
        step.place.clone_from(&caller.place);
        step.stack.remove(0);
    }
    for frame in std::mem::take(&mut step.stack) {
        if frame.place.is_none() || frame.is_in_its_function() {
            step.stack.push(frame);
            continue;
        }
        let Some(function) = frame.place.as_ref().and_then(|place| source.function_at(place)) else { return };
        if own_name(&function) == own_name(&frame.function) {
            step.stack.push(frame);
            continue;
        }
        step.stack.push(Frame { function, declared: None, place: frame.place });
        step.stack.push(Frame { place: None, ..frame });
    }
}

/// A function's name without that of its type or module, and without what tells its closures and its uses apart.
fn own_name(function: &str) -> &str {
    let function = function.split("::{closure#").next().unwrap_or(function);
    let name = function.rsplit("::").next().unwrap_or(function);
    name.split('#').next().unwrap_or(name)
}

impl Frame {
    fn is_in_its_function(&self) -> bool {
        let (Some(place), Some(declared)) = (&self.place, &self.declared) else { return false };
        let begins = (declared.line, declared.column) <= (place.line, place.column);
        let ends = (place.end_line, place.end_column) <= (declared.end_line, declared.end_column);
        place.file == declared.file && begins && ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::StepKind;

    fn place(line: u32, column: u32, end_line: u32, end_column: u32) -> Option<SourcePlace> {
        Some(SourcePlace { file: "a.rs".into(), line, column, end_line, end_column })
    }

    fn frame(function: &str, declared: Option<SourcePlace>, place: Option<SourcePlace>) -> Frame {
        Frame { function: function.into(), declared, place }
    }

    fn step(stack: Vec<Frame>) -> Step {
        let place = stack[0].place.clone();
        let (subject, text) = ("x".to_owned(), "reads `x`".to_owned());
        let (kind, role) = (StepKind::Read, Role::Pivot);
        Step { lane: 0, kind, subject, text, place, role, conflicts_with: Vec::new(), stack }
    }

    /// Derives stand in column 10, and a function `inner` from line 11 to 14.
    struct Text;

    impl SourceText for Text {
        fn function_at(&self, place: &SourcePlace) -> Option<String> {
            (11..=14).contains(&place.line).then(|| "S::inner".to_owned())
        }

        fn is_derived(&self, place: &SourcePlace) -> bool {
            place.column == 10
        }
    }

    #[test]
    fn what_a_derive_made_is_where_it_is_called() {
        let made = frame("S::clone", place(1, 10, 1, 15), place(3, 5, 3, 20));
        let caller = frame("show", place(7, 1, 9, 2), place(8, 9, 8, 22));
        let mut step = step(vec![made, caller]);
        settle(&mut step, &Text);
        assert_eq!((step.place, step.stack.len()), (place(8, 9, 8, 22), 1));
    }

    #[test]
    fn code_is_in_the_function_where_it_stands() {
        let get = frame("get", place(1, 1, 3, 2), place(2, 5, 2, 9));
        let put_together = frame("main", place(20, 1, 29, 2), place(12, 5, 12, 9));
        let mut step = step(vec![get.clone(), put_together]);
        settle(&mut step, &Text);
        let inner = Frame { function: "S::inner".into(), declared: None, place: place(12, 5, 12, 9) };
        let main = frame("main", place(20, 1, 29, 2), None);
        assert_eq!((&step.place, &step.stack[..]), (&get.place, &[get.clone(), inner, main][..]));
    }

    #[test]
    fn a_body_that_a_macro_made_is_its_functions() {
        let made = frame("S::inner::{closure#0}", place(10, 1, 10, 9), place(12, 5, 12, 9));
        let mut step = step(vec![made.clone()]);
        settle(&mut step, &Text);
        assert_eq!(step.stack, [made]);
    }

    #[test]
    fn a_way_ends_where_the_source_says_nothing() {
        let unknown = frame("f", place(30, 1, 30, 9), place(40, 5, 40, 9));
        let mut step = step(vec![unknown]);
        settle(&mut step, &Text);
        assert!(step.stack.is_empty());
    }

    #[test]
    fn ways_are_known_where_there_is_one() {
        let text = "var x; proc get() { read x; } proc one() { call get(); } proc two() { call get(); } \
                    event a on any { call one(); } event b on any { call one(); call two(); }";
        let program = crate::ir::text::parse(text, "test").unwrap();
        let calls = Calls::of(&program);
        let read = program.statements().into_iter().find(|s| matches!(s.kind, StmtKind::Read(_))).unwrap();
        let names = |event: &str| -> Vec<String> {
            let event = program.events().find(|&e| program.proc(e).name == event).unwrap();
            let way = calls.way(event, read.label, read.place);
            way.iter().map(|(proc, _)| program.proc(*proc).name.clone()).collect()
        };
        assert_eq!(names("a"), ["get", "one", "a"]);
        assert_eq!(names("b"), ["get"], "two ways");
    }
}
