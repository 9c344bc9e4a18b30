//! Types.

use crate::mir::{Coroutine, CoroutineAt, CoroutineKind, FnSig, Name, Path, Prim, Segment, Ty, TyKind};

use super::lexer::{Parsed, Parser, is_word};
use super::path::Mode;

impl<'a> Parser<'a, '_> {
    /// A type whose text is known to end at `end`.
    pub fn ty_until(&mut self, end: usize) -> Parsed<Ty> {
        let text = self.slice(self.pos, end)?;
        if let Some(ty) = self.shared.types.get(text) {
            self.pos = end;
            return Ok(ty.clone());
        }
        let ty = self.ty()?;
        if self.pos != end {
            return self.fail("the end of a type");
        }
        self.shared.types.insert(text, ty.clone());
        Ok(ty)
    }

    /// The type of a field in a place: up to the parenthesis that closes it.
    pub fn field_ty(&mut self) -> Parsed<Ty> {
        let start = self.pos;
        let mut depth = 0u32;
        for (offset, byte) in self.rest().iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b')' => {
                    let text = self.slice(start, start + offset)?;
                    if let Some(ty) = self.shared.types.get(text) {
                        self.pos = start + offset;
                        return Ok(ty.clone());
                    }
                    let ty = self.ty()?;
                    if self.pos == start + offset {
                        self.shared.types.insert(text, ty.clone());
                    }
                    return Ok(ty);
                }
                b'\n' => break,
                _ => {}
            }
        }
        self.ty()
    }

    /// Any type.
    pub fn ty(&mut self) -> Parsed<Ty> {
        let start = self.pos;
        let ty = self.nested(Self::ty_inner)?;
        if self.at(" is ") {
            // A pattern type, `(u32) is 1..`.
            while !matches!(self.peek(), b',' | b')' | b';' | b'>' | b']' | b'}' | b'\n' | 0) {
                self.pos += 1;
            }
            return Ok(TyKind::Other(self.slice(start, self.pos)?.into()).into());
        }
        Ok(ty)
    }

    fn ty_inner(&mut self) -> Parsed<Ty> {
        let kind = match self.peek() {
            b'&' => {
                self.pos += 1;
                self.lifetime();
                self.spaces();
                self.eat("pin ");
                let mutable = self.eat("mut ");
                if !mutable {
                    self.eat("const ");
                }
                TyKind::Ref { mutable, to: self.ty()? }
            }
            b'*' => {
                self.pos += 1;
                let mutable = self.eat("mut ");
                if !mutable {
                    self.expect("const ")?;
                }
                TyKind::Ptr { mutable, to: self.ty()? }
            }
            b'(' => return self.tuple(),
            b'[' => {
                self.pos += 1;
                let of = self.ty()?;
                if self.eat("; ") {
                    let start = self.pos;
                    self.skip_to(b"]")?;
                    let len = self.slice(start, self.pos)?;
                    self.expect("]")?;
                    TyKind::Array(of, self.name(len))
                } else {
                    self.expect("]")?;
                    TyKind::Slice(of)
                }
            }
            b'!' => {
                self.pos += 1;
                TyKind::Never
            }
            b'{' => self.brace()?,
            b'_' if !is_word(self.byte(1)) && self.byte(1) != b':' => {
                self.pos += 1;
                TyKind::Other("_".into())
            }
            _ if self.eat("dyn ") => TyKind::Dyn(self.bounds()?),
            _ if self.eat("impl ") => TyKind::Impl(self.bounds()?),
            _ if self.at("unsafe<") => {
                let start = self.pos;
                self.skip_to(b",);]}")?;
                TyKind::Other(self.slice(start, self.pos)?.into())
            }
            _ if self.at_fn() => self.fn_ty(true)?,
            _ => {
                let path = self.path(Mode::Type)?;
                if let (None, [Segment { name, args }]) = (&path.qself, &path.segments[..])
                    && args.is_empty()
                {
                    if let Some(prim) = Prim::from_name(name) {
                        return Ok(TyKind::Prim(prim).into());
                    }
                    // As it is in the `args` of closures: `T/#0`.
                    if self.at("/#") {
                        self.pos += 2;
                        self.number()?;
                    }
                }
                TyKind::Path(path)
            }
        };
        Ok(kind.into())
    }

    fn tuple(&mut self) -> Parsed<Ty> {
        self.expect("(")?;
        let mut parts = Vec::new();
        let mut comma = false;
        while !self.eat(")") {
            if !parts.is_empty() && !comma {
                return self.fail("`,` or `)`");
            }
            parts.push(self.ty()?);
            comma = self.eat(",");
            self.spaces();
        }
        match parts.pop() {
            Some(only) if parts.is_empty() && !comma => Ok(only),
            Some(last) => {
                parts.push(last);
                Ok(TyKind::Tuple(parts).into())
            }
            None => Ok(TyKind::Tuple(parts).into()),
        }
    }

    /// `{closure@path}`, `{async block@span}`, `{async fn body of f()}` and the like.
    fn brace(&mut self) -> Parsed<TyKind> {
        let start = self.pos;
        let end = self.brace_end()?;
        for (word, is_async) in
            [("{closure@", false), ("{async closure@", true), ("{coroutine-closure@", true)]
        {
            if self.eat(word) {
                let path = self.attempt(|parser| {
                    let path = parser.path(Mode::Type)?;
                    parser.expect("}")?;
                    Ok(path)
                });
                // Closures of other crates may come as a place.
                let path = match path {
                    Some(path) => path,
                    None => single(self.name(self.slice(self.pos, end - 1)?)),
                };
                self.pos = end;
                return Ok(TyKind::Closure { path, is_async });
            }
        }
        let kinds = [
            ("{async fn body of ", CoroutineKind::AsyncFn),
            ("{async block@", CoroutineKind::AsyncBlock),
            ("{async closure body@", CoroutineKind::AsyncClosure),
            ("{async closure body of ", CoroutineKind::AsyncClosure),
            ("{coroutine@", CoroutineKind::Other),
            ("{gen block@", CoroutineKind::Other),
            ("{async gen block@", CoroutineKind::Other),
            ("{gen fn body of ", CoroutineKind::Other),
            ("{async gen fn body of ", CoroutineKind::Other),
        ];
        self.eat("{static ");
        for (word, kind) in kinds {
            if self.eat(word) {
                let text = self.slice(self.pos, end - 1)?;
                let at = match self.span(text) {
                    Some(span) => CoroutineAt::Span(span),
                    None => {
                        let path = self.coroutine_path(end - 1)?;
                        if word.ends_with("of ") { CoroutineAt::Fn(path) } else { CoroutineAt::Path(path) }
                    }
                };
                self.pos = end;
                return Ok(TyKind::Coroutine(Coroutine { kind, at }));
            }
        }
        self.pos = end;
        Ok(TyKind::Other(self.slice(start, end)?.into()))
    }

    /// `f<T>()` up to `end`, without the parentheses, which would read as the inputs of an `Fn`.
    fn coroutine_path(&mut self, end: usize) -> Parsed<Path> {
        let text = self.slice(self.pos, end)?;
        let mut inner = Parser::new(text.strip_suffix("()").unwrap_or(text), self.shared);
        match inner.nested(|inner| inner.path(Mode::Type)) {
            Ok(path) if inner.pos == inner.text.len() => Ok(path),
            _ => self.fail("a path"),
        }
    }

    /// The end of a braced group. File names can hold odd quotes and angles, so only braces count here.
    pub fn brace_end(&self) -> Parsed<usize> {
        let mut depth = 0u32;
        for (offset, byte) in self.rest().iter().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return Ok(self.pos + offset + 1),
                b'}' => depth = depth.saturating_sub(1),
                b'\n' => break,
                _ => {}
            }
        }
        self.fail("`}`")
    }

    fn bounds(&mut self) -> Parsed<Vec<Path>> {
        let mut bounds = Vec::new();
        loop {
            let paren = self.eat("(");
            self.binder()?;
            self.eat("?");
            if !self.eat("[const] ") {
                self.eat("~const ");
            }
            self.binder()?;
            if self.peek() == b'\'' {
                self.lifetime();
            } else if self.at("use<") {
                self.pos += 3;
                self.group()?;
            } else {
                // A bound is printed as it was written, `::` in front included.
                self.eat("::");
                bounds.push(self.nested(|parser| parser.path(Mode::Type))?);
            }
            if paren {
                self.expect(")")?;
            }
            if !self.eat(" + ") {
                return Ok(bounds);
            }
        }
    }

    /// `for<'a> `
    pub fn binder(&mut self) -> Parsed<()> {
        if self.at("for<") {
            self.pos += 3;
            self.group()?;
            self.spaces();
        }
        Ok(())
    }

    /// `'a`, `'_`, `'{erased}`, `'^0`, `'?3`
    pub fn lifetime(&mut self) -> bool {
        if !self.eat("'") {
            return false;
        }
        if self.peek() == b'{' {
            while !matches!(self.peek(), b'}' | 0) {
                self.pos += 1;
            }
            self.eat("}");
        }
        while is_word(self.peek()) || matches!(self.peek(), b'^' | b'?' | b'#' | b'/') {
            self.pos += 1;
        }
        true
    }

    fn at_fn(&self) -> bool {
        ["for<", "unsafe ", "extern ", "fn(", "#[target_features] "].iter().any(|word| self.at(word))
    }

    /// A function pointer's type, or with a path in braces that of a function. Where a function returns another one,
    /// the braces belong to the outer: `outermost` is false for the inner.
    fn fn_ty(&mut self, outermost: bool) -> Parsed<TyKind> {
        self.binder()?;
        self.eat("#[target_features] ");
        let is_unsafe = self.eat("unsafe ");
        let mut abi = Name::default();
        if self.eat("extern ") {
            let start = self.pos + 1;
            if self.peek() != b'"' {
                return self.fail("an ABI");
            }
            self.skip_string()?;
            abi = self.name(self.slice(start, self.pos - 1)?);
            self.expect(" ")?;
        }
        self.expect("fn(")?;
        let mut inputs = Vec::new();
        let mut variadic = false;
        while !self.eat(")") {
            if self.eat("...") {
                variadic = true;
            } else {
                inputs.push(self.ty()?);
            }
            if !self.eat(", ") && !self.at(")") {
                return self.fail("`,` or `)`");
            }
        }
        let output = if !self.eat(" -> ") {
            TyKind::Tuple(Vec::new()).into()
        } else if self.at_fn() {
            self.nested(|parser| parser.fn_ty(false))?.into()
        } else {
            self.ty()?
        };
        let sig = FnSig { inputs, output, is_unsafe, variadic, abi };
        if outermost && self.at(" {") && self.byte(2) != b'\n' && self.byte(2) != 0 {
            let start = self.pos;
            self.pos += 2;
            let path = self.nested(|parser| parser.path(Mode::Expr))?;
            if self.eat("}") {
                return Ok(TyKind::FnDef(sig, path));
            }
            self.pos = start;
        }
        Ok(TyKind::FnPtr(sig))
    }
}

fn single(name: Name) -> Path {
    Path { qself: None, segments: vec![Segment { name, args: Vec::new() }] }
}
