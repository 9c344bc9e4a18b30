//! Places, operands and constants.

use crate::mir::{AllocKind, ConstKind, Constant, Local, Operand, Place, Prim, Projection, Span, Ty, TyKind};

use super::lexer::{Parsed, Parser};
use super::path::Mode;

impl<'a> Parser<'a, '_> {
    pub fn local(&mut self) -> Parsed<Local> {
        self.expect("_")?;
        Ok(Local(self.small()?))
    }

    /// A place: `_1`, `(*_1)`, `((_9 as Some).0: T)`, `_1[_2]`.
    pub fn place(&mut self) -> Parsed<Place> {
        let mut place = match self.peek() {
            b'_' => Place::from(self.local()?),
            b'(' => {
                self.pos += 1;
                let place = self.nested(Self::place_in_parens)?;
                self.expect(")")?;
                place
            }
            _ if self.eat("unwrap_binder!(") => {
                let mut place = self.nested(Self::place)?;
                self.expect("; ")?;
                place.projection.push(Projection::Cast(self.ty()?));
                self.expect(")")?;
                place
            }
            _ => return self.fail("a place"),
        };
        while self.peek() == b'[' {
            let step = self.index()?;
            place.projection.push(step);
        }
        Ok(place)
    }

    fn place_in_parens(&mut self) -> Parsed<Place> {
        if self.eat("*") {
            let mut place = self.place()?;
            place.projection.push(Projection::Deref);
            return Ok(place);
        }
        let mut place = self.place()?;
        if self.eat(".") {
            let field = self.small()?;
            self.expect(": ")?;
            let ty = self.field_ty()?;
            place.projection.push(Projection::Field(field, ty));
        } else if self.eat(" as ") {
            let start = self.pos;
            self.eat("subtype ");
            let word_start = self.pos;
            self.word();
            if self.eat("#") {
                self.number()?;
            }
            // One word is a variant; a type is seen when there is more to it.
            if self.peek() == b')' && self.pos > word_start && word_start == start {
                let variant = self.slice(start, self.pos)?;
                place.projection.push(Projection::Downcast(self.name(variant)));
            } else {
                self.pos = word_start;
                let ty = self.field_ty()?;
                place.projection.push(Projection::Cast(ty));
            }
        } else {
            return self.fail("`.` or ` as `");
        }
        Ok(place)
    }

    fn index(&mut self) -> Parsed<Projection> {
        self.expect("[")?;
        if self.peek() == b'_' {
            let local = self.local()?;
            self.expect("]")?;
            return Ok(Projection::Index(local));
        }
        let back = self.eat("-");
        let first = if self.at(":") { 0 } else { self.number()? };
        let step = if self.eat(" of ") {
            Projection::ConstantIndex { offset: first, min_length: self.number()?, from_end: back }
        } else {
            // What counts from the end has a colon: `[1:-2]`, `[1:]`, `[:-2]`.
            let from_end = self.eat(":");
            if from_end {
                self.eat("-");
            } else {
                self.expect("..")?;
            }
            let to = if self.peek() == b']' { 0 } else { self.number()? };
            Projection::Subslice { from: first, to, from_end }
        };
        self.expect("]")?;
        Ok(step)
    }

    /// An operand. Without `copy`, `move` or `const` it is a function.
    pub fn operand(&mut self) -> Parsed<Operand> {
        self.eat("no_retag ");
        if self.eat("copy ") {
            return Ok(Operand::Copy(self.place()?));
        }
        if self.eat("move ") {
            return Ok(Operand::Move(self.place()?));
        }
        let named = self.eat("const ");
        let start = self.pos;
        self.constant_end()?;
        let text = self.slice(start, self.pos)?;
        if text.is_empty() {
            return self.fail("an operand");
        }
        self.constants.push(text);
        let mut constant = self.constant(text);
        if !named {
            constant.kind = match constant.kind {
                // Checks that are a constant of the session.
                ConstKind::Named(path)
                    if matches!(text, "UbChecks" | "ContractChecks" | "OverflowChecks") =>
                {
                    ConstKind::Other(path.last().into())
                }
                ConstKind::Named(path) => ConstKind::Fn(path),
                other => other,
            };
        }
        Ok(Operand::Const(Box::new(constant)))
    }

    /// Operands up to `close`, which is eaten.
    pub fn operands(&mut self, close: &'static str) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.eat(close) {
            operands.push(self.operand()?);
            if !self.eat(", ") && !self.eat(",") && !self.at(close) {
                return self.fail("`,` or a closing bracket");
            }
        }
        Ok(operands)
    }

    /// Moves behind a constant: to `,`, `;`, a closing bracket, ` as ` or ` -> `.
    fn constant_end(&mut self) -> Parsed<()> {
        loop {
            self.skip_to(b",; ")?;
            let ends = [" as ", " }", " -> [", " -> bb", " -> unwind"];
            if self.peek() != b' ' || ends.iter().any(|end| self.at(end)) {
                return Ok(());
            }
            self.pos += 1;
        }
    }

    /// A constant of which the text is known.
    pub fn constant(&mut self, text: &'a str) -> Constant {
        let (kind, ty) = self.constant_kind(text).unwrap_or_else(|| (ConstKind::Other(text.into()), None));
        Constant { kind, ty, span: Span::default() }
    }

    fn constant_kind(&mut self, text: &'a str) -> Option<(ConstKind, Option<Ty>)> {
        let prim = |prim: Prim| Some(Ty::from(TyKind::Prim(prim)));
        match text.as_bytes().first()? {
            b'"' => {
                let inner = text.get(1..text.len() - 1)?;
                let ty = TyKind::Ref { mutable: false, to: TyKind::Prim(Prim::Str).into() };
                Some((ConstKind::Str(unescape(inner)?.into()), Some(ty.into())))
            }
            b'\'' => {
                let value = unescape(text.get(1..text.len() - 1)?)?.chars().next()?;
                Some((ConstKind::Char(value), prim(Prim::Char)))
            }
            b'(' if text == "()" => Some((ConstKind::Unit, Some(TyKind::Tuple(Vec::new()).into()))),
            b'{' => self.pointer(text),
            b'-' | b'0'..=b'9' => {
                let split = text.find('_')?;
                let ty = Prim::from_name(text.get(split + 1..)?)?;
                Some((ConstKind::Int(text.get(..split)?.parse().ok()?), prim(ty)))
            }
            b't' if text == "true" => Some((ConstKind::Bool(true), prim(Prim::Bool))),
            b'f' if text == "false" => Some((ConstKind::Bool(false), prim(Prim::Bool))),
            _ => {
                if let Some((ty, bound)) = text.split_once("::")
                    && let Some(ty) = Prim::from_name(ty)
                    && let Some(value) = extreme(ty, bound)
                {
                    return Some((ConstKind::Int(value), prim(ty)));
                }
                let mut inner = Parser::new(text, self.shared);
                let path = inner.path(Mode::Expr).ok()?;
                (inner.pos == text.len()).then_some((ConstKind::Named(path), None))
            }
        }
    }

    /// `{alloc4: &T}`, `{alloc4+0x8: &T}`
    fn pointer(&mut self, text: &'a str) -> Option<(ConstKind, Option<Ty>)> {
        let inner = text.strip_prefix("{alloc")?.strip_suffix('}')?;
        let digits = inner.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(inner.len());
        let id: u32 = inner.get(..digits)?.parse().ok()?;
        let what = self.shared.allocs.get(&id).cloned().unwrap_or(AllocKind::Memory);
        let ty = inner.split_once(": ").and_then(|(_, ty)| {
            let mut inner = Parser::new(ty, self.shared);
            inner.ty_until(ty.len()).ok()
        });
        Some((ConstKind::Alloc { id, what }, ty))
    }
}

/// `i32::MIN` and the like, which rustc prints by name.
fn extreme(ty: Prim, bound: &str) -> Option<i128> {
    let (bits, signed) = ty.integer()?;
    match (bound, signed) {
        ("MAX", true) => Some(i128::MAX >> (128 - bits)),
        ("MIN", true) => Some(i128::MIN >> (128 - bits)),
        ("MAX", false) => i128::try_from(u128::MAX >> (128 - bits)).ok(),
        _ => None,
    }
}

/// Undoes Rust's escapes.
fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        plain.push(match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'x' => char::from_u32(u32::from_str_radix(chars.as_str().get(..2)?, 16).ok()?).inspect(|_| {
                chars.nth(1);
            })?,
            'u' => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(plain)
}
