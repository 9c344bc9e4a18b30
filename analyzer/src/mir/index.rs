//! Finding bodies.

use std::collections::HashMap;

use super::{
    Body, BodyKind, BorrowKind, CoroutineKind, Crate, Name, Operand, Path, Place, Projection, Rvalue, Span,
    StatementKind, TerminatorKind, Ty, TyKind,
};

/// Look-up tables over the bodies of a crate. Cheap to build; borrow it as long as the crate.
#[derive(Debug)]
pub struct Index<'a> {
    by_def: HashMap<&'a str, Vec<&'a Body>>,
    by_name: HashMap<&'a str, Vec<&'a Body>>,
    by_type: HashMap<&'a TyKind, Vec<&'a Body>>,
    by_plain_type: HashMap<String, Vec<&'a Body>>,
}

impl<'a> Index<'a> {
    /// Indexes a crate.
    pub fn new(krate: &'a Crate) -> Self {
        Self::of(&krate.bodies)
    }

    /// Indexes bodies of any number of crates.
    pub fn of(bodies: impl IntoIterator<Item = &'a Body>) -> Self {
        let mut index = Index {
            by_def: HashMap::new(),
            by_name: HashMap::new(),
            by_type: HashMap::new(),
            by_plain_type: HashMap::new(),
        };
        for body in bodies {
            index.by_def.entry(&body.def).or_default().push(body);
            index.by_name.entry(&body.name).or_default().push(body);
            if let BodyKind::Closure { ty } | BodyKind::Coroutine { ty } = &body.kind {
                index.by_type.entry(&**ty).or_default().push(body);
                index.by_plain_type.entry(plain(ty)).or_default().push(body);
            }
        }
        index
    }

    /// The bodies with this definition path: one, but for impls that a macro wrote at one place.
    pub fn def(&self, def: &str) -> &[&'a Body] {
        self.by_def.get(def).map_or(&[], |bodies| bodies)
    }

    /// The bodies with this readable name.
    pub fn name(&self, name: &str) -> &[&'a Body] {
        self.by_name.get(name).map_or(&[], |bodies| bodies)
    }

    /// The bodies of a closure's type: exactly that type, or else the same closure with other generic arguments.
    pub fn closure(&self, ty: &TyKind) -> &[&'a Body] {
        self.typed(ty)
    }

    /// The bodies of a coroutine's type: exactly that type, or else the same with other generic arguments.
    pub fn coroutine(&self, ty: &TyKind) -> &[&'a Body] {
        self.typed(ty)
    }

    fn typed(&self, ty: &TyKind) -> &[&'a Body] {
        if !matches!(ty, TyKind::Closure { .. } | TyKind::Coroutine(_)) {
            return &[];
        }
        let exact = self.by_type.get(ty).map_or(&[][..], |bodies| bodies);
        if !exact.is_empty() {
            return exact;
        }
        self.by_plain_type.get(&plain(ty)).map_or(&[], |bodies| bodies)
    }
}

/// The text of a closure or coroutine type without generic arguments.
fn plain(ty: &TyKind) -> String {
    use super::{Coroutine, CoroutineAt};
    fn full(path: &Path) -> String {
        // `<X as Tr>::f` and `<Y as Tr>::f` hold different closures, so the self type counts here.
        match &path.qself {
            Some(qself) => format!("{}@{}", path.plain(), qself.ty),
            None => path.plain(),
        }
    }
    match ty {
        TyKind::Closure { path, .. } => full(path),
        TyKind::Coroutine(Coroutine { kind, at }) => match at {
            CoroutineAt::Fn(path) => format!("{kind:?} of {}", full(path)),
            CoroutineAt::Path(path) => format!("{kind:?} at {}", full(path)),
            CoroutineAt::Span(span) => format!("{kind:?} at {span}"),
        },
        _ => String::new(),
    }
}

/// So many blocks before one are looked at for a place to show.
const NEAR: usize = 64;

impl Body {
    /// Whether this is the `drop` of a type.
    pub fn is_drop(&self) -> bool {
        let tr = self.path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
        tr.is_some_and(|tr| tr.last() == "Drop") && self.path.last() == "drop"
    }

    /// Its name for readers without the layer that async functions are wrapped in.
    pub(crate) fn reader_name(&self) -> &str {
        match self.own_type().map(|ty| &**ty) {
            Some(TyKind::Coroutine(coroutine)) if coroutine.kind == CoroutineKind::AsyncFn => {
                self.name.strip_suffix("::{closure#0}").unwrap_or(&self.name)
            }
            _ => &self.name,
        }
    }

    /// The same with the modules that it is in: definitions have them, names go without.
    pub(crate) fn whole_name(&self) -> String {
        let modules = match self.def.find("<impl at ") {
            Some(at) => &self.def[..at],
            None => self.def.strip_suffix(&*self.name).unwrap_or_default(),
        };
        format!("{modules}{}", self.reader_name())
    }

    /// The closure or coroutine type this is the body of.
    pub fn own_type(&self) -> Option<&Ty> {
        match &self.kind {
            BodyKind::Closure { ty } | BodyKind::Coroutine { ty } => Some(ty),
            _ => None,
        }
    }

    /// Whether it is what a future runs.
    pub fn is_future(&self) -> bool {
        matches!(self.kind, BodyKind::Coroutine { .. })
    }

    /// The return type.
    pub fn output(&self) -> &Ty {
        &self.locals[0].ty
    }

    /// The argument types.
    pub fn inputs(&self) -> impl Iterator<Item = &Ty> {
        self.locals[1..].iter().take(self.arg_count as usize).map(|local| &local.ty)
    }

    /// The places that are borrowed to be read.
    pub fn shared(&self) -> impl Iterator<Item = &Place> {
        let statements = self.blocks.iter().flat_map(|block| &block.statements);
        statements.filter_map(|statement| match &statement.kind {
            StatementKind::Assign(_, Rvalue::Ref(BorrowKind::Shared, place)) => Some(place),
            _ => None,
        })
    }

    /// Tells of each field of a struct or enum on the way to a place: of what type, which variant and number, and the field's type.
    pub fn fields_in<'b>(&'b self, place: &'b Place, found: &mut dyn FnMut(&'b Path, (Name, u32), &'b Ty)) {
        let Some(mut ty) = self.locals.get(place.local.0 as usize).map(|decl| &decl.ty) else { return };
        let mut variant = None;
        for step in &place.projection {
            match step {
                Projection::Deref => match &**ty {
                    TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => ty = to,
                    // A box.
                    TyKind::Path(path) => match path.type_args().next() {
                        Some(to) => ty = to,
                        None => return,
                    },
                    _ => return,
                },
                Projection::Downcast(name) => variant = Some(name.clone()),
                Projection::Field(number, field) => {
                    let key = (variant.take().unwrap_or_default(), *number);
                    if let TyKind::Path(path) = &**ty {
                        found(path, key, field);
                    }
                    ty = field;
                }
                Projection::Cast(to) => ty = to,
                Projection::Index(_) | Projection::ConstantIndex { .. } => match &**ty {
                    TyKind::Slice(of) | TyKind::Array(of, _) => ty = of,
                    _ => return,
                },
                Projection::Subslice { .. } => {}
            }
        }
    }

    /// The places that statements fill, read and refer to, and those that calls are given and fill.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.blocks.iter().flat_map(|block| {
            let assigned = block.statements.iter().filter_map(|statement| match &statement.kind {
                StatementKind::Assign(place, rvalue) => Some((place, rvalue)),
                _ => None,
            });
            let assigned = assigned.flat_map(|(place, rvalue)| std::iter::once(place).chain(rvalue.places()));
            let call = match &block.terminator.kind {
                TerminatorKind::Call(call) => Some(call),
                _ => None,
            };
            let given = call.into_iter().flat_map(|call| {
                call.args.iter().filter_map(Operand::place).chain(std::iter::once(&call.dest))
            });
            assigned.chain(given)
        })
    }

    /// The definition path of the body this one is nested in: that of `f` for `f::{closure#0}`.
    pub fn parent_def(&self) -> Option<&str> {
        self.def.rsplit_once("::").map(|(parent, _)| parent)
    }

    /// A place to show for a statement (or the terminator, one past the statements): its own, or, when that is in a macro
    /// of std or of a dependency, the nearest one of the user's: in the same block, or else in the blocks before it. Those
    /// before it come first, as arguments of a macro are evaluated before what it does with them; places of the same scope
    /// come before all others.
    pub fn user_span(&self, block: super::Block, statement: usize) -> &Span {
        let number = block.0 as usize;
        let block = &self.blocks[number];
        let sources: Vec<&super::SourceInfo> = block
            .statements
            .iter()
            .map(|statement| &statement.source)
            .chain([&block.terminator.source])
            .collect();
        let own = sources[statement.min(sources.len() - 1)];
        if own.span.is_own() {
            return &own.span;
        }
        let before = sources[..statement.min(sources.len())].iter().rev();
        let after = sources[statement.min(sources.len())..].iter();
        let candidates: Vec<&&super::SourceInfo> =
            before.chain(after).filter(|source| source.span.is_own()).collect();
        let same_scope = candidates.iter().find(|source| source.scope == own.scope);
        let nearest = same_scope.or(candidates.first()).map(|source| &source.span);
        nearest.or_else(|| self.span_before(number)).unwrap_or(&self.span)
    }

    /// The last place of the user's in the nearest block before one that has any.
    fn span_before(&self, block: usize) -> Option<&Span> {
        let mut seen = vec![block];
        let mut next = 0;
        while let Some(&at) = seen.get(next).filter(|_| next < NEAR) {
            next += 1;
            for (before, block) in self.blocks.iter().enumerate() {
                if seen.contains(&before) || !block.terminator.kind.successors().contains(&at) {
                    continue;
                }
                let statements = block.statements.iter().map(|statement| &statement.source.span);
                let last = statements.chain([&block.terminator.source.span]).rfind(|span| span.is_own());
                if last.is_some() {
                    return last;
                }
                seen.push(before);
            }
        }
        None
    }

    /// The statics it names, with the allocation numbers.
    pub fn statics(&self) -> impl Iterator<Item = (u32, &Name)> {
        self.allocs.iter().filter_map(|alloc| match &alloc.kind {
            super::AllocKind::Static(name) | super::AllocKind::ExternStatic(name) => Some((alloc.id, name)),
            _ => None,
        })
    }
}
