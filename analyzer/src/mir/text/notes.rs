//! The comments behind a statement, which say more about its constants and captures.
//!
//! Constants of types other than numbers, `bool` and `char` have a note each, in order: its type, its place, its value again.
//! Closures and coroutines have a note with the definition of their body.

use crate::mir::{
    AggregateKind, Callee, ConstKind, Constant, Name, Operand, Rvalue, Span, StatementKind, TerminatorKind,
    Ty, TyKind,
};

use super::lexer::{Parsed, Parser};

/// What is noted behind one statement.
#[derive(Default)]
pub(super) struct Notes<'a> {
    constants: Vec<ConstantNote<'a>>,
    /// The definition path of a closure's body.
    body: Option<&'a str>,
}

#[derive(Default)]
struct ConstantNote<'a> {
    ty: Option<Ty>,
    value: &'a str,
    span: Span,
}

impl<'a> Parser<'a, '_> {
    /// All comment lines behind a statement.
    pub fn notes(&mut self) -> Parsed<Notes<'a>> {
        let mut notes = Notes::default();
        loop {
            let start = self.pos;
            self.spaces();
            if !self.eat("//") {
                self.pos = start;
                return Ok(notes);
            }
            self.spaces();
            if self.eat("mir::ConstOperand") {
                notes.constants.push(ConstantNote::default());
            } else if self.eat("+ span: ") {
                let text = self.line()?;
                let span = self.span(text);
                if let (Some(note), Some(span)) = (notes.constants.last_mut(), span) {
                    note.span = span;
                }
                continue;
            } else if self.eat("+ const_: Const { ty: ") {
                let line = self.line()?;
                if let Some(note) = notes.constants.last_mut()
                    && let Some(split) = memchr::memmem::find(line.as_bytes(), b", val: ")
                {
                    note.value = line[split + 7..].strip_suffix(" }").unwrap_or("");
                    note.ty = self.noted_type(&line[..split]);
                }
                continue;
            } else if self.eat("+ def_id: DefId(") {
                let line = self.line()?;
                // `0:57 ~ a[385e]::leaf::{closure#0}`
                notes.body = line
                    .split_once(" ~ ")
                    .and_then(|(_, path)| path.strip_suffix(')'))
                    .and_then(|path| path.split_once("::"))
                    .map(|(_, path)| path);
                continue;
            }
            self.line()?;
        }
    }

    /// A type that stands alone; what cannot be read is no reason to give up the body.
    fn noted_type(&mut self, text: &'a str) -> Option<Ty> {
        if let Some(ty) = self.shared.types.get(text) {
            return Some(ty.clone());
        }
        let mut inner = Parser::new(text, self.shared);
        inner.ty_until(text.len()).ok()
    }
}

/// Adds what is noted to a statement.
pub(super) fn statement(parser: &mut Parser<'_, '_>, kind: &mut StatementKind, notes: &Notes<'_>, def: &str) {
    let mut constants: Vec<&mut Constant> = Vec::new();
    match kind {
        StatementKind::Assign(_, value) => {
            if let Rvalue::Aggregate(aggregate, _) = value {
                match (&mut **aggregate, notes.body) {
                    (
                        AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. },
                        Some(path),
                    ) => {
                        *body = definition(path, def);
                    }
                    // Async closures have no note. A closure is nested in the body that builds it.
                    (AggregateKind::Closure { path, body, .. }, None) => {
                        let around = def.strip_suffix("::{synthetic#0}").unwrap_or(def);
                        *body = format!("{around}::{}", path.last()).into();
                    }
                    _ => {}
                }
            }
            in_rvalue(value, &mut constants);
        }
        StatementKind::CopyNonOverlapping { dst, src, count } => {
            for operand in [dst, src, count] {
                in_operand(operand, &mut constants);
            }
        }
        _ => {}
    }
    distribute(&parser.constants, constants, notes);
}

/// Adds what is noted to a terminator.
pub(super) fn terminator(parser: &mut Parser<'_, '_>, kind: &mut TerminatorKind, notes: &Notes<'_>) {
    let mut constants: Vec<&mut Constant> = Vec::new();
    let mut texts = &parser.constants[..];
    let mut rest = &notes.constants[..];
    match kind {
        TerminatorKind::Call(call) => {
            match &mut call.callee {
                Callee::Fn { ty, .. } => {
                    // The callee's own note comes first, and is always there.
                    if let [first, others @ ..] = rest
                        && first.ty.as_ref().is_some_and(|ty| matches!(**ty, TyKind::FnDef(..)))
                    {
                        ty.clone_from(&first.ty);
                        call.fn_span = first.span.clone();
                        rest = others;
                    }
                    texts = texts.get(1..).unwrap_or(&[]);
                }
                Callee::Value(operand) => in_operand(operand, &mut constants),
            }
            for operand in &mut call.args {
                in_operand(operand, &mut constants);
            }
        }
        TerminatorKind::SwitchInt { on, .. } => in_operand(on, &mut constants),
        TerminatorKind::Assert { cond, .. } => in_operand(cond, &mut constants),
        TerminatorKind::Yield { value, .. } => in_operand(value, &mut constants),
        _ => {}
    }
    distribute_notes(texts, constants, rest);
}

/// A bare path: a function when a note says so, a unit struct or variant otherwise.
pub(super) fn path_value(parser: &mut Parser<'_, '_>, mut operand: Operand, notes: &Notes<'_>) -> Rvalue {
    if notes.constants.is_empty()
        && let Operand::Const(constant) = &operand
        && let ConstKind::Fn(path) = &constant.kind
    {
        let kind = AggregateKind::Adt { path: path.clone(), fields: Vec::new() };
        return Rvalue::Aggregate(Box::new(kind), Vec::new());
    }
    let mut constants = Vec::new();
    in_operand(&mut operand, &mut constants);
    distribute(&parser.constants, constants, notes);
    Rvalue::Use(operand)
}

fn in_rvalue<'c>(value: &'c mut Rvalue, constants: &mut Vec<&'c mut Constant>) {
    value.operands_mut().into_iter().for_each(|operand| in_operand(operand, constants));
}

fn in_operand<'c>(operand: &'c mut Operand, constants: &mut Vec<&'c mut Constant>) {
    if let Operand::Const(constant) = operand {
        constants.push(constant);
    }
}

fn distribute(texts: &[&str], constants: Vec<&mut Constant>, notes: &Notes<'_>) {
    distribute_notes(texts, constants, &notes.constants);
}

/// Gives each constant its note. Numbers have none, and a named constant may be a number: so notes are matched in order by
/// what they repeat of the constant.
fn distribute_notes(texts: &[&str], constants: Vec<&mut Constant>, notes: &[ConstantNote<'_>]) {
    let mut notes = notes.iter().peekable();
    for (text, constant) in texts.iter().zip(constants) {
        let Some(note) = notes.peek() else { return };
        let matches = match note.value.strip_prefix("Value(").and_then(|value| value.strip_suffix(')')) {
            Some(value) => value == *text,
            // `Unevaluated(path, [args], None)`: names are printed another way here. Numbers have their kind already.
            None => matches!(constant.kind, ConstKind::Named(_) | ConstKind::Other(_)),
        };
        if !matches {
            continue;
        }
        constant.span = note.span.clone();
        if let Some(ty) = &note.ty {
            constant.ty = Some(ty.clone());
            if let (TyKind::FnDef(..), ConstKind::Named(path)) = (&**ty, &constant.kind) {
                constant.kind = ConstKind::Fn(path.clone());
            }
        }
        notes.next();
    }
}

/// The definition path of a nested body as headers have it. Notes write impls as `{impl#2}`, headers with their place;
/// both are nested in the same impls as the body around, whose path `def` is.
fn definition(path: &str, def: &str) -> Name {
    let around: Vec<&str> = def.split("::").collect();
    let parts: Vec<&str> = path
        .split("::")
        .enumerate()
        .map(|(index, part)| match around.get(index) {
            Some(place) if part.starts_with("{impl#") && place.starts_with("<impl") => place,
            // Notes leave out the mark of raw identifiers.
            Some(place) if place.strip_prefix("r#") == Some(part) => place,
            _ => part,
        })
        .collect();
    parts.join("::").into()
}
