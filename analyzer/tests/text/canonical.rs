//! Programs up to what the text form does not say: labels, places, numbers of locals and classes.

use robust_analyzer::ir::*;

/// The program with labels counted up, no places, and locals and classes numbered as they first occur.
pub fn canonical(program: &Program) -> Program {
    let mut program = program.clone();
    program.places.clear();
    let mut names = Names { labels: 0, classes: Vec::new(), locals: Vec::new() };
    for proc in &mut program.procs {
        proc.place = None;
        names.locals = (0..proc.params as u32).map(LocalId).collect();
        names.block(&mut proc.body);
        proc.locals = names.locals.iter().map(|l| proc.locals[l.index()].clone()).collect();
    }
    program.classes = names.classes.iter().map(|c| program.classes[c.index()].clone()).collect();
    program
}

struct Names {
    labels: u32,
    classes: Vec<ClassId>,
    locals: Vec<LocalId>,
}

impl Names {
    fn block(&mut self, block: &mut Block) {
        for s in block {
            (s.label, s.place) = (Label(self.labels), None);
            self.labels += 1;
            self.stmt(&mut s.kind);
        }
    }

    fn stmt(&mut self, kind: &mut StmtKind) {
        match kind {
            StmtKind::Update(_, class) => {
                let known = self.classes.iter().position(|c| c == class);
                let number = known.unwrap_or(self.classes.len());
                if known.is_none() {
                    self.classes.push(*class);
                }
                *class = ClassId(number as u32);
            }
            StmtKind::SetLocal(t, e) => {
                self.expr(e);
                self.local(t);
            }
            StmtKind::SetVar(_, e) | StmtKind::Assume(e) | StmtKind::Return(Some(e)) => self.expr(e),
            StmtKind::Async { args, handle: target, .. }
            | StmtKind::Defer { args, handle: target, .. }
            | StmtKind::Call { args, result: target, .. } => {
                target.iter_mut().for_each(|t| self.local(t));
                args.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::Join(h) | StmtKind::Await(h) | StmtKind::Force(h) => self.local(h),
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
            _ => {}
        }
    }

    fn local(&mut self, local: &mut LocalId) {
        let number = self.locals.iter().position(|l| l == local).unwrap_or_else(|| {
            self.locals.push(*local);
            self.locals.len() - 1
        });
        *local = LocalId(number as u32);
    }

    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::Local(t) => self.local(t),
            Expr::Not(a) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Const(_) | Expr::Var(_) | Expr::Any => {}
        }
    }
}
