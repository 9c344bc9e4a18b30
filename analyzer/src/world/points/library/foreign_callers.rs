//! Functions that code in other languages calls: those with a symbol of their own, and those whose address is taken as a
//! pointer to a function of another language's calling convention.

use std::collections::BTreeSet;

use crate::mir::{BodyKind, ConstKind, Operand, Rvalue, StatementKind, TyKind};

use crate::world::points::bodies::{BodyId, Code};

/// What code in other languages calls.
#[derive(Debug, Default)]
pub(crate) struct ForeignCallers {
    /// Functions that it is given pointers to.
    callbacks: BTreeSet<BodyId>,
    exported: BTreeSet<BodyId>,
}

impl ForeignCallers {
    pub fn find(code: &Code<'_>) -> ForeignCallers {
        let mut found = ForeignCallers::default();
        for (number, body) in code.bodies.iter().enumerate() {
            if body.exported && matches!(body.kind, BodyKind::Fn) {
                found.exported.insert(BodyId(number as u32));
            }
            for statement in body.blocks.iter().flat_map(|block| &block.statements) {
                let StatementKind::Assign(_, Rvalue::Cast(_, operand, to)) = &statement.kind else {
                    continue;
                };
                if is_of_another_language(to)
                    && let Operand::Const(constant) = operand
                    && let ConstKind::Fn(path) = &constant.kind
                {
                    found.callbacks.extend(code.resolve(path, code.home[number]));
                }
            }
        }
        found
    }

    /// Why a function is called from other languages, if it is.
    pub fn why(&self, id: BodyId) -> Option<&'static str> {
        if self.exported.contains(&id) {
            Some("exported: other languages can call it")
        } else if self.callbacks.contains(&id) {
            Some("its address is given to code of another language")
        } else {
            None
        }
    }
}

/// Whether this is a pointer to functions that Rust does not call as its own.
fn is_of_another_language(ty: &TyKind) -> bool {
    matches!(ty, TyKind::FnPtr(sig) if !sig.abi.is_empty() && !sig.abi.to_ascii_lowercase().starts_with("rust"))
}
