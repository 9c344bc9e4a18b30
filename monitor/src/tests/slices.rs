//! Tasks that go on side by side are judged as each alone.

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::Arc;

use robust_analyzer::cor::check::{Atom, Checked, Property, Says, Slice};
use robust_analyzer::cor::formula::{Formula, Letter};
use robust_analyzer::cor::monitor::{Monitor, Verdict};
use robust_analyzer::cor::random::Random;
use robust_analyzer::cor::semantics::Lasso;
use robust_analyzer::cor::syntax::{Level, Sort};

use super::{here, watch};
use crate::atoms::Event;
use crate::task::Task;

const TASKS: usize = 5;

/// A task as it should be: what it went through, and what lasts of it.
#[derive(Clone, Default)]
struct Model {
    running: bool,
    ended: bool,
    word: Vec<Letter>,
}

impl Model {
    /// Something that may happen to it now.
    fn next(&self, random: &mut Random) -> Event {
        let any = [Event::Abort, Event::Joined, Event::Detached];
        let own: &[Event] = match (self.ended, self.running) {
            (true, _) => &[],
            (_, true) => &[Event::Suspend, Event::Suspend, Event::Returned, Event::Panicked],
            (_, false) => &[Event::Resume, Event::Resume, Event::Cancelled],
        };
        let at = random.below((any.len() + own.len()) as u64) as usize;
        *own.iter().chain(&any).nth(at).expect("it is one of them")
    }

    fn happens(&mut self, event: Event, atoms: &[&str; 2]) {
        match event {
            Event::Resume => self.running = true,
            Event::Suspend => self.running = false,
            Event::Returned | Event::Panicked | Event::Cancelled => {
                (self.running, self.ended) = (false, true)
            }
            _ => {}
        }
        self.word.push(self.letter(Some(event), atoms));
    }

    fn letter(&self, event: Option<Event>, atoms: &[&str; 2]) -> Letter {
        let holds = |name: &str| match name {
            "running" => self.running,
            "ended" => self.ended,
            "resume" => event == Some(Event::Resume),
            "abort" => event == Some(Event::Abort),
            "panicked" => event == Some(Event::Panicked),
            other => panic!("{other}"),
        };
        Letter::from(holds(atoms[0])) | Letter::from(holds(atoms[1])) << 1
    }
}

fn is_event(name: &str) -> bool {
    !["running", "ended"].contains(&name)
}

/// The property that a formula over two atoms holds of all tasks.
fn property(formula: &Formula, atoms: &[&str; 2]) -> (Checked, Monitor) {
    let events = Letter::from(is_event(atoms[0])) | Letter::from(is_event(atoms[1])) << 1;
    let monitor = Monitor::new(formula, 2, events).expect("a small monitor");
    let atoms = atoms.map(|name| Atom::Known(name.to_owned())).to_vec();
    let slice = Slice { atoms, limits: Vec::new(), monitor: monitor.clone() };
    let says = Says::Each(true, Sort::Task, None, Box::new(slice));
    let property = Property { name: "Random".to_owned(), level: Level::Deny, says };
    (Checked { declared: Vec::new(), properties: vec![property] }, monitor)
}

/// A run of tasks side by side, one property of which is watched.
struct Run {
    models: Vec<Model>,
    /// By task: what lasted after each step of the run, whoever made it.
    lasting: Vec<Vec<Letter>>,
    /// The tasks whose violation was told of.
    told: BTreeSet<usize>,
}

fn run(random: &mut Random, formula: &Formula, atoms: &[&str; 2]) -> (Run, Monitor) {
    let (checked, monitor) = property(formula, atoms);
    let watch = watch(&checked);
    let places: [&'static Location<'static>; TASKS] = [here(), here(), here(), here(), here()];
    let tasks: Vec<Arc<Task>> = places.iter().map(|place| Task::of(watch, place, 0)).collect();
    let mut models = vec![Model::default(); TASKS];
    models.iter_mut().for_each(|model| model.happens(Event::Spawn, atoms));
    let mut lasting: Vec<Vec<Letter>> = models.iter().map(|model| vec![model.letter(None, atoms)]).collect();
    for _ in 0..random.below(30) {
        let at = random.below(TASKS as u64) as usize;
        let event = models[at].next(random);
        models[at].happens(event, atoms);
        tasks[at].happens(event);
        for (model, letters) in models.iter().zip(&mut lasting) {
            letters.push(model.letter(None, atoms));
        }
        let verdict = match monitor.run(&models[at].word) {
            Verdict::True => b'T',
            Verdict::False => b'F',
            Verdict::Open => b'?',
        };
        assert_eq!(tasks[at].verdict(0), verdict, "{formula:?} over {atoms:?}: {:?}", models[at].word);
    }
    drop(tasks);
    let told = (0..TASKS).filter(|at| watch.is_told(0, &places[*at].to_string())).collect();
    (Run { models, lasting, told }, monitor)
}

#[test]
fn verdicts_are_those_of_each_alone() {
    let mut random = Random(2022);
    let mut violated = 0;
    for _ in 0..1000 {
        let formula = random.formula(4);
        let names = ["running", "ended", "resume", "abort", "panicked"];
        let atoms = [(); 2].map(|()| names[random.below(5) as usize]);
        let (run, monitor) = run(&mut random, &formula, &atoms);
        let fails = |at: &usize| {
            let word = &run.models[*at].word;
            (1..=word.len()).any(|end| monitor.run(&word[..end]) == Verdict::False) || !monitor.close(word)
        };
        let wrong: BTreeSet<usize> = (0..TASKS).filter(fails).collect();
        violated += wrong.len();
        assert_eq!(run.told, wrong, "{formula:?} over {atoms:?}");
    }
    assert!(violated > 500, "{violated}");
}

fn counts_steps(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::Atom(_) => false,
        Formula::Next(_) | Formula::Yesterday(_) => true,
        Formula::Not(a) => counts_steps(a),
        Formula::And(a, b) | Formula::Until(a, b) | Formula::Since(a, b) => {
            counts_steps(a) || counts_steps(b)
        }
    }
}

/// Without `X` and `Y`, what is said of what lasts is the same along the steps of all tasks as along those of one: a quantifier is the
/// conjunction of its instances on the whole run.
#[test]
fn quantifiers_are_conjunctions_on_the_run() {
    let mut random = Random(2023);
    let (mut count, mut violated) = (0, 0);
    while count < 1000 {
        let formula = random.formula(4);
        if counts_steps(&formula) {
            continue;
        }
        count += 1;
        let (run, _) = run(&mut random, &formula, &["running", "ended"]);
        let fails = |at: &usize| {
            let stem = run.lasting[*at].clone();
            let cycle = stem.last().copied().into_iter().collect();
            !Lasso { stem, cycle }.satisfies(&formula)
        };
        let wrong: BTreeSet<usize> = (0..TASKS).filter(fails).collect();
        violated += wrong.len();
        assert_eq!(run.told, wrong, "{formula:?}");
    }
    assert!(violated > 500, "{violated}");
}
