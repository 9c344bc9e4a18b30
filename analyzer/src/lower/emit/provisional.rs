//! What provisional reads ([`crate::world::values::revalidate`]) become: a choice, and assumptions on it further on.

use std::collections::BTreeSet;

use crate::ir::{BinOp, Block, Expr, LocalId, Mode, PlaceId, Program, Stmt, StmtKind, Value};

use crate::ir::walk::each;
use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::effects::Tracked;
use crate::world::points::heap::LocId;
use crate::world::values::revalidate::{Mark, Provisional};

/// Beginnings of the names of the locals that hold a choice.
const COUNTS: &str = "counts";
const VOID: &str = "void";
const AGREES: &str = "agrees";

/// Whether a local, by its name, holds a choice.
pub(crate) fn is_flag(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    [COUNTS, VOID, AGREES].iter().any(|start| name.strip_prefix(start).is_some_and(is_number))
}

/// Whether a local says that a read was not made since a later one decides.
pub(crate) fn is_void(name: &str) -> bool {
    is_flag(name) && name.starts_with(VOID)
}

/// What was chosen at a provisional read.
struct Flags {
    /// It is an access like any other.
    counts: LocalId,
    /// It does not matter, which must turn out later.
    void: LocalId,
    /// It agrees with a later one, which must turn out, too.
    agrees: LocalId,
}

impl Flags {
    fn of(build: &mut Build, id: u32) -> Self {
        Flags {
            counts: build.local(format!("{COUNTS}{id}"), true),
            void: build.local(format!("{VOID}{id}"), true),
            agrees: build.local(format!("{AGREES}{id}"), true),
        }
    }

    fn set(&self, emitter: &mut Emitter<'_, '_>, counts: bool, void: bool, agrees: bool) -> Block {
        [(self.counts, counts), (self.void, void), (self.agrees, agrees)]
            .into_iter()
            .map(|(local, value)| {
                emitter.stmt(None, StmtKind::SetLocal(local, Expr::Const(Value::Bool(value))))
            })
            .collect()
    }
}

impl Emitter<'_, '_> {
    /// Whether a read gives a value that is known: to take any value instead would lose more than the read's place in the
    /// order does.
    pub fn gives_known(&self, locs: &[LocId], read: Provisional) -> bool {
        let vars = self.sharing.among(self.flow, locs);
        read.agrees.is_none()
            && vars.iter().all(|var| self.sharing.vars[*var].domain.is_some() && !self.sharing.vars[*var].tag)
    }

    /// A read that may not matter: it counts, or it does not, or it is good because it will agree with a later one.
    pub fn provisional(
        &mut self,
        build: &mut Build,
        read: Provisional,
        vars: &BTreeSet<usize>,
        tracked: Option<&Tracked>,
        done: Block,
        place: Option<PlaceId>,
    ) -> Stmt {
        let flags = Flags::of(build, read.id);
        let mut void = flags.set(self, false, true, false);
        if let Some(Tracked::Get(local) | Tracked::Tag(local, _) | Tracked::Is(_, local, _)) = tracked
            && let Some(local) = build.known(*local)
        {
            void.push(self.stmt(place, StmtKind::SetLocal(local, Expr::Any)));
        }
        if read.agrees.is_some() {
            let mut agrees = Vec::new();
            if read.agrees == Some(true) {
                let locks: Vec<_> =
                    vars.iter().filter_map(|var| self.compared_locks.get(var).copied()).collect();
                for lock in locks {
                    agrees.push(self.stmt(place, StmtKind::Acquire(lock, Mode::Shared)));
                }
            }
            agrees.extend(done.clone());
            agrees.extend(flags.set(self, false, false, true));
            void = vec![self.stmt(place, StmtKind::If(Expr::Any, agrees, void))];
        }
        let mut real = done;
        real.extend(flags.set(self, true, false, false));
        self.stmt(place, StmtKind::If(Expr::Any, real, void))
    }

    /// What a mark demands of the choice made at the read.
    pub fn mark(
        &mut self,
        build: &mut Build,
        (mark, id): (Mark, u32),
        locs: &[LocId],
        place: Option<PlaceId>,
        out: &mut Block,
    ) {
        let vars = self.sharing.among(self.flow, locs);
        if vars.is_empty() {
            return;
        }
        let flags = Flags::of(build, id);
        let not = |local: LocalId| StmtKind::Assume(Expr::Not(Box::new(Expr::Local(local))));
        let reset = |local: LocalId| StmtKind::SetLocal(local, Expr::Const(Value::Bool(false)));
        match mark {
            Mark::Superseded => {
                out.push(self.stmt(place, not(flags.counts)));
                out.push(self.stmt(place, reset(flags.void)));
            }
            Mark::Needed => out.push(self.stmt(place, not(flags.void))),
            Mark::Differs => out.push(self.stmt(place, not(flags.agrees))),
            Mark::With(other) => {
                let other = Flags::of(build, other).agrees;
                let same = |a: LocalId, b: LocalId| {
                    Expr::Binary(BinOp::Eq, Box::new(Expr::Local(a)), Box::new(Expr::Local(b)))
                };
                out.push(self.stmt(place, StmtKind::Assume(same(flags.agrees, other))));
            }
            Mark::Agreed => {
                out.push(self.stmt(place, StmtKind::Assume(Expr::Local(flags.agrees))));
                out.push(self.stmt(place, reset(flags.agrees)));
                let locks: Vec<_> =
                    vars.iter().filter_map(|var| self.compared_locks.get(var).copied()).collect();
                for lock in locks {
                    out.push(self.stmt(place, StmtKind::Release(lock)));
                }
            }
        }
    }
}

/// Takes out choices about reads that are gone, and what was assumed of them.
pub(crate) fn forget_idle(program: &mut Program) {
    for proc in &mut program.procs {
        let mut alive: BTreeSet<LocalId> = BTreeSet::new();
        let name = |local: &LocalId| proc.locals.get(local.index()).map_or("", |name| &**name);
        let flag = |local: &LocalId| is_flag(name(local));
        each(&proc.body, &mut |stmt| {
            let StmtKind::If(Expr::Any, real, void) = &stmt.kind else { return };
            let reads = |stmt: &Stmt| !matches!(&stmt.kind, StmtKind::SetLocal(_, value) if !crate::ir::walk::has_var(value));
            if real.iter().any(reads) {
                let set = real.iter().chain(void).filter_map(|stmt| match &stmt.kind {
                    StmtKind::SetLocal(local, _) if flag(local) => Some(*local),
                    _ => None,
                });
                alive.extend(set);
            }
        });
        // The flags of one read live and die together.
        let number =
            |local: &LocalId| name(local).trim_start_matches(|c: char| c.is_ascii_lowercase()).to_owned();
        let numbers: BTreeSet<String> = alive.iter().map(number).collect();
        let dead: BTreeSet<LocalId> = (0..proc.locals.len() as u32)
            .map(LocalId)
            .filter(|local| flag(local) && !numbers.contains(&number(local)))
            .collect();
        if !dead.is_empty() {
            drop_flags(&mut proc.body, &dead);
        }
    }
}

fn drop_flags(block: &mut Block, dead: &BTreeSet<LocalId>) {
    let mentions = |value: &Expr| {
        let mut used = BTreeSet::new();
        crate::ir::walk::locals_in(value, &mut used);
        used.iter().any(|local| dead.contains(local))
    };
    let mut index = 0;
    while index < block.len() {
        match &mut block[index].kind {
            StmtKind::SetLocal(local, _) if dead.contains(local) => {
                block.remove(index);
                continue;
            }
            StmtKind::Assume(condition) if mentions(condition) => {
                block.remove(index);
                continue;
            }
            StmtKind::If(condition, a, b) => {
                let chosen = *condition == Expr::Any
                    && a.iter().any(
                        |stmt| matches!(&stmt.kind, StmtKind::SetLocal(local, _) if dead.contains(local)),
                    );
                drop_flags(a, dead);
                drop_flags(b, dead);
                if chosen {
                    // What the read was known to give, if it was read.
                    let inner = std::mem::take(a);
                    block.splice(index..=index, inner);
                    continue;
                }
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => drop_flags(body, dead),
            _ => {}
        }
        index += 1;
    }
}
