//! Types and paths.

use robust_analyzer::mir::{
    Coroutine, CoroutineAt, CoroutineKind, FnSig, GenericArg, Name, Path, Prim, QSelf, Segment, Ty,
    TyKind,
};

use super::lexer::{Parsed, Parser, is_word};

/// Where a path stands. `Vec<T>` is a path in a type, `a::<T>(b)` is a call in an expression and `Fn(T)` a bound in a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Type,
    Expr,
}

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
        if self.at(" is ") && !matches!(*ty, TyKind::Dyn(_)) {
            // A pattern type, `(u32) is 1..`.
            self.skip_to(b",);>]}")?;
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
                TyKind::Ref {
                    mutable,
                    to: self.ty()?,
                }
            }
            b'*' => {
                self.pos += 1;
                let mutable = self.eat("mut ");
                if !mutable {
                    self.expect("const ")?;
                }
                TyKind::Ptr {
                    mutable,
                    to: self.ty()?,
                }
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
            b'_' if !is_word(self.byte(1)) => {
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
            _ if self.at("for<") || self.at("unsafe ") || self.at("extern ") || self.at("fn(") => {
                self.fn_ty()?
            }
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
        for (word, is_async) in [
            ("{closure@", false),
            ("{async closure@", true),
            ("{coroutine-closure@", true),
        ] {
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
                        if word.ends_with("of ") {
                            CoroutineAt::Fn(path)
                        } else {
                            CoroutineAt::Path(path)
                        }
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
    fn binder(&mut self) -> Parsed<()> {
        if self.at("for<") {
            self.pos += 3;
            self.group()?;
            self.spaces();
        }
        Ok(())
    }

    /// `'a`, `'_`, `'{erased}`, `'^0`, `'?3`
    fn lifetime(&mut self) -> bool {
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

    /// A function pointer's type, or with a path in braces that of a function.
    fn fn_ty(&mut self) -> Parsed<TyKind> {
        self.binder()?;
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
        let output = if self.eat(" -> ") {
            self.ty()?
        } else {
            TyKind::Tuple(Vec::new()).into()
        };
        let sig = FnSig {
            inputs,
            output,
            is_unsafe,
            variadic,
            abi,
        };
        if self.at(" {") && self.byte(2) != b'\n' && self.byte(2) != 0 {
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

    /// A path.
    pub fn path(&mut self, mode: Mode) -> Parsed<Path> {
        let mut path = Path::default();
        if self.peek() == b'<' && !self.at_impl() {
            path.qself = Some(Box::new(self.qself()?));
            self.expect("::")?;
        }
        loop {
            path.segments.push(self.segment(mode)?);
            if !(self.at("::") && self.byte(2) != b'<' || self.at("::<") && self.at_impl_segment(2))
            {
                return Ok(path);
            }
            self.pos += 2;
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

    /// `<impl at ...>` or `<impl X>` at the start of a path: no qualified path, since nothing is cast there.
    fn at_impl(&self) -> bool {
        self.at("<impl at ") || self.at("<impl ") && self.at_impl_segment(0)
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
                b'<' => depth += 1,
                b'>' if rest[index - 1] == b'-' => {}
                b'>' if depth <= 1 => {
                    let next = rest.get(index + 3).copied().unwrap_or(0);
                    return rest[index + 1..].starts_with(b"::") && (is_word(next) || next == b'<');
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
                let name = self.name(self.slice(start, self.pos)?);
                return Ok(Segment {
                    name,
                    args: Vec::new(),
                });
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
        let name = self.name(self.slice(start, self.pos)?);
        let mut args = Vec::new();
        if self.at("::<") && !self.at_impl_segment(2) {
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
                Some(GenericArg::Const(text)) => {
                    Some(GenericArg::Assoc(name, TyKind::Other(text).into()))
                }
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
        [
            "{closure@",
            "{async ",
            "{coroutine",
            "{gen ",
            "{static ",
            "{type error",
        ]
        .iter()
        .any(|word| self.at(word))
    }

    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|byte| !is_word(*byte))
            .unwrap_or(rest.len());
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
        let output = if self.eat(" -> ") {
            self.ty()?
        } else {
            TyKind::Tuple(Vec::new()).into()
        };
        Ok(vec![
            GenericArg::Ty(TyKind::Tuple(inputs).into()),
            GenericArg::Assoc("Output".into(), output),
        ])
    }
}

fn single(name: Name) -> Path {
    Path {
        qself: None,
        segments: vec![Segment {
            name,
            args: Vec::new(),
        }],
    }
}
