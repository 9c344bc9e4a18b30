//! After any edits, a database that lived through them says the same as a check from scratch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use robust_analyzer::check::{self, Options, Outcome};
use robust_analyzer::db::{self, Database, Input, Memory, Source};
use robust_analyzer::ir::{Program, text};
use robust_analyzer::limits::Deadline;
use robust_analyzer::plan::Plan;
use robust_analyzer::question::Answered;
use salsa::Setter;

/// What an event may do with its variable `x` and lock `l`.
const BODIES: [&str; 6] = [
    "read x; write x;",
    "acquire l; read x; write x; release l;",
    "acquire l; read x; release l; acquire l; write x; release l;",
    "async[any] t(); read x;",
    "update x by add;",
    "acquire shared l; read x; release l; read x;",
];

/// An event: its body, the variable it uses, and whether it happens once.
#[derive(Clone, Debug)]
struct Event {
    body: usize,
    var: usize,
    once: bool,
}

/// A change to a program.
#[derive(Clone, Debug)]
enum Edit {
    Change(usize, Event),
    Insert(usize, Event),
    Remove(usize),
    Comment,
}

fn event() -> impl Strategy<Value = Event> {
    (0..BODIES.len(), 0..3usize, any::<bool>()).prop_map(|(body, var, once)| Event { body, var, once })
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => (any::<usize>(), event()).prop_map(|(at, event)| Edit::Change(at, event)),
        2 => (any::<usize>(), event()).prop_map(|(at, event)| Edit::Insert(at, event)),
        2 => any::<usize>().prop_map(Edit::Remove),
        1 => Just(Edit::Comment),
    ]
}

/// A program under edit. Events keep their names, as functions do.
#[derive(Default)]
struct Draft {
    events: Vec<(usize, Event)>,
    named: usize,
    comments: usize,
}

impl Draft {
    fn apply(&mut self, edit: Edit) {
        let len = self.events.len();
        match edit {
            Edit::Change(at, event) if len > 0 => self.events[at % len].1 = event,
            Edit::Change(_, event) | Edit::Insert(_, event) if len == 0 => self.insert(0, event),
            Edit::Change(..) => {}
            Edit::Insert(at, event) => self.insert(at % (len + 1), event),
            Edit::Remove(at) if len > 0 => drop(self.events.remove(at % len)),
            Edit::Remove(_) => {}
            Edit::Comment => self.comments += 1,
        }
    }

    fn insert(&mut self, at: usize, event: Event) {
        self.events.insert(at, (self.named, event));
        self.named += 1;
    }

    fn program(&self) -> Program {
        let mut source = "// a line\n".repeat(self.comments);
        source += "lock l0; lock l1; lock l2; var x0; var x1; var x2;\n";
        source += "task t0() on any { write x0; }\ntask t1() on any { write x1; }\ntask t2() on any { write x2; }\n";
        for (name, Event { body, var, once }) in &self.events {
            let once = if *once { "once " } else { "" };
            let body = BODIES[*body];
            let body = body.replace(" x", &format!(" x{var}")).replace(" l;", &format!(" l{var};"));
            let body = body.replace(" t()", &format!(" t{var}()"));
            source += &format!("event {once}e{name} on any {{ {body} }}\n");
        }
        text::parse(&source, "draft.rob").unwrap_or_else(|error| panic!("{error}\n{source}"))
    }
}

#[derive(Default)]
struct Notes(Mutex<HashMap<String, Answered>>);

impl Memory for Notes {
    fn recall(&self, key: &str) -> Option<Answered> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn keep(&self, key: &str, answered: &Answered) {
        let before = self.0.lock().unwrap().insert(key.into(), answered.clone());
        assert!(before.is_none_or(|before| before == *answered), "two answers to one question");
    }
}

fn outcome(db: &Database, input: Input) -> Outcome {
    db::outcomes(db, &[input], 1).remove(0)
}

fn timeless(mut outcome: Outcome) -> Outcome {
    outcome.statistics.forget_times();
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_lives_through_edits_is_what_starts_from_scratch(
        edits in prop::collection::vec(prop::collection::vec(edit(), 1..4), 2..7),
    ) {
        let options = Options { events: 2, jobs: 1, ..Options::default() };
        let mut draft = Draft::default();
        let source = |draft: &Draft| Source::Program(Arc::new(draft.program()));
        let notes = Arc::new(Notes::default());
        let mut living = Database::default();
        let input = Input::new(&living, source(&draft), options.clone());
        for round in edits {
            round.into_iter().for_each(|edit| draft.apply(edit));
            let scratch = timeless(check::check(&draft.program(), &options));
            input.set_source(&mut living).to(source(&draft));
            prop_assert_eq!(&timeless(outcome(&living, input)), &scratch);
            // A new process that only has the notes of earlier ones.
            let next = Database::with_memory(notes.clone());
            let again = Input::new(&next, source(&draft), options.clone());
            prop_assert_eq!(&timeless(outcome(&next, again)), &scratch);
        }
    }

    #[test]
    fn parts_make_up_the_whole(edits in prop::collection::vec(edit(), 3..12), of in 1..5u32) {
        let mut draft = Draft::default();
        edits.into_iter().for_each(|edit| draft.apply(edit));
        let options = Options { events: 2, jobs: 1, ..Options::default() };
        let program = draft.program();
        let whole = Plan::new(&program, &options, Deadline::never());
        let keys = |plan: &Plan| {
            let asked = plan.questions(Deadline::never());
            asked.filter_map(|asked| Some(plan.cut(&asked.question)?.0.key())).collect::<Vec<_>>()
        };
        let mut parts: Vec<String> = (1..=of)
            .flat_map(|index| {
                let part = Some(check::Part { index, of });
                keys(&Plan::new(&program, &Options { part, ..options.clone() }, Deadline::never()))
            })
            .collect();
        let mut all = keys(&whole);
        parts.sort();
        all.sort();
        prop_assert_eq!(parts, all);
    }
}
