//! MIR as data: what rustc made of a crate, free of any text format.
//!
//! Everything here is plain, serialisable and owns its parts. Types, names and file names are shared behind [`Arc`]s,
//! so cloning is cheap and equality is structural across crates. How rustc prints MIR is known to [`text`] alone:
//! whoever fills these values in is replaceable.
//!
//! **Invariants**
//!
//! * `body.locals[0]` is the return place, `body.locals[1..=arg_count]` are the arguments.
//! * Every [`Block`] index in a terminator is below `body.blocks.len()`, every [`Local`] below `body.locals.len()`.
//! * A body of an `async fn`, async block or async closure is the one *before* rustc's coroutine transform, with
//!   [`TerminatorKind::Yield`], unless [`Body::origin`] says [`Origin::Transformed`].
//! * A body that could not be read is in [`Crate::not_analysed`], never absent without a trace.
//!
//! [`Arc`]: std::sync::Arc

mod body;
mod captured;
mod display;
mod index;
mod mentions;
mod span;
mod stmt;
pub mod text;
mod threading;
mod ty;

pub use body::{
    Alloc, AllocKind, BasicBlock, Block, Body, BodyKind, Local, LocalDecl, Origin, Scope, ScopeData, VarInfo,
    VarValue,
};
pub use captured::complete as complete_captures;
pub use index::Index;
pub use mentions::mentions;
pub use span::{Name, SourceInfo, Span};
pub use stmt::{
    AggregateKind, BorrowKind, CallTarget, Callee, ConstKind, Constant, Operand, Place, Projection, Rvalue,
    Statement, StatementKind, Terminator, TerminatorKind, Unwind,
};
pub use threading::thread_jumps;
pub use ty::{
    Coroutine, CoroutineAt, CoroutineKind, FnSig, GenericArg, Path, Prim, QSelf, Segment, Ty, TyKind,
};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One crate as rustc compiled it: a library, a binary, a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crate {
    /// The crate's name as rustc knows it (`mini_redis`, with underscores).
    pub name: Name,
    /// What cargo calls the kind of target: `lib`, `cdylib`, `bin`, `example`, `test`, `bench`, `proc-macro`; the first when it has several.
    pub kind: Name,
    /// The package the crate belongs to, as cargo names it.
    pub package: Name,
    /// The version line of the compiler that produced the bodies: `1.95.0 (59807616e 2026-04-14)`.
    pub rustc: Name,
    /// All bodies, in rustc's order.
    pub bodies: Vec<Body>,
    /// Constants whose values rustc gave without a body: numbers, mostly. [`ConstKind::Named`] refers to them.
    pub constants: Vec<NamedConst>,
    /// What could not be read, and why.
    pub not_analysed: Vec<NotAnalysed>,
    /// Names of fields, as the source declares them. MIR has only the names of what is constructed somewhere.
    #[serde(default)]
    pub fields: Vec<FieldNames>,
    /// The variants of its enums.
    #[serde(default)]
    pub variants: Vec<Variants>,
    /// The names of the crate's own traits.
    #[serde(default)]
    pub traits: Vec<Name>,
    /// The names that stood in what rustc printed where there are others here, for they mean the same.
    #[serde(default)]
    pub renamed: BTreeSet<String>,
}

/// The names of the fields of a struct, or of a variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldNames {
    /// The type's path in its crate.
    pub ty: Name,
    /// The variant; empty for a struct.
    pub variant: Name,
    /// In order of declaration.
    pub names: Vec<Name>,
}

/// The variants of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variants {
    /// The type's path in its crate.
    pub ty: Name,
    /// Their names and discriminants, in order of declaration.
    pub all: Vec<(Name, i128)>,
}

impl Crate {
    /// Whether others call it: see [`is_library`].
    pub fn is_library(&self) -> bool {
        is_library(&self.kind)
    }
}

/// Whether cargo's kind of target is made for others to call, be they written in Rust or not.
pub fn is_library(kind: &str) -> bool {
    matches!(kind, "lib" | "rlib" | "dylib" | "cdylib" | "staticlib")
}

/// A constant with its value: `const WAITING: usize = 0;`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedConst {
    /// Its definition path.
    pub def: Name,
    /// Its type.
    pub ty: Ty,
    /// Its value.
    pub value: ConstKind,
}

/// Something the extraction could not turn into data. It counts as unknown, never as clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAnalysed {
    /// What is missing: the name of a body, or of a whole crate.
    pub name: String,
    /// Why, in a sentence for the user.
    pub reason: String,
    /// The text that could not be read, when there was one.
    pub detail: Option<String>,
    /// Where it is in the source; [`Span::is_none`] when unknown.
    pub span: Span,
}
