//! What crates name: functions they call or pass on, types they handle, traits they implement.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::{
    Callee, ConstKind, Crate, Operand, Path, QSelf, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

/// Paths without generic arguments, as models write them. A method of a trait is there under the trait's name and under that of the
/// type it is called on.
pub fn mentions<'c>(crates: impl IntoIterator<Item = &'c Crate>) -> BTreeSet<String> {
    let mut found = Mentions::default();
    for body in crates.into_iter().flat_map(|krate| &krate.bodies) {
        if let Some(qself) = &body.path.qself {
            found.owner(qself);
        }
        body.locals.iter().for_each(|decl| found.ty(&decl.ty));
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(_, rvalue) = &statement.kind {
                    found.rvalue(rvalue);
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind {
                match &call.callee {
                    Callee::Fn { path, .. } => found.function(path),
                    Callee::Value(operand) => found.operand(operand),
                }
                call.args.iter().for_each(|operand| found.operand(operand));
            }
        }
    }
    found.paths
}

#[derive(Default)]
struct Mentions {
    paths: BTreeSet<String>,
    /// Types that were looked at.
    types: FxHashSet<Ty>,
}

impl Mentions {
    fn rvalue(&mut self, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand) | Rvalue::Repeat(operand, _) | Rvalue::Cast(_, operand, _) => {
                self.operand(operand)
            }
            Rvalue::Aggregate(_, operands) => operands.iter().for_each(|operand| self.operand(operand)),
            _ => {}
        }
    }

    fn operand(&mut self, operand: &Operand) {
        let Operand::Const(constant) = operand else { return };
        if let ConstKind::Fn(path) = &constant.kind {
            self.function(path);
        }
        if let Some(ty) = &constant.ty {
            self.ty(ty);
        }
    }

    fn function(&mut self, path: &Path) {
        self.paths.insert(path.plain());
        let Some(qself) = &path.qself else { return };
        self.owner(qself);
        if let (Some(of), Some(last)) = (qself.ty.as_path(), path.segments.last()) {
            self.paths.insert(format!("{}::{}", of.plain(), last.name));
        }
    }

    fn owner(&mut self, qself: &QSelf) {
        self.ty(&qself.ty);
        self.paths.extend(qself.tr.as_ref().map(Path::plain));
    }

    fn ty(&mut self, ty: &Ty) {
        if !self.types.insert(ty.clone()) {
            return;
        }
        match &**ty {
            TyKind::Path(path) => drop(self.paths.insert(path.plain())),
            TyKind::Dyn(bounds) | TyKind::Impl(bounds) => self.paths.extend(bounds.iter().map(Path::plain)),
            TyKind::FnDef(_, path) => self.function(path),
            _ => {}
        }
        ty.each_part(&mut |part| self.ty(part));
    }
}
