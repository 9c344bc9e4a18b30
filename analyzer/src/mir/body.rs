//! Bodies: functions, closures, coroutines, statics, constants.

use serde::{Deserialize, Serialize};

use super::{Constant, Name, Path, Place, Span, Statement, Terminator, Ty};

/// Index of a local in [`Body::locals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Local(pub u32);

/// Index of a basic block in [`Body::blocks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block(pub u32);

/// Index of a lexical scope in [`Body::scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Scope(pub u32);

impl Local {
    /// The return place, `_0`.
    pub const RETURN: Local = Local(0);
}

/// One body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// rustc's definition path: `<impl at src/lib.rs:50:62: 50:81>::handle`. Two impls that one macro wrote can share it.
    pub def: Name,
    /// The name for readers: `<u8 as Handler>::handle`, `S::<T>::get`. Modules are trimmed for some items. Equal to `def`
    /// when rustc gave no better one (promoted constants, some constants).
    pub name: Name,
    /// `name` as a path. Modules are trimmed, so compare it with a callee from the end on.
    pub path: Path,
    /// What it is the body of.
    pub kind: BodyKind,
    /// Which of rustc's forms this is.
    pub origin: Origin,
    /// Where it is: from the signature to the end of the body, as far as MIR tells.
    pub span: Span,
    /// The number of arguments; they are the locals from 1 on.
    pub arg_count: u32,
    /// The return place, the arguments, the variables and the temporaries.
    pub locals: Vec<LocalDecl>,
    /// User variables: what the programmer called a place.
    pub vars: Vec<VarInfo>,
    /// The lexical scopes; 0 is the outermost.
    pub scopes: Vec<ScopeData>,
    /// The code; execution starts at 0.
    pub blocks: Vec<BasicBlock>,
    /// The memory its constants refer to, by the numbers rustc gave out; statics among them.
    pub allocs: Vec<Alloc>,
    /// Whether the source says `pub` in front of it, or it belongs to a trait: callers outside of the crate may reach it.
    #[serde(default)]
    pub public: bool,
    /// Whether it has a symbol that code in other languages can call.
    #[serde(default)]
    pub exported: bool,
}

/// What a body belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BodyKind {
    /// A function or method.
    Fn,
    /// The constructor function of a tuple struct or variant.
    Constructor,
    /// A closure; `ty` is its type as other bodies name it, without the reference of `&self`.
    Closure {
        /// The closure's own type, [`TyKind::Closure`](super::TyKind::Closure).
        ty: Ty,
    },
    /// The body of a future (or generator); `ty` is its type as other bodies name it.
    Coroutine {
        /// The coroutine's own type, [`TyKind::Coroutine`](super::TyKind::Coroutine).
        ty: Ty,
    },
    /// `const X: T = ...`, inline constants included.
    Const,
    /// `static X: T = ...`
    Static {
        /// `static mut`
        mutable: bool,
    },
    /// A constant that rustc cut out of the body `of`: `const of::promoted[index]`.
    Promoted {
        /// Definition path of the body it was cut out of.
        of: Name,
        /// Which.
        index: u32,
    },
}

/// Which of rustc's forms a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// The final MIR, unoptimised, drops elaborated.
    Final,
    /// A coroutine before the transform: it reads like the source, with `yield`.
    BeforeTransform,
    /// A coroutine after the transform, a state machine, because the better form was not to be had.
    Transformed,
}

/// A local of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalDecl {
    /// Its type.
    pub ty: Ty,
    /// Declared `mut` (temporaries always are).
    pub mutable: bool,
    /// The user's name for the whole local, when it has one.
    pub name: Option<Name>,
    /// The scope it is declared in.
    pub scope: Scope,
    /// Where.
    pub span: Span,
}

/// What the programmer called a place: `x` is `_1`, a captured `x` is `(*((*_1).0: &mut u32))`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarInfo {
    /// The variable's name.
    pub name: Name,
    /// What it stands for.
    pub value: VarValue,
    /// The scope the name is visible in.
    pub scope: Scope,
    /// Where it is declared.
    pub span: Span,
}

/// What a user variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarValue {
    /// A place.
    Place(Place),
    /// A constant.
    Const(Constant),
}

/// A lexical scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeData {
    /// The scope around it; none for the outermost.
    pub parent: Option<Scope>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BasicBlock {
    /// Only reached by unwinding.
    pub cleanup: bool,
    /// Straight-line code.
    pub statements: Vec<Statement>,
    /// How it ends.
    pub terminator: Terminator,
}

/// Memory that constants of a body refer to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alloc {
    /// rustc's number for it, unique within a crate.
    pub id: u32,
    /// What it is.
    pub kind: AllocKind,
}

/// What an allocation is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AllocKind {
    /// A static of this or another crate: its path.
    Static(Name),
    /// A static declared in an `extern` block.
    ExternStatic(Name),
    /// A function.
    Fn(Name),
    /// A vtable: `impl Tr for Ty`, as text.
    Vtable(Name),
    /// Plain memory of a constant.
    Memory,
}
