//! Types and paths.
//!
//! Lifetimes are dropped: nothing downstream needs them, and rustc erases most of them anyway.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Name, Span};

/// A type, shared. Dereferences to [`TyKind`]; equality and hashing are structural.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ty(Arc<TyKind>);

impl From<TyKind> for Ty {
    fn from(kind: TyKind) -> Self {
        Ty(Arc::new(kind))
    }
}

impl Deref for Ty {
    type Target = TyKind;
    fn deref(&self) -> &TyKind {
        &self.0
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
        !matches!(self, Prim::Bool | Prim::Char | Prim::Str | Prim::F16 | Prim::F32 | Prim::F64 | Prim::F128)
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
