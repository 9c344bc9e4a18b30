//! What stands to the right of `=`.

use crate::mir::{
    AggregateKind, BorrowKind, CallTarget, Callee, Name, Operand, Place, Rvalue, Span, TerminatorKind,
};

use super::lexer::{Parsed, Parser};
use super::path::Mode;

/// An assignment's right side: a value, or a call (or another terminator) that writes its result there.
pub(super) enum Right {
    Value(Rvalue),
    End(TerminatorKind),
    /// A bare path: a unit struct or variant, or a function. What is noted about constants behind the statement tells.
    Path(Operand),
}

const BINARY: [&str; 21] = [
    "Add",
    "AddUnchecked",
    "AddWithOverflow",
    "Sub",
    "SubUnchecked",
    "SubWithOverflow",
    "Mul",
    "MulUnchecked",
    "MulWithOverflow",
    "Div",
    "Rem",
    "BitXor",
    "BitAnd",
    "BitOr",
    "Shl",
    "ShlUnchecked",
    "Shr",
    "ShrUnchecked",
    "Eq",
    "Lt",
    "Le",
];
const COMPARE: [&str; 5] = ["Ne", "Ge", "Gt", "Cmp", "Offset"];
const UNARY: [&str; 3] = ["Not", "Neg", "PtrMetadata"];
const NULLARY: [&str; 7] =
    ["SizeOf(", "AlignOf(", "OffsetOf(", "offset_of!(", "UbChecks()", "ContractChecks()", "OverflowChecks()"];

impl<'a> Parser<'a, '_> {
    /// The right side of an assignment to `dest`, up to the semicolon.
    pub fn right(&mut self, dest: &Place) -> Parsed<Right> {
        let value = match self.peek() {
            b'&' => self.reference()?,
            b'*' => self.raw_pointer_aggregate()?,
            b'(' => {
                self.pos += 1;
                Rvalue::Aggregate(Box::new(AggregateKind::Tuple), self.operands(")")?)
            }
            b'[' => self.array()?,
            b'{' => self.capturing()?,
            _ if self.at("copy ") || self.at("move ") || self.at("const ") || self.at("no_retag ") => {
                let operand = self.operand()?;
                if self.eat("(") {
                    let args = self.operands(")")?;
                    return self.call_end(Callee::Value(operand), args, dest).map(Right::End);
                }
                return self.cast_or(operand).map(Right::Value);
            }
            _ if self.eat("discriminant(") => self.of_place(Rvalue::Discriminant)?,
            _ if self.eat("Len(") => self.of_place(Rvalue::Len)?,
            _ if self.eat("deref_copy ") => Rvalue::CopyForDeref(self.place()?),
            _ if self.eat("wrap_binder!(") => self.wrap("; ")?,
            _ if self.eat("ShallowInitBox(") => self.wrap(", ")?,
            _ if NULLARY.iter().any(|word| self.at(word)) => {
                let start = self.pos;
                self.skip_to(b";")?;
                Rvalue::Nullary(self.slice(start, self.pos)?.into())
            }
            _ => return self.named(dest),
        };
        Ok(Right::Value(value))
    }

    fn of_place(&mut self, make: impl FnOnce(Place) -> Rvalue) -> Parsed<Rvalue> {
        let place = self.place()?;
        self.expect(")")?;
        Ok(make(place))
    }

    fn wrap(&mut self, separator: &'static str) -> Parsed<Rvalue> {
        let operand = self.operand()?;
        self.expect(separator)?;
        let ty = self.ty()?;
        self.expect(")")?;
        Ok(Rvalue::Wrap(operand, ty))
    }

    /// `op`, or `op as ty (kind)`.
    fn cast_or(&mut self, operand: Operand) -> Parsed<Rvalue> {
        if !self.eat(" as ") {
            return Ok(Rvalue::Use(operand));
        }
        let ty = self.ty()?;
        self.expect(" ")?;
        let kind = self.group()?;
        Ok(Rvalue::Cast(self.name(kind), operand, ty))
    }

    fn reference(&mut self) -> Parsed<Rvalue> {
        self.expect("&")?;
        if self.eat("/*tls*/ ") {
            self.eat("mut ");
            let start = self.pos;
            self.skip_to(b";")?;
            let name = self.slice(start, self.pos)?;
            return Ok(Rvalue::ThreadLocalRef(self.name(name)));
        }
        if self.eat("raw ") {
            let mutable = self.eat("mut ");
            if !mutable {
                self.expect("const ")?;
            }
            self.eat("(fake) ");
            return Ok(Rvalue::RawPtr { mutable, place: self.place()? });
        }
        if self.peek() == b'\'' {
            // A region, as verbose output has it.
            while !matches!(self.peek(), b' ' | 0 | b'\n') {
                self.pos += 1;
            }
            self.spaces();
        }
        let kind = if self.eat("mut ") || self.eat("two_phase mut ") {
            BorrowKind::Mut
        } else if self.eat("fake ") {
            if !self.eat("shallow ") {
                self.eat("deep ");
            }
            BorrowKind::Fake
        } else {
            BorrowKind::Shared
        };
        Ok(Rvalue::Ref(kind, self.place()?))
    }

    /// `*const T from (address, metadata)`
    fn raw_pointer_aggregate(&mut self) -> Parsed<Rvalue> {
        self.expect("*")?;
        let mutable = self.eat("mut ");
        if !mutable {
            self.expect("const ")?;
        }
        let to = self.ty()?;
        self.expect(" from (")?;
        let parts = self.operands(")")?;
        Ok(Rvalue::Aggregate(Box::new(AggregateKind::RawPtr { mutable, to }), parts))
    }

    fn array(&mut self) -> Parsed<Rvalue> {
        self.expect("[")?;
        if self.eat("]") {
            return Ok(Rvalue::Aggregate(Box::new(AggregateKind::Array), Vec::new()));
        }
        let first = self.operand()?;
        if self.eat("; ") {
            let start = self.pos;
            self.skip_to(b"]")?;
            let len = self.slice(start, self.pos)?;
            self.expect("]")?;
            return Ok(Rvalue::Repeat(first, self.name(len)));
        }
        self.eat(", ");
        let mut parts = vec![first];
        parts.extend(self.operands("]")?);
        Ok(Rvalue::Aggregate(Box::new(AggregateKind::Array), parts))
    }

    /// A closure or coroutine with its captures. Its body is filled in later, from what is noted behind the statement.
    fn capturing(&mut self) -> Parsed<Rvalue> {
        let end = self.brace_end()?;
        let text = self.slice(self.pos, end - 1)?;
        let kind = if let Some(place) = text.strip_prefix("{coroutine@") {
            // `(#0)` is the hygiene of the span.
            let place = place.rsplit_once(" (#").map_or(place, |(place, _)| place);
            let span = self.span(place).unwrap_or_default();
            AggregateKind::Coroutine { span, body: Name::default(), captures: Vec::new() }
        } else {
            let word = ["{closure@", "{coroutine-closure@", "{async closure@"]
                .into_iter()
                .find(|word| self.eat(word));
            if word.is_none() {
                return self.fail("a closure");
            }
            let path = self.attempt(|parser| parser.path(Mode::Expr)).unwrap_or_default();
            AggregateKind::Closure { path, body: Name::default(), captures: Vec::new() }
        };
        self.pos = end;
        let (names, parts) = self.fields()?;
        let kind = match kind {
            AggregateKind::Coroutine { span, body, .. } => {
                AggregateKind::Coroutine { span, body, captures: names }
            }
            AggregateKind::Closure { path, body, .. } => {
                AggregateKind::Closure { path, body, captures: names }
            }
            other => other,
        };
        Ok(Rvalue::Aggregate(Box::new(kind), parts))
    }

    /// ` { a: op, b: op }`, `(op, op)` or nothing.
    fn fields(&mut self) -> Parsed<(Vec<Name>, Vec<Operand>)> {
        if self.eat("(") {
            return Ok((Vec::new(), self.operands(")")?));
        }
        let (mut names, mut parts) = (Vec::new(), Vec::new());
        if !self.eat(" { ") {
            return Ok((names, parts));
        }
        while !self.eat("}") {
            let word = self.word();
            names.push(self.name(word));
            self.expect(": ")?;
            parts.push(self.operand()?);
            if !self.eat(", ") {
                self.expect(" ")?;
            }
        }
        Ok((names, parts))
    }

    /// An operator, a call, or something built: all start with a name.
    fn named(&mut self, dest: &Place) -> Parsed<Right> {
        let start = self.pos;
        let word = self.word();
        if self.peek() == b'(' {
            let binary = BINARY.contains(&word) || COMPARE.contains(&word);
            if (binary || UNARY.contains(&word))
                && let Some(value) = self.attempt(|parser| parser.operator(word, binary))
            {
                return Ok(Right::Value(value));
            }
            if word == "yield" {
                return self.suspend(dest).map(Right::End);
            }
        }
        self.pos = start;
        let path = self.path(Mode::Expr)?;
        let text = self.slice(start, self.pos)?;
        match self.peek() {
            b'(' => {
                self.constants.push(text);
                self.pos += 1;
                let before = self.constants.len() - 1;
                let args = self.operands(")")?;
                if self.at(" -> ") {
                    return Ok(Right::End(self.call_end(Callee::Fn { path, ty: None }, args, dest)?));
                }
                self.constants.remove(before);
                let kind = AggregateKind::Adt { path, fields: Vec::new() };
                Ok(Right::Value(Rvalue::Aggregate(Box::new(kind), args)))
            }
            b' ' if self.at(" { ") => {
                let (fields, parts) = self.fields()?;
                let kind = AggregateKind::Adt { path, fields };
                Ok(Right::Value(Rvalue::Aggregate(Box::new(kind), parts)))
            }
            _ => {
                self.pos = start;
                let operand = self.operand()?;
                if self.at(" as ") {
                    return self.cast_or(operand).map(Right::Value);
                }
                Ok(Right::Path(operand))
            }
        }
    }

    fn operator(&mut self, word: &'a str, binary: bool) -> Parsed<Rvalue> {
        self.expect("(")?;
        let first = self.operand()?;
        if !binary {
            self.expect(")")?;
            return self.operator_end(Rvalue::Unary(self.shared_name(word), first));
        }
        self.expect(", ")?;
        let second = self.operand()?;
        self.expect(")")?;
        self.operator_end(Rvalue::Binary(self.shared_name(word), Box::new((first, second))))
    }

    /// A function may have an operator's name; its call goes on after the parenthesis.
    fn operator_end(&self, value: Rvalue) -> Parsed<Rvalue> {
        if self.peek() == b';' { Ok(value) } else { self.fail("`;`") }
    }

    fn shared_name(&self, word: &'a str) -> Name {
        self.shared.names.get(word).cloned().unwrap_or_else(|| word.into())
    }

    /// Where a call goes on.
    fn call_end(&mut self, callee: Callee, args: Vec<Operand>, dest: &Place) -> Parsed<TerminatorKind> {
        if !self.at(" -> ") {
            return self.fail("` -> `");
        }
        let edges = self.edges()?;
        Ok(TerminatorKind::Call(Box::new(CallTarget {
            callee,
            args,
            dest: dest.clone(),
            target: edges.get("return"),
            unwind: edges.unwind(),
            fn_span: Span::default(),
            tail: false,
        })))
    }
}
