//! MIR for readers, close to what rustc prints but shorter: `dump --stage mir`.

use std::fmt::{self, Display, Formatter, Result, Write};

use super::*;

fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        Display::fmt(&**self, f)
    }
}

impl Display for TyKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TyKind::Prim(prim) => f.write_str(prim.as_str()),
            TyKind::Never => f.write_str("!"),
            TyKind::Path(path) => write!(f, "{path}"),
            TyKind::Ref { mutable, to } => write!(f, "&{}{to}", if *mutable { "mut " } else { "" }),
            TyKind::Ptr { mutable, to } => {
                write!(f, "*{} {to}", if *mutable { "mut" } else { "const" })
            }
            TyKind::Slice(of) => write!(f, "[{of}]"),
            TyKind::Array(of, len) => write!(f, "[{of}; {len}]"),
            TyKind::Tuple(parts) => {
                f.write_char('(')?;
                list(f, parts, ", ")?;
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            TyKind::FnPtr(sig) => write!(f, "{sig}"),
            TyKind::FnDef(sig, path) => write!(f, "{sig} {{{path}}}"),
            TyKind::Dyn(bounds) => {
                f.write_str("dyn ")?;
                list(f, bounds, " + ")
            }
            TyKind::Impl(bounds) => {
                f.write_str("impl ")?;
                list(f, bounds, " + ")
            }
            TyKind::Closure { path, is_async } => {
                write!(f, "{{{}closure@{path}}}", if *is_async { "async " } else { "" })
            }
            TyKind::Coroutine(Coroutine { kind, at }) => {
                let what = match kind {
                    CoroutineKind::AsyncFn => "async fn body",
                    CoroutineKind::AsyncBlock => "async block",
                    CoroutineKind::AsyncClosure => "async closure body",
                    CoroutineKind::Other => "coroutine",
                };
                match at {
                    CoroutineAt::Fn(path) => write!(f, "{{{what} of {path}()}}"),
                    CoroutineAt::Path(path) => write!(f, "{{{what}@{path}}}"),
                    CoroutineAt::Span(span) => write!(f, "{{{what}@{span}}}"),
                }
            }
            TyKind::Other(text) => write!(f, "{text}"),
        }
    }
}

impl Display for FnSig {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.is_unsafe {
            f.write_str("unsafe ")?;
        }
        if !self.abi.is_empty() {
            write!(f, "extern \"{}\" ", self.abi)?;
        }
        f.write_str("fn(")?;
        list(f, &self.inputs, ", ")?;
        f.write_str(if self.variadic { ", ...)" } else { ")" })?;
        if !self.output.is_unit() {
            write!(f, " -> {}", self.output)?;
        }
        Ok(())
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(qself) = &self.qself {
            write!(f, "<{}", qself.ty)?;
            if let Some(tr) = &qself.tr {
                write!(f, " as {tr}")?;
            }
            f.write_char('>')?;
        }
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 || self.qself.is_some() {
                f.write_str("::")?;
            }
            f.write_str(&segment.name)?;
            if !segment.args.is_empty() {
                f.write_char('<')?;
                list(f, &segment.args, ", ")?;
                f.write_char('>')?;
            }
        }
        Ok(())
    }
}

impl Display for GenericArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            GenericArg::Ty(ty) => write!(f, "{ty}"),
            GenericArg::Const(text) => write!(f, "{text}"),
            GenericArg::Assoc(name, ty) => write!(f, "{name} = {ty}"),
        }
    }
}

impl Display for Local {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "_{}", self.0)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "bb{}", self.0)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut text = self.local.to_string();
        for step in &self.projection {
            match step {
                Projection::Deref => text = format!("(*{text})"),
                Projection::Field(field, _) => write!(text, ".{field}")?,
                Projection::Downcast(variant) => text = format!("({text} as {variant})"),
                Projection::Index(local) => write!(text, "[{local}]")?,
                Projection::ConstantIndex { offset, min_length, from_end } => {
                    write!(text, "[{}{offset} of {min_length}]", if *from_end { "-" } else { "" })?
                }
                Projection::Subslice { from, to, from_end } => {
                    write!(text, "[{from}..{}{to}]", if *from_end { "-" } else { "" })?
                }
                Projection::Cast(ty) => text = format!("({text} as {ty})"),
            }
        }
        f.write_str(&text)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Copy(place) => write!(f, "copy {place}"),
            Operand::Move(place) => write!(f, "move {place}"),
            Operand::Const(constant) => write!(f, "{constant}"),
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ConstKind::Int(value) => {
                write!(f, "{value}")?;
                if let Some(ty) = &self.ty {
                    write!(f, "_{ty}")?;
                }
                Ok(())
            }
            ConstKind::Bool(value) => write!(f, "{value}"),
            ConstKind::Char(value) => write!(f, "{value:?}"),
            ConstKind::Str(value) => write!(f, "{value:?}"),
            ConstKind::Unit => f.write_str("()"),
            ConstKind::Named(path) => write!(f, "const {path}"),
            ConstKind::Fn(path) => write!(f, "{path}"),
            ConstKind::Alloc { id, what: AllocKind::Memory } => write!(f, "{{alloc{id}}}"),
            ConstKind::Alloc { what, .. } => write!(f, "{{{what}}}"),
            ConstKind::Other(text) => write!(f, "const {text}"),
        }
    }
}

impl Display for AllocKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            AllocKind::Static(name) => write!(f, "static {name}"),
            AllocKind::ExternStatic(name) => write!(f, "extern static {name}"),
            AllocKind::Fn(name) => write!(f, "fn {name}"),
            AllocKind::Vtable(name) => write!(f, "vtable {name}"),
            AllocKind::Memory => f.write_str("memory"),
        }
    }
}

impl Display for Rvalue {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Rvalue::Use(operand) => write!(f, "{operand}"),
            Rvalue::Repeat(operand, len) => write!(f, "[{operand}; {len}]"),
            Rvalue::Ref(BorrowKind::Shared, place) => write!(f, "&{place}"),
            Rvalue::Ref(BorrowKind::Mut, place) => write!(f, "&mut {place}"),
            Rvalue::Ref(BorrowKind::Fake, place) => write!(f, "&fake {place}"),
            Rvalue::RawPtr { mutable, place } => {
                write!(f, "&raw {} {place}", if *mutable { "mut" } else { "const" })
            }
            Rvalue::ThreadLocalRef(name) => write!(f, "&tls {name}"),
            Rvalue::Cast(kind, operand, ty) => write!(f, "{operand} as {ty} ({kind})"),
            Rvalue::Binary(op, operands) => write!(f, "{op}({}, {})", operands.0, operands.1),
            Rvalue::Unary(op, operand) => write!(f, "{op}({operand})"),
            Rvalue::Discriminant(place) => write!(f, "discriminant({place})"),
            Rvalue::Len(place) => write!(f, "Len({place})"),
            Rvalue::CopyForDeref(place) => write!(f, "deref_copy {place}"),
            Rvalue::Aggregate(kind, parts) => aggregate(f, kind, parts),
            Rvalue::Nullary(text) => write!(f, "{text}"),
            Rvalue::Wrap(operand, ty) => write!(f, "wrap({operand}; {ty})"),
        }
    }
}

fn aggregate(f: &mut Formatter<'_>, kind: &AggregateKind, parts: &[Operand]) -> Result {
    let named = |f: &mut Formatter<'_>, names: &[Name]| -> Result {
        if names.is_empty() && parts.is_empty() {
            return Ok(());
        }
        f.write_str(if names.is_empty() { "(" } else { " { " })?;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            if let Some(name) = names.get(index) {
                write!(f, "{name}: ")?;
            }
            write!(f, "{part}")?;
        }
        f.write_str(if names.is_empty() { ")" } else { " }" })
    };
    match kind {
        AggregateKind::Tuple => {
            f.write_char('(')?;
            list(f, parts, ", ")?;
            f.write_str(if parts.len() == 1 { ",)" } else { ")" })
        }
        AggregateKind::Array => {
            f.write_char('[')?;
            list(f, parts, ", ")?;
            f.write_char(']')
        }
        AggregateKind::Adt { path, fields } => {
            write!(f, "{path}")?;
            named(f, fields)
        }
        AggregateKind::Closure { body, captures, .. } => {
            write!(f, "closure {body}")?;
            named(f, captures)
        }
        AggregateKind::Coroutine { body, captures, .. } => {
            write!(f, "coroutine {body}")?;
            named(f, captures)
        }
        AggregateKind::RawPtr { mutable, to } => {
            write!(f, "*{} {to} from ", if *mutable { "mut" } else { "const" })?;
            named(f, &[])
        }
    }
}

impl Display for StatementKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            StatementKind::Assign(place, rvalue) => write!(f, "{place} = {rvalue}"),
            StatementKind::SetDiscriminant(place, variant) => {
                write!(f, "discriminant({place}) = {variant}")
            }
            StatementKind::StorageLive(local) => write!(f, "live {local}"),
            StatementKind::StorageDead(local) => write!(f, "dead {local}"),
            StatementKind::PlaceMention(place) => write!(f, "mention {place}"),
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                write!(f, "copy_nonoverlapping({dst}, {src}, {count})")
            }
            StatementKind::Nop => f.write_str("nop"),
        }
    }
}

impl Display for Unwind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Unwind::Continue | Unwind::Unreachable => Ok(()),
            Unwind::Terminate => f.write_str(" unwind terminate"),
            Unwind::Cleanup(block) => write!(f, " unwind {block}"),
        }
    }
}

impl Display for TerminatorKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TerminatorKind::Goto(block) => write!(f, "goto {block}"),
            TerminatorKind::SwitchInt { on, targets, otherwise } => {
                write!(f, "switch {on} [")?;
                for (value, block) in targets {
                    write!(f, "{value}: {block}, ")?;
                }
                match otherwise {
                    Some(block) => write!(f, "otherwise: {block}]"),
                    None => f.write_char(']'),
                }
            }
            TerminatorKind::Return => f.write_str("return"),
            TerminatorKind::Resume => f.write_str("resume"),
            TerminatorKind::Unreachable => f.write_str("unreachable"),
            TerminatorKind::Terminate => f.write_str("terminate"),
            TerminatorKind::CoroutineDrop => f.write_str("coroutine_drop"),
            TerminatorKind::Call(call) => {
                write!(f, "{} = {}{}(", call.dest, if call.tail { "become " } else { "" }, call.callee)?;
                list(f, &call.args, ", ")?;
                f.write_str(") -> ")?;
                match call.target {
                    Some(block) => write!(f, "{block}")?,
                    None => f.write_char('!')?,
                }
                write!(f, "{}", call.unwind)
            }
            TerminatorKind::Drop { place, target, unwind } => {
                write!(f, "drop({place})")?;
                if let Some(block) = target {
                    write!(f, " -> {block}")?;
                }
                write!(f, "{unwind}")
            }
            TerminatorKind::Assert { cond, expected, message, target, unwind } => {
                let not = if *expected { "" } else { "!" };
                write!(f, "assert({not}{cond}, {message:?}) -> {target}{unwind}")
            }
            TerminatorKind::Yield { value, resume_arg, resume, drop } => {
                write!(f, "{resume_arg} = yield({value}) -> {resume}")?;
                match drop {
                    Some(block) => write!(f, " drop {block}"),
                    None => Ok(()),
                }
            }
            TerminatorKind::InlineAsm { targets, unwind } => {
                f.write_str("asm -> [")?;
                list(f, targets, ", ")?;
                write!(f, "]{unwind}")
            }
            TerminatorKind::FalseEdge(block) => write!(f, "goto {block}"),
        }
    }
}

impl Display for Callee {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Callee::Fn { path, .. } => write!(f, "{path}"),
            Callee::Value(operand) => write!(f, "({operand})"),
        }
    }
}

impl Display for VarValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            VarValue::Place(place) => write!(f, "{place}"),
            VarValue::Const(constant) => write!(f, "{constant}"),
        }
    }
}

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let what = match &self.kind {
            BodyKind::Fn => "fn",
            BodyKind::Constructor => "constructor",
            BodyKind::Closure { .. } => "closure",
            BodyKind::Coroutine { .. } => "coroutine",
            BodyKind::Const => "const",
            BodyKind::Static { mutable: false } => "static",
            BodyKind::Static { mutable: true } => "static mut",
            BodyKind::Promoted { .. } => "promoted",
        };
        write!(f, "{what} {}(", self.name)?;
        for index in 1..=self.arg_count {
            if index > 1 {
                f.write_str(", ")?;
            }
            write!(f, "_{index}: {}", self.locals[index as usize].ty)?;
        }
        writeln!(f, ") -> {} {{ // {}", self.output(), self.span)?;
        if self.def != self.name {
            writeln!(f, "    // definition {}", self.def)?;
        }
        if self.origin == Origin::Transformed {
            writeln!(f, "    // after the coroutine transform")?;
        }
        for var in &self.vars {
            writeln!(f, "    debug {} => {}; // {}", var.name, var.value, var.span)?;
        }
        for (index, local) in self.locals.iter().enumerate().skip(1 + self.arg_count as usize) {
            writeln!(f, "    let {}_{index}: {};", if local.mutable { "mut " } else { "" }, local.ty)?;
        }
        for (index, block) in self.blocks.iter().enumerate() {
            writeln!(f, "  bb{index}{}:", if block.cleanup { " (cleanup)" } else { "" })?;
            for statement in &block.statements {
                line(f, &statement.kind, &statement.source)?;
            }
            line(f, &block.terminator.kind, &block.terminator.source)?;
        }
        for alloc in &self.allocs {
            writeln!(f, "  alloc{}: {}", alloc.id, alloc.kind)?;
        }
        f.write_str("}\n")
    }
}

/// Code with its place; only the place's start, and nothing for what does nothing.
fn line(f: &mut Formatter<'_>, what: &impl Display, source: &SourceInfo) -> fmt::Result {
    if source.span.is_none() {
        writeln!(f, "    {what};")
    } else {
        writeln!(f, "    {what}; // {}:{}:{}", source.span.file, source.span.line, source.span.col)
    }
}

impl Display for Crate {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "// {} {} of {}, rustc {}", self.kind, self.name, self.package, self.rustc)?;
        for constant in &self.constants {
            writeln!(f, "{constant};")?;
        }
        for body in &self.bodies {
            write!(f, "\n{body}")?;
        }
        for missing in &self.not_analysed {
            writeln!(f, "\n// not analysed: {missing}")?;
        }
        Ok(())
    }
}

impl Display for NamedConst {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let span = Span::default();
        let value = Constant { kind: self.value.clone(), ty: Some(self.ty.clone()), span };
        write!(f, "const {}: {} = {value}", self.def, self.ty)
    }
}

impl Display for NotAnalysed {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}: {}", self.name, self.reason)?;
        match &self.detail {
            Some(detail) => write!(f, " ({detail})"),
            None => Ok(()),
        }
    }
}
