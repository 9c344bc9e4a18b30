//! Types and paths.
//!
//! Lifetimes are dropped: nothing downstream needs them, and rustc erases most of them anyway.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Name, Span};

/// A type, shared. Dereferences to [`TyKind`]; equality and hashing are structural, and cheap: a type knows its hash.
#[derive(Clone)]
pub struct Ty(Arc<Known>);

/// A type and what is known of it.
struct Known {
    kind: TyKind,
    hash: u64,
    size: u32,
}

impl Ty {
    /// How many types it is made of, itself included, each counted as often as it occurs. Generic code that is instantiated
    /// with its own types makes ever larger ones.
    pub fn size(&self) -> u32 {
        self.0.size
    }
}

impl From<TyKind> for Ty {
    fn from(kind: TyKind) -> Self {
        let mut hasher = FxHasher::default();
        kind.hash(&mut hasher);
        let mut size = 1_u32;
        kind.each_part(&mut |part| size = size.saturating_add(part.size()));
        Ty(Arc::new(Known { hash: hasher.finish(), size, kind }))
    }
}

impl Deref for Ty {
    type Target = TyKind;
    fn deref(&self) -> &TyKind {
        &self.0.kind
    }
}

impl PartialEq for Ty {
    fn eq(&self, other: &Ty) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.kind == other.0.kind)
    }
}

impl Eq for Ty {}

impl Hash for Ty {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Ord for Ty {
    fn cmp(&self, other: &Ty) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.kind.cmp(&other.0.kind) }
    }
}

impl PartialOrd for Ty {
    fn partial_cmp(&self, other: &Ty) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Ty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.kind.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Ty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ty, D::Error> {
        TyKind::deserialize(deserializer).map(Ty::from)
    }
}

impl std::fmt::Debug for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TyKind {
    /// A primitive: `u8`, `str`, `bool`, ...
    Prim(Prim),
    /// `!`
    Never,
    /// `std::sync::Mutex<T>`; also a generic parameter (`T`, `Self`): a path of one segment without arguments is
    /// either a parameter or an item at the crate's root, and MIR does not say which. Also an associated type,
    /// `<T as Iterator>::Item`, which has [`Path::qself`].
    Path(Path),
    /// `&T`, `&mut T`
    Ref {
        /// `&mut`
        mutable: bool,
        /// What it points to.
        to: Ty,
    },
    /// `*const T`, `*mut T`
    Ptr {
        /// `*mut`
        mutable: bool,
        /// What it points to.
        to: Ty,
    },
    /// `[T]`
    Slice(Ty),
    /// `[T; N]`, the length as written: a number, a parameter or an expression.
    Array(Ty, Name),
    /// `(A, B)`; `()` is the empty tuple.
    Tuple(Vec<Ty>),
    /// `fn(A) -> B`
    FnPtr(FnSig),
    /// The type of one function item, `fn(A) -> B {path}`.
    FnDef(FnSig, Path),
    /// `dyn Tr<Assoc = T> + Send`
    Dyn(Vec<Path>),
    /// `impl Tr + Send`: an opaque type, or an anonymous parameter.
    Impl(Vec<Path>),
    /// A closure; the path is that of its body (`run::{closure#0}`) with the generics of the function around it.
    /// [`Index::closure`](super::Index::closure) finds the body. `is_async` marks `async ||`.
    Closure {
        /// Path of the body.
        path: Path,
        /// An async closure.
        is_async: bool,
    },
    /// The future an `async fn`, async block or async closure evaluates to;
    /// [`Index::coroutine`](super::Index::coroutine) finds the body.
    Coroutine(Coroutine),
    /// Anything else, as text: pattern types, unsafe binders, error types.
    Other(Name),
}

impl TyKind {
    /// Calls back with each type that this one is directly made of, those in paths included.
    pub(super) fn each_part(&self, seen: &mut dyn FnMut(&Ty)) {
        match self {
            TyKind::Prim(_) | TyKind::Never | TyKind::Other(_) => {}
            TyKind::Path(path) | TyKind::Closure { path, .. } => path.each_type(seen),
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => seen(to),
            TyKind::Slice(of) | TyKind::Array(of, _) => seen(of),
            TyKind::Tuple(parts) => parts.iter().for_each(seen),
            TyKind::FnPtr(sig) => sig.each_type(seen),
            TyKind::FnDef(sig, path) => {
                sig.each_type(seen);
                path.each_type(seen);
            }
            TyKind::Dyn(paths) | TyKind::Impl(paths) => paths.iter().for_each(|path| path.each_type(seen)),
            TyKind::Coroutine(coroutine) => match &coroutine.at {
                CoroutineAt::Fn(path) | CoroutineAt::Path(path) => path.each_type(seen),
                CoroutineAt::Span(_) => {}
            },
        }
    }
}

impl FnSig {
    fn each_type(&self, seen: &mut dyn FnMut(&Ty)) {
        self.inputs.iter().for_each(&mut *seen);
        seen(&self.output);
    }
}

/// The types with names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Prim {
    Bool,
    Char,
    Str,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F16,
    F32,
    F64,
    F128,
}

impl Prim {
    /// All of them with their names.
    pub const ALL: [(&'static str, Prim); 19] = [
        ("bool", Prim::Bool),
        ("char", Prim::Char),
        ("str", Prim::Str),
        ("i8", Prim::I8),
        ("i16", Prim::I16),
        ("i32", Prim::I32),
        ("i64", Prim::I64),
        ("i128", Prim::I128),
        ("isize", Prim::Isize),
        ("u8", Prim::U8),
        ("u16", Prim::U16),
        ("u32", Prim::U32),
        ("u64", Prim::U64),
        ("u128", Prim::U128),
        ("usize", Prim::Usize),
        ("f16", Prim::F16),
        ("f32", Prim::F32),
        ("f64", Prim::F64),
        ("f128", Prim::F128),
    ];

    /// The name in source text.
    pub fn as_str(self) -> &'static str {
        Prim::ALL.iter().find(|(_, prim)| *prim == self).map_or("", |(name, _)| name)
    }

    /// The primitive of that name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().find(|(text, _)| *text == name).map(|(_, prim)| *prim)
    }

    /// True for the signed and unsigned integers.
    pub fn is_integer(self) -> bool {
        self.integer().is_some()
    }

    /// For an integer, how many bits it has, and whether it is signed.
    pub fn integer(self) -> Option<(u32, bool)> {
        match self {
            Prim::I8 => Some((8, true)),
            Prim::I16 => Some((16, true)),
            Prim::I32 => Some((32, true)),
            Prim::I64 | Prim::Isize => Some((64, true)),
            Prim::I128 => Some((128, true)),
            Prim::U8 => Some((8, false)),
            Prim::U16 => Some((16, false)),
            Prim::U32 => Some((32, false)),
            Prim::U64 | Prim::Usize => Some((64, false)),
            Prim::U128 => Some((128, false)),
            Prim::Bool | Prim::Char | Prim::Str | Prim::F16 | Prim::F32 | Prim::F64 | Prim::F128 => None,
        }
    }

    /// The integer of this type that has these bits, which is how MIR names the targets of a switch; `None` when it is none,
    /// or not among `i128`.
    pub fn from_bits(self, bits: u128) -> Option<i128> {
        let (width, signed) = self.integer()?;
        let unused = u128::BITS - width;
        match signed {
            true => Some((bits << unused) as i128 >> unused),
            false => i128::try_from(bits).ok(),
        }
    }
}

/// A function's parameters and result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FnSig {
    /// Parameter types. With `abi` `rust-call` the last one is the tuple of the real parameters.
    pub inputs: Vec<Ty>,
    /// The result; `()` when none is written.
    pub output: Ty,
    /// `unsafe fn`
    pub is_unsafe: bool,
    /// `fn(A, ...)`
    pub variadic: bool,
    /// The text of `extern "..."`, empty for Rust's own.
    pub abi: Name,
}

/// The kind and identity of a coroutine type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Coroutine {
    /// What it was in the source.
    pub kind: CoroutineKind,
    /// Which one.
    pub at: CoroutineAt,
}

/// What a coroutine was in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CoroutineKind {
    /// Body of an `async fn`.
    AsyncFn,
    /// `async {}` or `async move {}`
    AsyncBlock,
    /// Body of `async || {}`
    AsyncClosure,
    /// `gen` and `async gen` of any form, and plain coroutines.
    Other,
}

/// How rustc names a coroutine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CoroutineAt {
    /// The function whose body it is: `{async fn body of f()}`.
    Fn(Path),
    /// The start of the block: `{async block@src/lib.rs:1:2: 1:7}`.
    Span(Span),
    /// A path, for those of other crates.
    Path(Path),
}

/// A path to an item, with generic arguments where they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path {
    /// The `<X as Trait<A>>` or `<X>` at the start.
    pub qself: Option<Box<QSelf>>,
    /// What follows: `std`, `sync`, `Mutex::<T>`, `lock`.
    pub segments: Vec<Segment>,
}

/// The qualified start of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QSelf {
    /// The self type.
    pub ty: Ty,
    /// The trait with its arguments.
    pub tr: Option<Path>,
}

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Segment {
    /// The identifier, or one of `{closure#0}`, `{constant#0}`, `{impl#0}`, `<impl str>`,
    /// `<impl at src/lib.rs:1:1: 1:9>`.
    pub name: Name,
    /// Generic arguments without lifetimes.
    pub args: Vec<GenericArg>,
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GenericArg {
    /// A type. A const parameter passed on (`N`) looks like a type, too.
    Ty(Ty),
    /// A constant, as text.
    Const(Name),
    /// `Item = T` in a bound. `Fn(A) -> B` is `Fn<(A,), Output = B>`.
    Assoc(Name, Ty),
}

impl Path {
    fn each_type(&self, seen: &mut dyn FnMut(&Ty)) {
        if let Some(qself) = &self.qself {
            seen(&qself.ty);
            if let Some(tr) = &qself.tr {
                tr.each_type(seen);
            }
        }
        for arg in self.segments.iter().flat_map(|segment| &segment.args) {
            match arg {
                GenericArg::Ty(ty) | GenericArg::Assoc(_, ty) => seen(ty),
                GenericArg::Const(_) => {}
            }
        }
    }

    /// The last segment's name, empty for an empty path.
    pub fn last(&self) -> &str {
        self.segments.last().map_or("", |segment| &segment.name)
    }

    /// The generic arguments of the last segment.
    pub fn args(&self) -> &[GenericArg] {
        self.segments.last().map_or(&[], |segment| &segment.args)
    }

    /// The types among the last segment's arguments.
    pub fn type_args(&self) -> impl Iterator<Item = &Ty> {
        self.args().iter().filter_map(|arg| match arg {
            GenericArg::Ty(ty) => Some(ty),
            _ => None,
        })
    }

    /// The path without generic arguments, the form in which models name functions: `std::sync::Mutex::lock`; of
    /// `<X as std::ops::Deref>::deref` it is `std::ops::Deref::deref`; of `<X>::f` it is `f` behind `X`'s own path.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        if let Some(qself) = &self.qself {
            match (&qself.tr, &*qself.ty) {
                (Some(tr), _) => text.push_str(&tr.plain()),
                (None, TyKind::Path(path)) => text.push_str(&path.plain()),
                (None, other) => text.push_str(&other.to_string()),
            }
        }
        for segment in &self.segments {
            if !text.is_empty() {
                text.push_str("::");
            }
            text.push_str(&segment.name);
        }
        text
    }

    /// True when the path without generic arguments reads `text`.
    pub fn is(&self, text: &str) -> bool {
        if self.qself.is_some() {
            return self.plain() == text;
        }
        let mut rest = text;
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 {
                let Some(tail) = rest.strip_prefix("::") else {
                    return false;
                };
                rest = tail;
            }
            let Some(tail) = rest.strip_prefix(&*segment.name) else {
                return false;
            };
            rest = tail;
        }
        rest.is_empty()
    }
}

impl TyKind {
    /// The type behind all references and raw pointers at the outside.
    pub fn peel_refs(&self) -> &TyKind {
        let mut ty = self;
        while let TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } = ty {
            ty = to;
        }
        ty
    }

    /// The type of the elements of slices and arrays, or the type itself.
    pub fn element(&self) -> &TyKind {
        let mut ty = self;
        while let TyKind::Slice(of) | TyKind::Array(of, _) = ty {
            ty = of;
        }
        ty
    }

    /// The path of a named type.
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            TyKind::Path(path) => Some(path),
            _ => None,
        }
    }

    /// `()`
    pub fn is_unit(&self) -> bool {
        matches!(self, TyKind::Tuple(parts) if parts.is_empty())
    }

    /// The name, when this may be a generic parameter: one segment, no arguments.
    pub fn maybe_param(&self) -> Option<&Name> {
        match self {
            TyKind::Path(Path { qself: None, segments }) => match &segments[..] {
                [Segment { name, args }] if args.is_empty() => Some(name),
                _ => None,
            },
            _ => None,
        }
    }
}
