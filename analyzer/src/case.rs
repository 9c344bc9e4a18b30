//! A question cut loose from its program: the procedures, variables and locks it is about and nothing else, renumbered in
//! the order in which they occur.
//!
//! **Invariant.** The answer is a function of the case and of the time that is allowed. What it was cut from can change in
//! any way that leaves the case alone, names and places in the source included, and the answer stays. So answers are kept
//! under [`Case::key`], and questions that differ in names and places alone are one: see [`Origin`].

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::check::Options;
use crate::feeders::{Before, Feeders};
use crate::finding::Finding;
use crate::ir::*;
use crate::question::Question;
use crate::semantics::Machine;

/// A question and all that its answer depends on. Two are equal when their keys are.
#[derive(Clone, Serialize)]
pub struct Case {
    /// What is asked, in terms of `program`.
    pub question: Question,
    /// For determinism: the variables that have any value when the event begins, see [`crate::feeders`]; the other events of
    /// `program` are those that can have changed them.
    pub changed: Vec<VarId>,
    /// For determinism: how many such events there are that the program leaves out.
    pub left_out: usize,
    /// What it is asked about. Its places and names only stand in for places and names: see [`Origin`].
    pub program: Program,
    /// By variable, whether it is a flag in the whole program: see [`crate::finding::flags`].
    pub flags: Vec<Option<bool>>,
    /// Greatest number of event instances in a run.
    pub events: u32,
    /// Greatest number of rounds of a loop.
    pub unroll: u32,
    /// Greatest number of violations that are looked for.
    pub findings: usize,
    /// Memory in megabytes.
    pub memory: u32,
    #[serde(skip)]
    digest: [u8; 32],
}

/// The places and names that those of a case stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    places: Vec<SourcePlace>,
    /// What stands in for a name, and the name.
    names: Vec<(String, String)>,
}

/// What an event does, apart from names and places: see [`Case::form`].
pub type Form = [u8; 32];

impl Case {
    /// Cuts a question loose. `flags` is what [`crate::finding::flags`] says of the machine's program.
    pub fn cut(
        question: &Question,
        machine: &Machine,
        flags: &[Option<bool>],
        feeders: &Feeders,
        options: &Options,
    ) -> (Case, Origin) {
        let mut cut = Cut::new(&machine.program);
        let mut before = Before::default();
        let question = match question {
            Question::Determinism(event) => {
                before = feeders.before(*event);
                let of = cut.proc(*event);
                before.events = cut.procs(&before.events);
                Question::Determinism(of)
            }
            Question::Serializability(events) => Question::Serializability(cut.procs(events)),
            Question::Pair(events, enabling) => Question::Pair(cut.procs(events), cut.procs(enabling)),
        };
        cut.follow();
        let changed = before.changed.iter().map(|&x| cut.var(x)).collect();
        let mut case = Case {
            question,
            changed,
            left_out: before.left_out,
            flags: cut.vars.iter().map(|var| flags.get(var.index()).copied().flatten()).collect(),
            program: cut.to,
            events: options.events,
            unroll: options.unroll,
            findings: options.findings,
            memory: options.memory,
            digest: [0; 32],
        };
        case.digest = digest(&case);
        let places = cut.places.into_iter().filter_map(|place| machine.program.places.get(place.index()));
        (case, Origin { places: places.cloned().collect(), names: cut.names })
    }

    /// What an event does, to which variables, locks and executors of the program. Events of one form can take each other's part in
    /// every run: they differ in names, places and labels, and in which of several equal procedures they call.
    pub fn form(event: ProcId, program: &Program) -> Form {
        let mut cut = Cut::new(program);
        cut.shared = true;
        cut.proc(event);
        cut.follow();
        digest(&cut.to.procs)
    }

    /// The name for the case as bytes: see [`Case::key`].
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// A name for the case: different for different cases, the same in every run.
    pub fn key(&self) -> String {
        self.digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// In which of `of` parts of all cases it is, counted from 1.
    pub fn part(&self, of: u32) -> u32 {
        part_of(&self.digest, of)
    }
}

/// In which of `of` parts something with that digest is, counted from 1.
pub(crate) fn part_of(digest: &[u8; 32], of: u32) -> u32 {
    let number = digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    (number % u64::from(of.max(1))) as u32 + 1
}

impl Origin {
    /// Puts the places and names themselves where the case has what stands in for them.
    pub fn restore(&self, finding: &mut Finding) {
        for place in finding.places() {
            *place = place.take().and_then(|stand_in| self.places.get(stand_in.line as usize).cloned());
        }
        for text in finding.texts().filter(|text| text.contains(BEGIN)) {
            for (stand_in, name) in self.names.iter().filter(|(_, name)| !name.is_empty()) {
                if text.contains(stand_in) {
                    *text = text.replace(stand_in, name);
                }
            }
        }
        finding.seal();
    }
}

/// What stands in for a name begins and ends with these: no name has them in it.
const BEGIN: char = '\u{E000}';
const END: char = '\u{E001}';

/// What stands in for a name: a kind and a number, and what the name says of itself.
fn stand_in(kind: char, number: usize, says: &str) -> String {
    format!("{BEGIN}{kind}{number}{END}{says}")
}

/// Stands for a value: another one for other values.
fn digest(value: &impl Serialize) -> [u8; 32] {
    let mut hash = Hashing(Sha256::new());
    // Writing to a hash does not fail, and neither does turning plain data into bytes.
    let _ = serde_json::to_writer(&mut hash, value);
    hash.0.finalize().into()
}

impl PartialEq for Case {
    fn eq(&self, other: &Case) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Case {}

impl Hash for Case {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("question", &self.question).field("key", &self.key()).finish()
    }
}

struct Hashing(Sha256);

impl std::io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A part of a program in the making.
struct Cut<'p> {
    from: &'p Program,
    to: Program,
    /// By new number.
    procs: Vec<ProcId>,
    vars: Vec<VarId>,
    places: Vec<PlaceId>,
    names: Vec<(String, String)>,
    numbers: Numbers,
    /// Variables, locks, classes and executors keep their numbers.
    shared: bool,
}

/// From old numbers to new ones.
#[derive(Default)]
struct Numbers {
    procs: HashMap<ProcId, ProcId>,
    vars: HashMap<VarId, VarId>,
    locks: HashMap<LockId, LockId>,
    classes: HashMap<ClassId, ClassId>,
    executors: HashMap<ExecId, ExecId>,
    places: HashMap<PlaceId, PlaceId>,
    labels: HashMap<Label, Label>,
    bases: RenumberBases,
}

impl<'p> Cut<'p> {
    fn new(from: &'p Program) -> Cut<'p> {
        let mut cut = Cut {
            from,
            to: Program { executors: Vec::new(), ..Program::new() },
            procs: Vec::new(),
            vars: Vec::new(),
            places: Vec::new(),
            names: Vec::new(),
            numbers: Numbers::default(),
            shared: false,
        };
        // The first is `main`, used or not.
        cut.executor(ExecId(0));
        cut
    }

    fn procs(&mut self, procs: &[ProcId]) -> Vec<ProcId> {
        procs.iter().map(|&proc| self.proc(proc)).collect()
    }

    /// Copies the procedures that are needed, until nothing new is.
    fn follow(&mut self) {
        while let Some(&old) = self.procs.get(self.to.procs.len()) {
            let mut proc = self.from.proc(old).clone();
            match &mut proc.kind {
                ProcKind::Event { on, guard, .. } => {
                    self.on(on);
                    guard.iter_mut().for_each(|var| *var = self.var(*var));
                }
                ProcKind::Task { on } => self.on(on),
                ProcKind::Proc => {}
            }
            proc.place = proc.place.map(|place| self.place(place));
            self.rename(&mut proc.name, 'p', self.to.procs.len(), "");
            // Names of locals are never shown.
            let locals = proc.locals.iter_mut().enumerate();
            locals.for_each(|(number, name)| *name = stand_in('t', number, ""));
            self.block(&mut proc.body);
            self.to.procs.push(proc);
        }
        for number in 0..self.to.vars.len() {
            let guard = self.origin(number).guard;
            self.to.vars[number].guard = guard.map(|lock| self.lock(lock));
        }
        self.to.bases = self.numbers.bases.pick(&self.from.bases);
        self.to.changed = self.changed();
    }

    fn block(&mut self, block: &mut Block) {
        for s in block {
            let next = Label(self.numbers.labels.len() as u32);
            // Flattening makes several statements of one.
            s.label = *self.numbers.labels.entry(s.label).or_insert(next);
            s.place = s.place.map(|place| self.place(place));
            s.basis = s.basis.map(|basis| self.numbers.bases.of(basis));
            self.stmt(&mut s.kind);
        }
    }

    fn stmt(&mut self, kind: &mut StmtKind) {
        match kind {
            StmtKind::Read(x) | StmtKind::Write(x) => *x = self.var(*x),
            StmtKind::Update(x, class) => {
                *x = self.var(*x);
                *class = self.class(*class);
            }
            StmtKind::SetVar(x, e) => {
                *x = self.var(*x);
                self.expr(e);
            }
            StmtKind::SetLocal(_, e) | StmtKind::Assume(e) | StmtKind::Return(Some(e)) => self.expr(e),
            StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => *lock = self.lock(*lock),
            StmtKind::Async { task: proc, args, .. }
            | StmtKind::Defer { task: proc, args, .. }
            | StmtKind::Call { proc, args, .. } => {
                *proc = self.proc(*proc);
                args.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::If(e, yes, no) => {
                self.expr(e);
                self.block(yes);
                self.block(no);
            }
            StmtKind::While(e, body) => {
                self.expr(e);
                self.block(body);
            }
            StmtKind::Loop(_, body) => self.block(body),
            StmtKind::Yield
            | StmtKind::Join(_)
            | StmtKind::Await(_)
            | StmtKind::Return(None)
            | StmtKind::Force(_)
            | StmtKind::RunDeferred => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Var(x) => *x = self.var(*x),
            Expr::Not(e) => self.expr(e),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Const(_) | Expr::Local(_) | Expr::Any => {}
        }
    }

    fn on(&mut self, on: &mut Where) {
        if let Where::On(executor) = on {
            *executor = self.executor(*executor);
        }
    }

    fn proc(&mut self, old: ProcId) -> ProcId {
        let next = ProcId(self.procs.len() as u32);
        *self.numbers.procs.entry(old).or_insert_with(|| {
            self.procs.push(old);
            next
        })
    }

    /// How the variables of the part are changed, as far as that is about each other.
    fn changed(&self) -> Vec<Changed> {
        if self.shared {
            return self.from.changed.clone();
        }
        let new = |with: &BTreeSet<VarId>| {
            with.iter().filter_map(|old| self.numbers.vars.get(old)).copied().collect()
        };
        let of = |old: &VarId| {
            let changed = self.from.changed.get(old.index())?;
            Some(Changed { with: changed.with.iter().map(new).collect(), events: changed.events })
        };
        self.vars.iter().filter_map(of).collect()
    }

    /// The variable that one of the part stands for.
    fn origin(&self, number: usize) -> &'p Var {
        let old = if self.shared { number } else { self.vars[number].index() };
        &self.from.vars[old]
    }

    fn var(&mut self, old: VarId) -> VarId {
        if self.shared {
            return old;
        }
        let new = copied(&mut self.numbers.vars, old, VarId, old.index(), &self.from.vars, &mut self.to.vars);
        if new.index() == self.vars.len() {
            self.vars.push(old);
            let mut name = std::mem::take(&mut self.to.vars[new.index()].name);
            let says = if self.from.vars[old.index()].is_many() { ELEMENTS } else { "" };
            self.rename(&mut name, 'v', new.index(), says);
            self.to.vars[new.index()].name = name;
        }
        new
    }

    fn lock(&mut self, old: LockId) -> LockId {
        if self.shared {
            return old;
        }
        let known = self.to.locks.len();
        let new =
            copied(&mut self.numbers.locks, old, LockId, old.index(), &self.from.locks, &mut self.to.locks);
        if known < self.to.locks.len() {
            let mut name = std::mem::take(&mut self.to.locks[known].name);
            let says = if self.from.locks[old.index()].is_ghost() { " ()" } else { "" };
            self.rename(&mut name, 'l', known, says);
            self.to.locks[known].name = name;
        }
        new
    }

    fn class(&mut self, old: ClassId) -> ClassId {
        if self.shared {
            return old;
        }
        let known = self.to.classes.len();
        let (from, to) = (&self.from.classes, &mut self.to.classes);
        let new = copied(&mut self.numbers.classes, old, ClassId, old.index(), from, to);
        // Their names are never shown, but some say what an access does.
        let named = |name: &&mut String| !MEANT.contains(&name.as_str());
        let new_ones = self.to.classes.iter_mut().skip(known).filter(named);
        new_ones.for_each(|name| *name = stand_in('c', known, ""));
        new
    }

    fn executor(&mut self, old: ExecId) -> ExecId {
        if self.shared {
            return old;
        }
        let known = self.to.executors.len();
        let (from, to) = (&self.from.executors, &mut self.to.executors);
        let new = copied(&mut self.numbers.executors, old, ExecId, old.index(), from, to);
        if known < self.to.executors.len() {
            let mut name = std::mem::take(&mut self.to.executors[known].name);
            self.rename(&mut name, 'e', known, "");
            self.to.executors[known].name = name;
        }
        new
    }

    /// Puts what stands in for a name in its place.
    fn rename(&mut self, name: &mut String, kind: char, number: usize, says: &str) {
        let stand_in = stand_in(kind, number, says);
        self.names.push((stand_in.clone(), std::mem::replace(name, stand_in)));
    }

    fn place(&mut self, old: PlaceId) -> PlaceId {
        let next = self.places.len() as u32;
        *self.numbers.places.entry(old).or_insert_with(|| {
            self.places.push(old);
            let stand_in =
                SourcePlace { file: String::new(), line: next, column: 0, end_line: next, end_column: 0 };
            self.to.places.push(stand_in);
            PlaceId(next)
        })
    }
}

/// The new number of an entry of a table, which is copied when it is needed for the first time.
fn copied<Id: Copy + Eq + Hash, T: Clone>(
    numbers: &mut HashMap<Id, Id>,
    old: Id,
    id: impl Fn(u32) -> Id,
    index: usize,
    from: &[T],
    to: &mut Vec<T>,
) -> Id {
    match numbers.entry(old) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(place) => {
            let new = *place.insert(id(to.len() as u32));
            to.extend(from.get(index).cloned());
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding;
    use crate::ir::text;
    use crate::limits::Allowance;

    fn cases(source: &str) -> Vec<(Case, Origin)> {
        let program = text::parse(source, "test.rob").unwrap();
        let machine = Machine::new(&program).unwrap();
        let flags = finding::flags(&machine.program);
        let feeders = Feeders::new(&machine.program, &mut Allowance::unlimited());
        let cut = |event| {
            let question = Question::Serializability(vec![event]);
            Case::cut(&question, &machine, &flags, &feeders, &Options::default())
        };
        program.events().map(cut).collect()
    }

    const EVENT: &str = "var x; lock l; event e on any { acquire l; read x; release l; async[any] t(); write x; } \
        task t() on any { update x by add; }";

    #[test]
    fn what_a_question_is_not_about_does_not_matter() {
        let alone = cases(EVENT);
        let more = format!(
            "executor e2; var y; lock k;\n\nevent f on e2 {{ acquire k; update y by other; }} {EVENT}"
        );
        let among_others = cases(&more);
        assert_eq!(alone[0].0.key(), among_others[1].0.key());
        assert_ne!(alone[0].1, among_others[1].1, "but the places differ");
    }

    #[test]
    fn names_do_not_matter() {
        let others = EVENT.replace(" x", " seen").replace(" l;", " guard;").replace("t()", "later()");
        let (case, origin) = cases(EVENT).remove(0);
        let (other, its_origin) = cases(&others.replace("event e", "event g")).remove(0);
        assert_eq!(case.key(), other.key());
        assert_ne!(origin, its_origin, "but they are put back");
    }

    #[test]
    fn names_and_places_are_put_back() {
        let find = |source: &str| {
            let (case, origin) = cases(source).remove(0);
            let mut findings = case.answer(std::time::Duration::from_secs(60)).findings;
            assert!(!findings.is_empty());
            findings.iter_mut().for_each(|finding| origin.restore(finding));
            serde_json::to_string(&findings).unwrap()
        };
        let found = find("var `seen[..]`; event look on any { read `seen[..]`; write `seen[..]`; }");
        assert!(found.contains("`look` reads `seen[..]` and later writes it"), "{found}");
        assert!(!found.contains(BEGIN) && !found.contains(END), "{found}");
        let moved = find("var y;\nvar `seen[..]`;\nevent look on any { read `seen[..]`; write `seen[..]`; }");
        assert_ne!(found, moved);
    }

    #[test]
    fn what_others_do_to_its_flags_matters() {
        let program = |other: &str| {
            format!(
                "var stop; event e on any {{ read stop; update stop by raise; }} event f on any {{ {other} }}"
            )
        };
        let flag = |other: &str| cases(&program(other))[0].0.flags.clone();
        assert_eq!(flag("update stop by raise;"), [Some(true)]);
        assert_eq!(flag("write stop;"), [None]);
    }

    #[test]
    fn what_bounds_the_search_matters() {
        let program = text::parse(EVENT, "test.rob").unwrap();
        let machine = Machine::new(&program).unwrap();
        let event = program.events().next().unwrap();
        let feeders = Feeders::new(&machine.program, &mut Allowance::unlimited());
        let question = Question::Determinism(event);
        let key = |options: Options| Case::cut(&question, &machine, &[], &feeders, &options).0.key();
        let options = Options::default;
        let plain = key(options());
        assert_ne!(plain, key(Options { events: 2, ..options() }));
        assert_ne!(plain, key(Options { unroll: 2, ..options() }));
        assert_ne!(plain, key(Options { findings: 2, ..options() }));
        assert_ne!(plain, key(Options { memory: 2, ..options() }));
    }

    #[test]
    fn what_a_question_is_about_matters() {
        let key = |source: &str| cases(source)[0].0.key();
        for (old, new) in [("read x", "write x"), ("event e on any", "event e on main")] {
            assert_ne!(key(EVENT), key(&EVENT.replace(old, new)), "{old} -> {new}");
        }
    }
}
