//! Paths and generic arguments.

use crate::mir::{GenericArg, Name, Path, QSelf, Segment, TyKind};

use super::lexer::{Parsed, Parser, is_word};

/// Where a path stands. `Vec<T>` is a path in a type, `a::<T>(b)` is a call in an expression and `Fn(T)` a bound in a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Type,
    Expr,
}

impl<'a> Parser<'a, '_> {
    /// A path.
    pub fn path(&mut self, mode: Mode) -> Parsed<Path> {
        let mut path = Path::default();
        if self.peek() == b'<' && !self.at_impl() {
            path.qself = Some(Box::new(self.qself()?));
            self.expect("::")?;
        } else {
            // As the user wrote it, where rustc prints it so: `impl FnOnce() -> ::core::result::Result<T, E>`.
            self.eat("::");
        }
        loop {
            if let Some(owner) = self.impl_elsewhere(&path)? {
                path = owner;
                self.expect("::")?;
                continue;
            }
            let segment = self.segment(mode)?;
            // Impls stand in modules, so behind a type's name `<impl ...>` is an argument.
            let in_module = !segment.name.starts_with(char::is_uppercase);
            path.segments.push(segment);
            if !self.at("::") || self.byte(2) == b'<' && !(in_module && self.at_impl_segment(2)) {
                return Ok(path);
            }
            self.pos += 2;
        }
    }

    /// What `<impl T>` or `<impl Tr for T>` behind a module's path is the owner of. rustc says so of impls that are neither beside the
    /// type nor beside the trait; where they are makes no difference to what their items are: `T::item`, `<T as Tr>::item`. Those of
    /// std's own types have no other name.
    fn impl_elsewhere(&mut self, before: &Path) -> Parsed<Option<Path>> {
        let first = before.segments.first().map_or("", |segment| &segment.name);
        if !self.at("<impl ") || self.at("<impl at ") || matches!(first, "core" | "std" | "alloc") {
            return Ok(None);
        }
        let start = self.pos;
        let whole = self.owner();
        if whole.is_err() || !self.at("::") {
            self.pos = start;
            return Ok(None);
        }
        whole.map(Some)
    }

    fn owner(&mut self) -> Parsed<Path> {
        self.expect("<impl ")?;
        let start = self.pos;
        let tr = self.nested(|parser| {
            let tr = parser.path(Mode::Type)?;
            parser.expect(" for ")?;
            Ok(tr)
        });
        if tr.is_err() {
            self.pos = start;
        }
        let (ty, tr) = (self.ty()?, tr.ok());
        self.expect(">")?;
        match (&*ty, tr) {
            (TyKind::Path(path), None) => Ok(path.clone()),
            (_, tr) => Ok(Path { qself: Some(Box::new(QSelf { ty, tr })), segments: Vec::new() }),
        }
    }

    fn qself(&mut self) -> Parsed<QSelf> {
        self.expect("<")?;
        let ty = self.ty()?;
        let tr = if self.eat(" as ") {
            self.binder()?;
            Some(self.nested(|parser| parser.path(Mode::Type))?)
        } else {
            None
        };
        self.expect(">")?;
        Ok(QSelf { ty, tr })
    }

    /// `<impl at ...>` or `<impl X>` at the start of a path, not `<impl X as Tr>`.
    fn at_impl(&self) -> bool {
        self.at_impl_segment(0)
    }

    /// True for an impl as a path's segment, `core::str::<impl str>::len`, false for the argument `f::<impl Into<T>>`: only
    /// the former goes on with an item's name.
    fn at_impl_segment(&self, ahead: usize) -> bool {
        let rest = self.rest().get(ahead..).unwrap_or(&[]);
        if rest.starts_with(b"<impl at ") {
            return true;
        }
        if !rest.starts_with(b"<impl ") {
            return false;
        }
        let mut depth = 0u32;
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b' ' if depth == 1 && rest[index..].starts_with(b" as ") => return false,
                b'<' => depth += 1,
                b'>' if rest[index - 1] == b'-' => {}
                b'>' if depth <= 1 => {
                    let next = rest.get(index + 3).copied().unwrap_or(0);
                    let item = rest[index + 1..].starts_with(b"::") && (is_word(next) || next == b'<');
                    return item && !rest[index + 3..].starts_with(b"promoted[");
                }
                b'>' => depth -= 1,
                b'\n' => return false,
                _ => {}
            }
        }
        false
    }

    fn segment(&mut self, mode: Mode) -> Parsed<Segment> {
        let start = self.pos;
        match self.peek() {
            b'<' => {
                if self.at("<impl at ") {
                    // The file's name may hold anything: the end is the `>` after a column.
                    loop {
                        match memchr::memchr2(b'>', b'\n', self.rest()) {
                            Some(offset) if self.byte(offset) == b'>' => self.pos += offset + 1,
                            _ => return self.fail("`>`"),
                        }
                        if self.text.as_bytes()[self.pos - 2].is_ascii_digit() {
                            break;
                        }
                    }
                } else if self.at("<impl ") {
                    self.group()?;
                } else {
                    return self.fail("a path");
                }
                let text = self.slice(start, self.pos)?;
                let name = match has_lifetimes(text) {
                    true => Name::from(without_lifetimes(text)),
                    false => self.name(text),
                };
                return Ok(Segment { name, args: Vec::new() });
            }
            b'{' => self.pos = self.brace_end()?,
            _ => {
                let word = self.word();
                if word.is_empty() {
                    return self.fail("a path");
                }
                if word == "promoted" && self.peek() == b'[' {
                    self.group()?;
                }
            }
        }
        // rustc says `r#type` in bodies, and `type` where it lists their names.
        let text = self.slice(start, self.pos)?;
        let name = self.name(text.strip_prefix("r#").unwrap_or(text));
        let mut args = Vec::new();
        if self.at("::<") && (name.starts_with(char::is_uppercase) || !self.at_impl_segment(2)) {
            self.pos += 2;
            args = self.nested(Self::generic_args)?;
        } else if mode == Mode::Type && self.peek() == b'<' {
            args = self.nested(Self::generic_args)?;
        } else if mode == Mode::Type && self.peek() == b'(' {
            args = self.nested(Self::fn_sugar)?;
        }
        Ok(Segment { name, args })
    }

    fn generic_args(&mut self) -> Parsed<Vec<GenericArg>> {
        self.expect("<")?;
        let mut args = Vec::new();
        while !self.eat(">") {
            args.extend(self.generic_arg()?);
            if !self.eat(", ") && !self.at(">") {
                return self.fail("`,` or `>`");
            }
        }
        Ok(args)
    }

    fn generic_arg(&mut self) -> Parsed<Option<GenericArg>> {
        let start = self.pos;
        let constant = match self.peek() {
            // A character or a lifetime.
            b'\'' => {
                self.skip_quote();
                let is_char = self.text.as_bytes()[self.pos - 1] == b'\'' && self.pos > start + 1;
                if !is_char {
                    self.pos = start;
                    self.lifetime();
                    return Ok(None);
                }
                true
            }
            b'-' | b'"' => true,
            byte if byte.is_ascii_digit() => true,
            b'{' => !self.at_type_brace(),
            _ => matches!(self.peek_word(), "true" | "false"),
        };
        if constant {
            self.skip_to(b",>")?;
            let text = self.slice(start, self.pos)?;
            return Ok(Some(GenericArg::Const(self.name(text))));
        }
        let ty = self.ty()?;
        if self.eat(" = ") {
            let name = match ty.as_path() {
                Some(path) => Name::from(path.last()),
                None => return self.fail("`,` or `>`"),
            };
            return Ok(match self.generic_arg()? {
                Some(GenericArg::Ty(ty)) => Some(GenericArg::Assoc(name, ty)),
                Some(GenericArg::Const(text)) => Some(GenericArg::Assoc(name, TyKind::Other(text).into())),
                _ => None,
            });
        }
        if self.at(": ") {
            // A bound on an associated type, `Iterator<Item: Send>`: says nothing about the type itself.
            self.skip_to(b",>")?;
            return Ok(None);
        }
        if !matches!(self.peek(), b',' | b'>') {
            // A constant expression.
            self.skip_to(b",>")?;
            let text = self.slice(start, self.pos)?;
            return Ok(Some(GenericArg::Const(self.name(text))));
        }
        Ok(Some(GenericArg::Ty(ty)))
    }

    fn at_type_brace(&self) -> bool {
        ["{closure@", "{async ", "{coroutine", "{gen ", "{static ", "{type error"]
            .iter()
            .any(|word| self.at(word))
    }

    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        self.text.get(self.pos..self.pos + end).unwrap_or("")
    }

    /// `(A, B) -> C` after `Fn`.
    fn fn_sugar(&mut self) -> Parsed<Vec<GenericArg>> {
        self.expect("(")?;
        let mut inputs = Vec::new();
        while !self.eat(")") {
            inputs.push(self.ty()?);
            if !self.eat(", ") && !self.at(")") {
                return self.fail("`,` or `)`");
            }
        }
        let output = if self.eat(" -> ") { self.ty()? } else { TyKind::Tuple(Vec::new()).into() };
        Ok(vec![GenericArg::Ty(TyKind::Tuple(inputs).into()), GenericArg::Assoc("Output".into(), output)])
    }
}

/// Whether an impl's head has lifetimes: its declaration names them, who calls its functions does not.
fn has_lifetimes(head: &str) -> bool {
    head.starts_with("<impl ") && !head.starts_with("<impl at ") && head.contains('\'')
}

/// An impl's head without lifetimes: `<impl Guard<'a, &'a T>>` is `<impl Guard<&T>>`.
fn without_lifetimes(head: &str) -> String {
    let mut out = String::with_capacity(head.len());
    let mut rest = head;
    while let Some((before, after)) = rest.split_once('\'') {
        out.push_str(before);
        let behind = after.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric());
        rest = match behind.strip_prefix(", ") {
            Some(more) => more,
            None => behind.strip_prefix(' ').filter(|_| out.ends_with('&')).unwrap_or(behind),
        };
        // Nothing but lifetimes: no arguments at all.
        if rest.starts_with('>') && out.ends_with('<') {
            out.pop();
            rest = &rest[1..];
        } else if rest.starts_with('>') && out.ends_with(", ") {
            out.truncate(out.len() - 2);
        }
    }
    out.push_str(rest);
    out
}
