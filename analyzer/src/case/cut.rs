//! Procedures, variables and locks of a program, renumbered in the order in which they occur.

use super::*;

/// A part of a program in the making.
pub(super) struct Cut<'p> {
    pub(super) from: &'p Program,
    pub(super) to: Program,
    /// By new number.
    pub(super) procs: Vec<ProcId>,
    pub(super) vars: Vec<VarId>,
    pub(super) places: Vec<PlaceId>,
    pub(super) names: Vec<(String, String)>,
    pub(super) numbers: Numbers,
    /// Variables, locks, classes and executors keep their numbers.
    pub(super) shared: bool,
}

/// From old numbers to new ones.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) procs: HashMap<ProcId, ProcId>,
    pub(super) vars: HashMap<VarId, VarId>,
    pub(super) locks: HashMap<LockId, LockId>,
    pub(super) classes: HashMap<ClassId, ClassId>,
    pub(super) executors: HashMap<ExecId, ExecId>,
    pub(super) places: HashMap<PlaceId, PlaceId>,
    pub(super) labels: HashMap<Label, Label>,
    pub(super) bases: RenumberBases,
}

impl<'p> Cut<'p> {
    pub(super) fn new(from: &'p Program) -> Cut<'p> {
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

    pub(super) fn procs(&mut self, procs: &[ProcId]) -> Vec<ProcId> {
        procs.iter().map(|&proc| self.proc(proc)).collect()
    }

    /// Copies the procedures that are needed, until nothing new is.
    pub(super) fn follow(&mut self) {
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

    pub(super) fn block(&mut self, block: &mut Block) {
        for s in block {
            let next = Label(self.numbers.labels.len() as u32);
            // Flattening makes several statements of one.
            s.label = *self.numbers.labels.entry(s.label).or_insert(next);
            s.place = s.place.map(|place| self.place(place));
            s.basis = s.basis.map(|basis| self.numbers.bases.of(basis));
            self.stmt(&mut s.kind);
        }
    }

    pub(super) fn stmt(&mut self, kind: &mut StmtKind) {
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

    pub(super) fn expr(&mut self, expr: &mut Expr) {
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

    pub(super) fn on(&mut self, on: &mut Where) {
        if let Where::On(executor) = on {
            *executor = self.executor(*executor);
        }
    }

    pub(super) fn proc(&mut self, old: ProcId) -> ProcId {
        let next = ProcId(self.procs.len() as u32);
        *self.numbers.procs.entry(old).or_insert_with(|| {
            self.procs.push(old);
            next
        })
    }

    /// How the variables of the part are changed, as far as that is about each other.
    pub(super) fn changed(&self) -> Vec<Changed> {
        if self.shared {
            return self.from.changed.clone();
        }
        let new = |with: &BTreeSet<VarId>| {
            with.iter().filter_map(|old| self.numbers.vars.get(old)).copied().collect()
        };
        let of = |old: &VarId| {
            let changed = self.from.changed.get(old.index())?;
            Some(Changed {
                with: changed.with.iter().map(new).collect(),
                events: changed.events,
                users: changed.users,
            })
        };
        self.vars.iter().filter_map(of).collect()
    }

    /// The variable that one of the part stands for.
    pub(super) fn origin(&self, number: usize) -> &'p Var {
        let old = if self.shared { number } else { self.vars[number].index() };
        &self.from.vars[old]
    }

    pub(super) fn var(&mut self, old: VarId) -> VarId {
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

    pub(super) fn lock(&mut self, old: LockId) -> LockId {
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

    pub(super) fn class(&mut self, old: ClassId) -> ClassId {
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

    pub(super) fn executor(&mut self, old: ExecId) -> ExecId {
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
    pub(super) fn rename(&mut self, name: &mut String, kind: char, number: usize, says: &str) {
        let stand_in = stand_in(kind, number, says);
        self.names.push((stand_in.clone(), std::mem::replace(name, stand_in)));
    }

    pub(super) fn place(&mut self, old: PlaceId) -> PlaceId {
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
pub(super) fn copied<Id: Copy + Eq + Hash, T: Clone>(
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
