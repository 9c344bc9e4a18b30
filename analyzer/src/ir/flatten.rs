//! One access per statement: the form that the interpreter and the translations work on.

use super::*;

/// The same program in which an expression names a shared variable only in `t := x`.
///
/// Every other mention becomes a read into a fresh local just before, in order of evaluation; a `while` reads again at
/// the end of its body. New statements carry the label and place of the one they come from, so labels are unique only up
/// to this: one original statement, several accesses. `read x` stays (it is already one access).
pub fn flatten(program: &Program) -> Program {
    let mut flat = program.clone();
    for proc in &mut flat.procs {
        let body = std::mem::take(&mut proc.body);
        proc.body = Flatten { locals: &mut proc.locals }.block(body);
    }
    flat
}

struct Flatten<'p> {
    locals: &'p mut Vec<String>,
}

impl Flatten<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::new();
        for stmt in block {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, mut s: Stmt, out: &mut Block) {
        let at = (s.label, s.place, s.basis);
        match &mut s.kind {
            // Already a single read.
            StmtKind::SetLocal(_, Expr::Var(_)) => {}
            StmtKind::SetVar(_, e)
            | StmtKind::SetLocal(_, e)
            | StmtKind::Assume(e)
            | StmtKind::Return(Some(e)) => self.expr(e, at, out),
            StmtKind::Async { args, .. } | StmtKind::Defer { args, .. } | StmtKind::Call { args, .. } => {
                args.iter_mut().for_each(|e| self.expr(e, at, out));
            }
            StmtKind::If(e, yes, no) => {
                self.expr(e, at, out);
                *yes = self.block(std::mem::take(yes));
                *no = self.block(std::mem::take(no));
            }
            StmtKind::While(e, body) => {
                let mut reads = Vec::new();
                self.expr(e, at, &mut reads);
                *body = self.block(std::mem::take(body));
                body.extend(reads.iter().cloned());
                out.append(&mut reads);
            }
            StmtKind::Loop(_, body) => *body = self.block(std::mem::take(body)),
            _ => {}
        }
        out.push(s);
    }

    fn expr(&mut self, e: &mut Expr, at: (Label, Option<PlaceId>, Option<BasisId>), out: &mut Block) {
        match e {
            Expr::Var(x) => {
                let temp = LocalId(self.locals.len() as u32);
                self.locals.push(format!("${}", temp.0));
                let kind = StmtKind::SetLocal(temp, Expr::Var(*x));
                out.push(Stmt { label: at.0, place: at.1, basis: at.2, kind });
                *e = Expr::Local(temp);
            }
            Expr::Not(a) => self.expr(a, at, out),
            Expr::Binary(_, a, b) => {
                self.expr(a, at, out);
                self.expr(b, at, out);
            }
            Expr::Const(_) | Expr::Local(_) | Expr::Any => {}
        }
    }
}
