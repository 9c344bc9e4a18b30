//! Statements and terminators.

use crate::mir::{Block, CallTarget, Callee, Local, Place, Span, StatementKind, TerminatorKind, Unwind};

use super::lexer::{Parsed, Parser};
use super::path::Mode;
use super::rvalue::Right;

/// A line of a basic block.
pub(super) enum Line {
    Statement(StatementKind),
    Terminator(TerminatorKind),
    /// An assignment of a bare path.
    Path(Place, crate::mir::Operand),
}

/// What follows ` -> ` in a terminator.
pub(super) struct Edges<'a> {
    labelled: Vec<(&'a str, Block)>,
    /// The only successor, without a label.
    only: Option<Block>,
    unwind: Option<Unwind>,
}

impl Edges<'_> {
    pub fn get(&self, label: &str) -> Option<Block> {
        self.labelled.iter().find(|(name, _)| *name == label).map(|(_, block)| *block)
    }

    /// Calls, drops and assertions always say how they unwind; a single block without a label is the one for cleaning up.
    pub fn unwind(&self) -> Unwind {
        match (self.unwind, self.get("unwind").or(self.only)) {
            (Some(unwind), _) => unwind,
            (None, Some(block)) => Unwind::Cleanup(block),
            (None, None) => Unwind::Continue,
        }
    }
}

/// Statements that do nothing to data.
const BOOKKEEPING: [&str; 10] = [
    "ConstEvalCounter",
    "nop",
    "FakeRead(",
    "AscribeUserType(",
    "Coverage::",
    "Retag(",
    "Retag",
    "assume(",
    "Deinit(",
    "BackwardIncompatibleDropHint(",
];

impl<'a> Parser<'a, '_> {
    pub fn block_ref(&mut self) -> Parsed<Block> {
        self.expect("bb")?;
        Ok(Block(self.small()?))
    }

    /// A statement or terminator, up to its semicolon, which is not eaten.
    pub fn statement(&mut self) -> Parsed<Line> {
        let statement = |kind| Ok(Line::Statement(kind));
        match self.peek() {
            b'S' if self.eat("StorageLive(") => {
                return statement(StatementKind::StorageLive(self.closed_local()?));
            }
            b'S' if self.eat("StorageDead(") => {
                return statement(StatementKind::StorageDead(self.closed_local()?));
            }
            b'_' | b'(' => return self.assignment(),
            b'P' if self.eat("PlaceMention(") => {
                let place = self.place()?;
                self.expect(")")?;
                return statement(StatementKind::PlaceMention(place));
            }
            b'd' if self.eat("discriminant(") => {
                let place = self.place()?;
                self.expect(") = ")?;
                return statement(StatementKind::SetDiscriminant(place, self.small()?));
            }
            b'c' if self.eat("copy_nonoverlapping(") => {
                self.eat("dst = ");
                let dst = self.operand()?;
                self.expect(", ")?;
                self.eat("src = ");
                let src = self.operand()?;
                self.expect(", ")?;
                self.eat("count = ");
                let count = self.operand()?;
                self.expect(")")?;
                return statement(StatementKind::CopyNonOverlapping { dst, src, count });
            }
            _ => {}
        }
        if let Some(end) = self.terminator()? {
            return Ok(Line::Terminator(end));
        }
        if BOOKKEEPING.iter().any(|word| self.at(word)) {
            self.skip_to(b";")?;
            return statement(StatementKind::Nop);
        }
        self.assignment()
    }

    fn closed_local(&mut self) -> Parsed<Local> {
        let local = self.local()?;
        self.expect(")")?;
        Ok(local)
    }

    fn assignment(&mut self) -> Parsed<Line> {
        let place = match self.place() {
            Ok(place) => place,
            Err(_) => return self.fail("a statement"),
        };
        self.expect(" = ")?;
        Ok(match self.right(&place)? {
            Right::Value(value) => Line::Statement(StatementKind::Assign(place, value)),
            Right::End(end) => Line::Terminator(end),
            Right::Path(operand) => Line::Path(place, operand),
        })
    }

    /// A terminator that does not start with a place.
    fn terminator(&mut self) -> Parsed<Option<TerminatorKind>> {
        Ok(Some(match self.peek() {
            b'g' if self.eat("goto -> ") => TerminatorKind::Goto(self.block_ref()?),
            b's' if self.eat("switchInt(") => self.switch()?,
            b'd' if self.eat("drop(") => {
                let place = self.place()?;
                self.expect(")")?;
                let edges = self.edges()?;
                TerminatorKind::Drop { place, target: edges.get("return"), unwind: edges.unwind() }
            }
            b'a' if self.eat("assert(") => self.assertion()?,
            b'a' if self.eat("asm!") => {
                self.group()?;
                let edges = self.edges()?;
                let targets =
                    edges.labelled.iter().filter(|(label, _)| *label != "unwind").map(|(_, block)| *block);
                TerminatorKind::InlineAsm {
                    targets: targets.collect(),
                    unwind: edges.unwind.unwrap_or(Unwind::Unreachable),
                }
            }
            b'r' if self.whole("return") => TerminatorKind::Return,
            b'r' if self.whole("resume") => TerminatorKind::Resume,
            b'u' if self.whole("unwind resume") => TerminatorKind::Resume,
            b'u' if self.whole("unreachable") => TerminatorKind::Unreachable,
            b'c' if self.whole("coroutine_drop") => TerminatorKind::CoroutineDrop,
            b't' if self.eat("terminate(") => {
                self.word();
                self.expect(")")?;
                TerminatorKind::Terminate
            }
            b't' if self.eat("tailcall ") || self.eat("become ") => self.tail_call()?,
            b'f' if self.eat("falseEdge") || self.eat("falseUnwind") => {
                let edges = self.edges()?;
                match edges.get("real") {
                    Some(block) => TerminatorKind::FalseEdge(block),
                    None => return self.fail("a real edge"),
                }
            }
            _ => return Ok(None),
        }))
    }

    /// The word and nothing else in the statement.
    fn whole(&mut self, word: &str) -> bool {
        if self.at(word) && self.byte(word.len()) == b';' {
            self.pos += word.len();
            return true;
        }
        false
    }

    fn switch(&mut self) -> Parsed<TerminatorKind> {
        let on = self.operand()?;
        self.expect(") -> ")?;
        let mut targets = Vec::new();
        let mut otherwise = None;
        if self.at("bb") {
            return Ok(TerminatorKind::SwitchInt { on, targets, otherwise: Some(self.block_ref()?) });
        }
        self.expect("[")?;
        while !self.eat("]") {
            if self.eat("otherwise: ") {
                otherwise = Some(self.block_ref()?);
            } else {
                let start = self.pos;
                while self.peek().is_ascii_digit() {
                    self.pos += 1;
                }
                let Ok(value) = self.slice(start, self.pos)?.parse() else {
                    return self.fail("a value");
                };
                self.expect(": ")?;
                targets.push((value, self.block_ref()?));
            }
            self.eat(", ");
        }
        Ok(TerminatorKind::SwitchInt { on, targets, otherwise })
    }

    fn assertion(&mut self) -> Parsed<TerminatorKind> {
        let expected = !self.eat("!");
        let cond = self.operand()?;
        self.expect(", ")?;
        let start = self.pos + 1;
        if self.peek() != b'"' {
            return self.fail("a message");
        }
        self.skip_string()?;
        let message = self.slice(start, self.pos - 1)?;
        let message = self.name(message);
        if self.eat(", ") {
            self.operands(")")?;
        } else {
            self.expect(")")?;
        }
        let edges = self.edges()?;
        match edges.get("success") {
            Some(target) => {
                Ok(TerminatorKind::Assert { cond, expected, message, target, unwind: edges.unwind() })
            }
            None => self.fail("success: a block"),
        }
    }

    /// `yield(op) -> [resume: bb1, drop: bb2]`; the cursor is on the parenthesis.
    pub fn suspend(&mut self, resume_arg: &Place) -> Parsed<TerminatorKind> {
        self.expect("(")?;
        let value = self.operand()?;
        self.expect(")")?;
        let edges = self.edges()?;
        match edges.get("resume").or(edges.only) {
            Some(resume) => Ok(TerminatorKind::Yield {
                value,
                resume_arg: resume_arg.clone(),
                resume,
                drop: edges.get("drop"),
            }),
            None => self.fail("resume: a block"),
        }
    }

    fn tail_call(&mut self) -> Parsed<TerminatorKind> {
        let callee = if self.at("copy ") || self.at("move ") || self.at("const ") {
            Callee::Value(self.operand()?)
        } else {
            let start = self.pos;
            let path = self.path(Mode::Expr)?;
            let text = self.slice(start, self.pos)?;
            self.constants.push(text);
            Callee::Fn { path, ty: None }
        };
        self.expect("(")?;
        let args = self.operands(")")?;
        Ok(TerminatorKind::Call(Box::new(CallTarget {
            callee,
            args,
            dest: Local::RETURN.into(),
            target: None,
            unwind: Unwind::Continue,
            fn_span: Span::default(),
            tail: true,
        })))
    }

    /// ` -> bb1`, ` -> [return: bb1, unwind continue]`, or nothing.
    pub fn edges(&mut self) -> Parsed<Edges<'a>> {
        let mut edges = Edges { labelled: Vec::new(), only: None, unwind: None };
        if !self.eat(" -> ") {
            return Ok(edges);
        }
        if self.at("bb") {
            edges.only = Some(self.block_ref()?);
            return Ok(edges);
        }
        if !self.eat("[") {
            edges.unwind = Some(self.unwind_action()?);
            return Ok(edges);
        }
        while !self.eat("]") {
            if self.at("unwind ") {
                edges.unwind = Some(self.unwind_action()?);
            } else {
                let label = self.word();
                self.expect(": ")?;
                edges.labelled.push((label, self.block_ref()?));
            }
            if !self.eat(", ") && !self.at("]") {
                return self.fail("`]`");
            }
        }
        Ok(edges)
    }

    fn unwind_action(&mut self) -> Parsed<Unwind> {
        self.expect("unwind ")?;
        if self.eat("continue") {
            return Ok(Unwind::Continue);
        }
        if self.eat("unreachable") {
            return Ok(Unwind::Unreachable);
        }
        self.expect("terminate(")?;
        self.word();
        self.expect(")")?;
        Ok(Unwind::Terminate)
    }
}
