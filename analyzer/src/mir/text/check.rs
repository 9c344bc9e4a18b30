//! What holds for every body that is handed on, and what is worked out from its parts.

use crate::mir::{
    AggregateKind, Block, Body, BodyKind, Callee, Local, Operand, Place, Projection, Rvalue, Span,
    StatementKind, TerminatorKind, Unwind, VarValue,
};

use super::body::whole_local;

/// Checks the invariants of [`crate::mir`] and fills in names of locals, the span and whether it is a constructor.
pub(super) fn finish(body: &mut Body) -> Result<(), &'static str> {
    if body.blocks.is_empty() {
        return Err("a basic block");
    }
    check(body)?;
    let names: Vec<_> =
        body.vars.iter().filter_map(|var| Some((whole_local(var)?, var.span.clone()))).collect();
    for ((local, name), span) in names {
        let decl = &mut body.locals[local.0 as usize];
        decl.name.get_or_insert(name);
        if decl.span.is_none() {
            decl.span = span;
        }
    }
    body.span = span(body);
    if is_constructor(body) {
        body.kind = BodyKind::Constructor;
    }
    Ok(())
}

/// From the signature to the end. MIR does not say it at one place, so it is put together from those parts of the body that
/// cannot come out of a macro used in it.
fn span(body: &Body) -> Span {
    let mut whole = body.locals[0].span.clone();
    let arguments = 1..=body.arg_count as usize;
    let parts = body.locals[arguments].iter().map(|local| &local.span);
    let ends = body.blocks.iter().map(|block| &block.terminator).filter_map(|end| {
        let outermost = matches!(end.kind, TerminatorKind::Return | TerminatorKind::Resume);
        outermost.then_some(&end.source.span)
    });
    for part in parts.chain(ends).filter(|part| !part.is_none()) {
        if whole.is_none() {
            whole = part.clone();
        }
        if part.file != whole.file {
            continue;
        }
        (whole.line, whole.col) = (whole.line, whole.col).min((part.line, part.col));
        (whole.end_line, whole.end_col) = (whole.end_line, whole.end_col).max((part.end_line, part.end_col));
    }
    whole
}

/// The function that a tuple struct or variant is used as: one assignment of what it builds, written nowhere.
fn is_constructor(body: &Body) -> bool {
    let [block] = &body.blocks[..] else {
        return false;
    };
    let [statement] = &block.statements[..] else {
        return false;
    };
    let StatementKind::Assign(place, Rvalue::Aggregate(kind, _)) = &statement.kind else {
        return false;
    };
    let AggregateKind::Adt { path, fields } = &**kind else {
        return false;
    };
    body.kind == BodyKind::Fn
        && body.vars.is_empty()
        && fields.is_empty()
        && place.as_local() == Some(Local::RETURN)
        && body.def.rsplit("::").next() == Some(path.last())
}

fn check(body: &Body) -> Result<(), &'static str> {
    let check = Check { locals: body.locals.len(), blocks: body.blocks.len(), scopes: body.scopes.len() };
    for var in &body.vars {
        if let VarValue::Place(place) = &var.value {
            check.place(place)?;
        }
    }
    for block in &body.blocks {
        for statement in &block.statements {
            check.scope(statement.source.scope.0)?;
            check.statement(&statement.kind)?;
        }
        check.scope(block.terminator.source.scope.0)?;
        check.terminator(&block.terminator.kind)?;
    }
    Ok(())
}

/// How many there are of what is referred to by number.
struct Check {
    locals: usize,
    blocks: usize,
    scopes: usize,
}

type Checked = Result<(), &'static str>;

impl Check {
    fn local(&self, local: Local) -> Checked {
        if (local.0 as usize) < self.locals { Ok(()) } else { Err("a local that is declared") }
    }

    fn block(&self, block: Block) -> Checked {
        if (block.0 as usize) < self.blocks { Ok(()) } else { Err("a basic block that exists") }
    }

    fn scope(&self, scope: u32) -> Checked {
        if (scope as usize) < self.scopes { Ok(()) } else { Err("a scope that exists") }
    }

    fn place(&self, place: &Place) -> Checked {
        for step in &place.projection {
            if let Projection::Index(local) = step {
                self.local(*local)?;
            }
        }
        self.local(place.local)
    }

    fn operand(&self, operand: &Operand) -> Checked {
        operand.place().map_or(Ok(()), |place| self.place(place))
    }

    fn statement(&self, kind: &StatementKind) -> Checked {
        match kind {
            StatementKind::Assign(place, value) => {
                self.place(place)?;
                self.rvalue(value)
            }
            StatementKind::SetDiscriminant(place, _) | StatementKind::PlaceMention(place) => {
                self.place(place)
            }
            StatementKind::StorageLive(local) | StatementKind::StorageDead(local) => self.local(*local),
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                [dst, src, count].into_iter().try_for_each(|operand| self.operand(operand))
            }
            StatementKind::Nop => Ok(()),
        }
    }

    fn rvalue(&self, value: &Rvalue) -> Checked {
        match value {
            Rvalue::Use(operand)
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Unary(_, operand)
            | Rvalue::Wrap(operand, _) => self.operand(operand),
            Rvalue::Ref(_, place)
            | Rvalue::RawPtr { place, .. }
            | Rvalue::Discriminant(place)
            | Rvalue::Len(place)
            | Rvalue::CopyForDeref(place) => self.place(place),
            Rvalue::Binary(_, operands) => {
                self.operand(&operands.0)?;
                self.operand(&operands.1)
            }
            Rvalue::Aggregate(_, parts) => parts.iter().try_for_each(|part| self.operand(part)),
            Rvalue::ThreadLocalRef(_) | Rvalue::Nullary(_) => Ok(()),
        }
    }

    fn unwind(&self, unwind: Unwind) -> Checked {
        match unwind {
            Unwind::Cleanup(block) => self.block(block),
            _ => Ok(()),
        }
    }

    fn target(&self, target: &Option<Block>) -> Checked {
        target.map_or(Ok(()), |block| self.block(block))
    }

    fn terminator(&self, kind: &TerminatorKind) -> Checked {
        match kind {
            TerminatorKind::Goto(block) | TerminatorKind::FalseEdge(block) => self.block(*block),
            TerminatorKind::SwitchInt { on, targets, otherwise } => {
                self.operand(on)?;
                targets.iter().try_for_each(|(_, block)| self.block(*block))?;
                self.target(otherwise)
            }
            TerminatorKind::Call(call) => {
                if let Callee::Value(operand) = &call.callee {
                    self.operand(operand)?;
                }
                call.args.iter().try_for_each(|operand| self.operand(operand))?;
                self.place(&call.dest)?;
                self.target(&call.target)?;
                self.unwind(call.unwind)
            }
            TerminatorKind::Drop { place, target, unwind } => {
                self.place(place)?;
                self.target(target)?;
                self.unwind(*unwind)
            }
            TerminatorKind::Assert { cond, target, unwind, .. } => {
                self.operand(cond)?;
                self.block(*target)?;
                self.unwind(*unwind)
            }
            TerminatorKind::Yield { value, resume_arg, resume, drop } => {
                self.operand(value)?;
                self.place(resume_arg)?;
                self.block(*resume)?;
                self.target(drop)
            }
            TerminatorKind::InlineAsm { targets, unwind } => {
                targets.iter().try_for_each(|block| self.block(*block))?;
                self.unwind(*unwind)
            }
            TerminatorKind::Return
            | TerminatorKind::Resume
            | TerminatorKind::Unreachable
            | TerminatorKind::Terminate
            | TerminatorKind::CoroutineDrop => Ok(()),
        }
    }
}
