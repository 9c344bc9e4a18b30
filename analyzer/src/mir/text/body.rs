//! Bodies: headers, declarations, scopes, basic blocks.

use crate::mir::{
    BasicBlock, Block, Body, BodyKind, Local, LocalDecl, Name, Origin, Path, Scope, ScopeData, SourceInfo,
    Span, Statement, StatementKind, Terminator, Ty, TyKind, VarInfo, VarValue,
};

use super::lexer::{Parsed, Parser};
use super::notes;
use super::path::Mode;
use super::stmt::Line;

/// The first line of a body.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub def: &'a str,
    pub kind: HeaderKind,
    pub inputs: Vec<Ty>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderKind {
    Fn,
    Const,
    Static { mutable: bool },
}

impl<'a> Parser<'a, '_> {
    /// `fn N(_1: T) -> R {`, `static mut X: T = {`, `const X: T = {`, `X::{constant#0}: T = {`. Of a constant that is given in
    /// the same line, `const X: T = const 1;`, everything up to `=`.
    pub fn header(&mut self) -> Parsed<Header<'a>> {
        let kind = if self.eat("fn ") {
            HeaderKind::Fn
        } else if self.eat("static mut ") {
            HeaderKind::Static { mutable: true }
        } else if self.eat("static ") {
            HeaderKind::Static { mutable: false }
        } else {
            self.eat("const ");
            HeaderKind::Const
        };
        let start = self.pos;
        self.path(Mode::Expr)?;
        let def = self.slice(start, self.pos)?;
        let mut inputs = Vec::new();
        if kind == HeaderKind::Fn {
            self.expect("(")?;
            while !self.eat(")") {
                self.local()?;
                self.expect(": ")?;
                inputs.push(self.ty()?);
                if !self.eat(", ") && !self.at(")") {
                    return self.fail("`,` or `)`");
                }
            }
            if self.eat(" -> ") {
                self.ty()?;
            }
            self.blank();
            if self.eat("yields ") {
                self.ty()?;
                self.blank();
            }
            self.expect("{")?;
        } else {
            self.expect(": ")?;
            self.ty()?;
            self.expect(" =")?;
            if !self.eat(" {\n") {
                return Ok(Header { def, kind, inputs });
            }
            self.pos -= 1;
        }
        Ok(Header { def, kind, inputs })
    }

    /// A body; the cursor is on its header.
    pub fn body(&mut self) -> Parsed<Body> {
        let header = self.header()?;
        self.line()?;
        let mut decls = Decls::new(&header);
        self.declarations(&mut decls, Scope(0))?;
        let def = header.def;
        let mut blocks = Vec::new();
        loop {
            self.blank();
            if self.eat("}") {
                break;
            }
            blocks.push(self.basic_block(Block(u32::try_from(blocks.len()).unwrap_or(u32::MAX)), def)?);
        }
        let Some(locals) = decls.locals.into_iter().collect::<Option<Vec<LocalDecl>>>() else {
            return self.fail("a declaration for each local");
        };
        let mut body = Body {
            def: self.name(def),
            name: self.name(def),
            path: Path::default(),
            kind: kind(&header),
            origin: Origin::Final,
            span: Span::default(),
            arg_count: u32::try_from(header.inputs.len()).unwrap_or(0),
            locals,
            vars: decls.vars,
            scopes: decls.scopes.into_iter().map(|parent| ScopeData { parent }).collect(),
            blocks,
            allocs: Vec::new(),
            public: false,
            exported: false,
        };
        super::check::finish(&mut body).or_else(|expected| self.fail(expected))?;
        Ok(body)
    }

    /// `debug`, `let` and `scope` up to the first basic block, or the end of the scope.
    fn declarations(&mut self, decls: &mut Decls, scope: Scope) -> Parsed<()> {
        loop {
            self.blank();
            if self.eat("debug ") {
                self.debug(decls, scope)?;
            } else if self.at("let ") {
                self.let_(decls, scope)?;
            } else if self.eat("scope ") {
                let inner = Scope(self.small()?);
                decls.scope(inner, scope).or_else(|expected| self.fail(expected))?;
                self.line()?;
                self.nested(|parser| parser.declarations(decls, inner))?;
                self.expect("}")?;
            } else if self.at("|") || self.at("//") {
                self.line()?;
            } else {
                return Ok(());
            }
        }
    }

    /// `debug x => _1;  // in scope 0 at ...`
    fn debug(&mut self, decls: &mut Decls, scope: Scope) -> Parsed<()> {
        let name = self.word();
        let value = self.attempt(|parser| {
            parser.expect(" => ")?;
            if parser.eat("const ") {
                let start = parser.pos;
                parser.skip_to(b";")?;
                let text = parser.slice(start, parser.pos)?;
                return Ok(VarValue::Const(parser.constant(text)));
            }
            Ok(VarValue::Place(parser.place()?))
        });
        let rest = self.line()?;
        // A variable that is spread over several places is no single one: it goes without a name.
        let Some(value) = value else { return Ok(()) };
        let span = self.span_of(rest);
        let name = self.name(name);
        decls.vars.push(VarInfo { name, value, scope, span });
        Ok(())
    }

    /// `let mut _1: T;  // in scope 0 at ...`
    fn let_(&mut self, decls: &mut Decls, scope: Scope) -> Parsed<()> {
        self.expect("let ")?;
        let mutable = self.eat("mut ");
        let local = self.local()?;
        self.expect(": ")?;
        let line_end = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |offset| self.pos + offset);
        let line = self.slice(self.pos, line_end)?;
        let code =
            memchr::memmem::find(line.as_bytes(), b"; ").map(|_| line.rfind(" // ").unwrap_or(line.len()));
        let code = line.get(..code.unwrap_or(line.len())).unwrap_or(line).trim_end();
        let Some(text) = code.strip_suffix(';') else {
            return self.fail("`;`");
        };
        let ty = self.ty_until(self.pos + text.len())?;
        let span = self.span_of(line);
        self.pos = (line_end + 1).min(self.text.len());
        decls
            .local(local, LocalDecl { ty, mutable, name: None, scope, span })
            .or_else(|expected| self.fail(expected))
    }

    /// The place at the end of a line.
    fn span_of(&mut self, line: &'a str) -> Span {
        match memchr::memmem::rfind(line.as_bytes(), b" at ") {
            Some(_) => {
                // The first ` at ` behind the comment's scope; a file's name may hold another one.
                let comment = line.find("// ").unwrap_or(0);
                let at = line[comment..].find(" at ").map_or(line.len(), |offset| comment + offset + 4);
                line.get(at..).and_then(|text| self.span(text)).unwrap_or_default()
            }
            None => Span::default(),
        }
    }

    /// `bb0 (cleanup): {` and what is in it.
    fn basic_block(&mut self, block: Block, def: &'a str) -> Parsed<BasicBlock> {
        if self.block_ref()? != block {
            return self.fail("the next basic block");
        }
        let cleanup = self.eat(" (cleanup)");
        self.expect(": {")?;
        let mut statements = Vec::new();
        let mut terminator = None;
        loop {
            self.blank();
            if self.eat("}") {
                break;
            }
            if terminator.is_some() {
                return self.fail("`}` after a terminator");
            }
            if self.eat("//") {
                self.line()?;
                continue;
            }
            self.constants.clear();
            let line = self.statement()?;
            self.expect(";")?;
            let source = self.source()?;
            let notes = self.notes()?;
            match line {
                Line::Statement(mut kind) => {
                    notes::statement(self, &mut kind, &notes, def);
                    statements.push(Statement { kind, source });
                }
                Line::Terminator(mut kind) => {
                    notes::terminator(self, &mut kind, &notes);
                    terminator = Some(Terminator { kind, source });
                }
                Line::Path(place, operand) => {
                    let value = notes::path_value(self, operand, &notes);
                    statements.push(Statement { kind: StatementKind::Assign(place, value), source });
                }
            }
        }
        match terminator {
            Some(terminator) => Ok(BasicBlock { cleanup, statements, terminator }),
            None => self.fail("a terminator"),
        }
    }

    /// `// scope 0 at src/lib.rs:1:2: 3:4` behind a statement.
    fn source(&mut self) -> Parsed<SourceInfo> {
        self.spaces();
        if !self.eat("// scope ") {
            self.line()?;
            return Ok(SourceInfo::default());
        }
        let scope = Scope(self.small()?);
        self.expect(" at ")?;
        let text = self.line()?;
        match self.span(text) {
            Some(span) => Ok(SourceInfo { scope, span }),
            None => self.fail("a place in the source"),
        }
    }
}

/// Declarations under way.
struct Decls {
    locals: Vec<Option<LocalDecl>>,
    vars: Vec<VarInfo>,
    /// Each scope's parent.
    scopes: Vec<Option<Scope>>,
}

/// More locals or scopes than any body has: damaged text.
const TOO_MANY: u32 = 1 << 20;

impl Decls {
    fn new(header: &Header<'_>) -> Decls {
        let argument = |ty: &Ty| {
            Some(LocalDecl {
                ty: ty.clone(),
                mutable: false,
                name: None,
                scope: Scope(0),
                span: Span::default(),
            })
        };
        let mut locals = vec![None];
        locals.extend(header.inputs.iter().map(argument));
        Decls { locals, vars: Vec::new(), scopes: vec![None] }
    }

    fn local(&mut self, local: Local, decl: LocalDecl) -> Result<(), &'static str> {
        if local.0 >= TOO_MANY {
            return Err("fewer locals");
        }
        let index = local.0 as usize;
        if self.locals.len() <= index {
            self.locals.resize_with(index + 1, || None);
        }
        self.locals[index] = Some(decl);
        Ok(())
    }

    fn scope(&mut self, scope: Scope, parent: Scope) -> Result<(), &'static str> {
        if scope.0 >= TOO_MANY {
            return Err("fewer scopes");
        }
        let index = scope.0 as usize;
        if self.scopes.len() <= index {
            self.scopes.resize(index + 1, Some(Scope(0)));
        }
        self.scopes[index] = Some(parent);
        Ok(())
    }
}

/// What a body is of, by its header.
fn kind(header: &Header<'_>) -> BodyKind {
    match header.kind {
        HeaderKind::Static { mutable } => BodyKind::Static { mutable },
        HeaderKind::Const => match promoted(header.def) {
            Some((of, index)) => BodyKind::Promoted { of: of.into(), index },
            None => BodyKind::Const,
        },
        HeaderKind::Fn => match own_type(header) {
            Some(ty) if matches!(*ty, TyKind::Closure { .. }) => BodyKind::Closure { ty },
            Some(ty) => BodyKind::Coroutine { ty },
            None => BodyKind::Fn,
        },
    }
}

/// `f::promoted[3]`
fn promoted(def: &str) -> Option<(&str, u32)> {
    let (of, rest) = def.rsplit_once("::promoted[")?;
    Some((of, rest.strip_suffix(']')?.parse().ok()?))
}

/// The closure or coroutine a body belongs to: the type of its first argument, when the path says that it is one.
pub(super) fn own_type(header: &Header<'_>) -> Option<Ty> {
    if !header.def.ends_with("#}") && !header.def.rsplit("::").next()?.starts_with('{') {
        return None;
    }
    let mut ty = header.inputs.first()?.clone();
    let pinned = match ty.as_path() {
        Some(path) if path.last() == "Pin" => path.type_args().next().cloned(),
        _ => None,
    };
    ty = pinned.unwrap_or(ty);
    while let TyKind::Ref { to, .. } = &*ty {
        ty = to.clone();
    }
    matches!(*ty, TyKind::Closure { .. } | TyKind::Coroutine(_)).then_some(ty)
}

/// A name for locals that are one variable as a whole, for readers of other parts.
pub(super) fn whole_local(var: &VarInfo) -> Option<(Local, Name)> {
    match &var.value {
        VarValue::Place(place) => place.as_local().map(|local| (local, var.name.clone())),
        VarValue::Const(_) => None,
    }
}
