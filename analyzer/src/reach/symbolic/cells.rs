//! The state: cells, branches with a merge behind them, and what is noted on the way.

use super::*;

/// Bytes that a run may take beside the circuit, for each node that the circuit may have.
const PER_NODE: usize = 256;

impl Val {
    /// Of how many parts it is made.
    fn parts(&self) -> usize {
        match self {
            Val::Bool(_) => 0,
            Val::Int(bits) => bits.len(),
            Val::Handle(entries) => entries.len(),
        }
    }
}

impl Exec<'_> {
    pub(super) fn bool_cell(&self, cell: usize) -> Lit {
        match &self.cells[cell] {
            Val::Bool(l) => *l,
            _ => unreachable!("validated: the cell is a bool"),
        }
    }

    pub(super) fn set(&mut self, cell: usize, value: Val) {
        if self.cells[cell] != value {
            self.parts += value.parts();
            let old = std::mem::replace(&mut self.cells[cell], value);
            self.journal.push((cell, old));
        }
    }

    pub(super) fn alloc(&mut self, value: Val) -> usize {
        self.cells.push(value);
        self.cells.len() - 1
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.late
            || self.circuit.nodes().len() > self.bounds.nodes
            || self.bytes() > self.bounds.nodes.saturating_mul(PER_NODE)
    }

    /// What everything but the circuit takes.
    fn bytes(&self) -> usize {
        (self.cells.len() + self.journal.len()) * size_of::<(usize, Val)>()
            + self.parts * size_of::<(usize, Lit)>()
            + self.log.len() * size_of::<Log>()
            + self.heads.len() * self.program.vars.len() * size_of::<Val>()
            + self.entries.len() * (size_of::<Entry>() + size_of::<(Vec<Val>, usize)>())
            + self.frames.len() * size_of::<Frame>()
    }

    pub(super) fn is_dead(&self, scope: &Scope) -> bool {
        self.is_too_large() || self.bool_cell(OK) == Lit::FALSE || self.bool_cell(scope.live) == Lit::FALSE
    }

    pub(super) fn look_at_the_clock(&mut self) {
        self.ticks += 1;
        if self.ticks.is_multiple_of(256) {
            self.late |= self.bounds.until.is_some_and(|until| until < Instant::now());
        }
    }

    /// Runs `yes` where `c` holds and `no` elsewhere.
    pub(super) fn branch(&mut self, c: Lit, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        match c.as_constant() {
            Some(true) => return yes(self),
            Some(false) => return no(self),
            None => {}
        }
        self.look_at_the_clock();
        let path = self.path;
        self.path = self.circuit.and(path, c);
        let after_yes = self.side(yes);
        self.path = self.circuit.and(path, !c);
        let after_no = self.side(no);
        self.path = path;
        self.merge(c, after_yes, after_no);
    }

    /// Runs one side of a branch and takes its changes back; gives the changed cells with their new values.
    pub(super) fn side(&mut self, run: impl FnOnce(&mut Self)) -> Vec<(usize, Val)> {
        let mark = self.journal.len();
        run(self);
        let mut changed: Vec<usize> = self.journal[mark..].iter().map(|(cell, _)| *cell).collect();
        changed.sort_unstable();
        changed.dedup();
        let after = changed.iter().map(|&cell| (cell, self.cells[cell].clone())).collect();
        while self.journal.len() > mark {
            let (cell, old) = self.journal.pop().expect("longer than the mark");
            self.parts = self.parts.saturating_sub(self.cells[cell].parts());
            self.cells[cell] = old;
        }
        after
    }

    pub(super) fn merge(&mut self, c: Lit, yes: Vec<(usize, Val)>, no: Vec<(usize, Val)>) {
        let (mut yes, mut no) = (yes.into_iter().peekable(), no.into_iter().peekable());
        loop {
            let cell = match (yes.peek(), no.peek()) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(a), None) => a.0,
                (None, Some(b)) => b.0,
                (None, None) => return,
            };
            let a = yes.next_if(|v| v.0 == cell).map(|v| v.1);
            let b = no.next_if(|v| v.0 == cell).map(|v| v.1);
            let old = &self.cells[cell];
            let (a, b) = (a.unwrap_or_else(|| old.clone()), b.unwrap_or_else(|| old.clone()));
            let merged = self.choose(c, a, b);
            self.set(cell, merged);
        }
    }

    pub(super) fn choose(&mut self, c: Lit, a: Val, b: Val) -> Val {
        match (a, b) {
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(self.circuit.ite(c, a, b)),
            (Val::Int(a), Val::Int(b)) => Val::Int(self.circuit.choose(c, &a, &b)),
            (Val::Handle(a), Val::Handle(b)) => {
                let mut both = Vec::new();
                let yes = a.into_iter().map(|(e, l)| (e, l, c));
                for (entry, lit, side) in yes.chain(b.into_iter().map(|(e, l)| (e, l, !c))) {
                    let lit = self.circuit.and(lit, side);
                    match both.iter_mut().find(|(e, _)| *e == entry) {
                        Some((_, known)) => *known = self.circuit.or(*known, lit),
                        None if lit != Lit::FALSE => both.push((entry, lit)),
                        None => {}
                    }
                }
                Val::Handle(both)
            }
            _ => unreachable!("validated: both sides have one type"),
        }
    }

    pub(super) fn assume(&mut self, e: Lit) {
        let ok = self.bool_cell(OK);
        let ok = self.circuit.and(ok, e);
        self.set(OK, Val::Bool(ok));
    }

    /// Notes the condition under which the run so far ends in an error.
    pub(super) fn goal(&mut self) {
        let ok = self.bool_cell(OK);
        let error = self.bool_cell(1 + self.error.index());
        let possible = self.circuit.and(ok, self.restrictions);
        let goal = self.circuit.and(possible, error);
        self.goals.push(goal);
    }

    pub(super) fn head(&mut self) {
        let ok = self.bool_cell(OK);
        let reached = self.circuit.and(ok, self.restrictions);
        self.heads.push(Head { reached, vars: self.cells[1..=self.program.vars.len()].to_vec() });
    }

    /// The path ends here because of a bound.
    pub(super) fn cut(&mut self) {
        self.truncated = true;
        self.assume(Lit::FALSE);
    }

    pub(super) fn note(&mut self, s: &Stmt, what: Logged) {
        let frame = self.lists.last().and_then(|l| l.0);
        self.log.push(Log { guard: self.path, frame, label: s.label, place: s.place, what });
    }
}
