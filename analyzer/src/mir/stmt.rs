//! Statements, terminators and what they are made of.

use serde::{Deserialize, Serialize};

use super::{AllocKind, Block, Local, Name, Path, SourceInfo, Span, Ty};

/// A statement with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where.
    pub source: SourceInfo,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatementKind {
    /// `place = rvalue`
    Assign(Place, Rvalue),
    /// `discriminant(place) = variant`
    SetDiscriminant(Place, u32),
    /// The local's storage comes into being.
    StorageLive(Local),
    /// The local's storage goes away.
    StorageDead(Local),
    /// The place is named without being read (`let _ = x;`).
    PlaceMention(Place),
    /// `copy_nonoverlapping(dst, src, count)`
    CopyNonOverlapping {
        /// Destination pointer.
        dst: Operand,
        /// Source pointer.
        src: Operand,
        /// Number of elements.
        count: Operand,
    },
    /// Bookkeeping without effect on data: counters, assumptions, retags, hints.
    Nop,
}

/// A terminator with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminator {
    /// What it does.
    pub kind: TerminatorKind,
    /// Where.
    pub source: SourceInfo,
}

/// How a basic block ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TerminatorKind {
    /// Jump.
    Goto(Block),
    /// Branch on an integer (or `bool`, `char`, discriminant); values are the bits, unsigned.
    SwitchInt {
        /// What is looked at.
        on: Operand,
        /// Values and where they lead.
        targets: Vec<(u128, Block)>,
        /// Where everything else leads.
        otherwise: Option<Block>,
    },
    /// Back to the caller with `_0`.
    Return,
    /// Go on unwinding in the caller.
    Resume,
    /// Never reached.
    Unreachable,
    /// Abort (a panic while unwinding, or out of a function that must not unwind).
    Terminate,
    /// End of the drop path of a coroutine.
    CoroutineDrop,
    /// A call.
    Call(Box<CallTarget>),
    /// Drop the value in the place, if any: where a lock guard is released.
    Drop {
        /// What is dropped.
        place: Place,
        /// Afterwards.
        target: Option<Block>,
        /// When the drop panics.
        unwind: Unwind,
    },
    /// Panic unless `cond` is `expected`.
    Assert {
        /// The condition.
        cond: Operand,
        /// What it has to be.
        expected: bool,
        /// The message's format string.
        message: Name,
        /// When it holds.
        target: Block,
        /// When it does not.
        unwind: Unwind,
    },
    /// A coroutine hands control back (every `.await` of something not ready). Only before the transform.
    Yield {
        /// What is handed out; `()` for futures.
        value: Operand,
        /// Where what `resume` passes in goes.
        resume_arg: Place,
        /// When resumed.
        resume: Block,
        /// When dropped instead.
        drop: Option<Block>,
    },
    /// Inline assembly.
    InlineAsm {
        /// Where it may go on.
        targets: Vec<Block>,
        /// When it unwinds.
        unwind: Unwind,
    },
    /// Real edge and one that only the borrow checker sees.
    FalseEdge(Block),
}

impl TerminatorKind {
    /// The numbers of the blocks that it may lead to, unwinding and what comes after a suspension left out.
    pub fn successors(&self) -> Vec<usize> {
        let one = |block: &Block| block.0 as usize;
        match self {
            TerminatorKind::Goto(to) | TerminatorKind::FalseEdge(to) => vec![one(to)],
            TerminatorKind::SwitchInt { targets, otherwise, .. } => {
                targets.iter().map(|(_, to)| one(to)).chain(otherwise.iter().map(one)).collect()
            }
            TerminatorKind::Call(call) => call.target.iter().map(one).collect(),
            TerminatorKind::Drop { target, .. } => target.iter().map(one).collect(),
            TerminatorKind::Assert { target, .. } => vec![one(target)],
            TerminatorKind::InlineAsm { targets, .. } => targets.iter().map(one).collect(),
            TerminatorKind::Return
            | TerminatorKind::Resume
            | TerminatorKind::Unreachable
            | TerminatorKind::Terminate
            | TerminatorKind::CoroutineDrop
            | TerminatorKind::Yield { .. } => Vec::new(),
        }
    }

    /// The successors, and behind a suspension the block that goes on when it is resumed.
    pub fn resumed_successors(&self) -> Vec<usize> {
        match self {
            TerminatorKind::Yield { resume, .. } => vec![resume.0 as usize],
            kind => kind.successors(),
        }
    }
}

/// What happens on unwinding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unwind {
    /// On to the caller.
    Continue,
    /// It cannot happen.
    Unreachable,
    /// Abort.
    Terminate,
    /// Clean up at this block.
    Cleanup(Block),
}

/// A call: who, with what, where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTarget {
    /// Who is called.
    pub callee: Callee,
    /// The arguments.
    pub args: Vec<Operand>,
    /// Where the result goes.
    pub dest: Place,
    /// Where to go on; none when the callee never returns.
    pub target: Option<Block>,
    /// When it panics.
    pub unwind: Unwind,
    /// The source range of the callee's name alone (`lock` in `self.m.lock()`), when rustc gave it.
    pub fn_span: Span,
    /// `become f(x)`: the callee's return is this body's return.
    pub tail: bool,
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// A function named in the text, with the generic arguments of this call.
    Fn {
        /// `std::sync::Mutex::<T>::lock`, or `<X as Tr>::f` with [`Path::qself`].
        path: Path,
        /// Its type at this call, [`TyKind::FnDef`](super::TyKind::FnDef): parameters with the call's arguments put in.
        /// Unify them with the callee's own to learn its generic arguments.
        ty: Option<Ty>,
    },
    /// A function pointer or other value.
    Value(Operand),
}

/// A place: a local and how to get from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Where it starts.
    pub local: Local,
    /// The steps, first one first.
    pub projection: Vec<Projection>,
}

impl From<Local> for Place {
    fn from(local: Local) -> Self {
        Place { local, projection: Vec::new() }
    }
}

impl Place {
    /// The local, when there is nothing behind it.
    pub fn as_local(&self) -> Option<Local> {
        self.projection.is_empty().then_some(self.local)
    }
}

/// One step of a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Projection {
    /// `*p`
    Deref,
    /// Field by number, with the field's type.
    Field(u32, Ty),
    /// An enum variant: its name, or `variant#3` for a coroutine's state.
    Downcast(Name),
    /// `p[_3]`
    Index(Local),
    /// `p[offset of min_length]`; from the end when `from_end`.
    ConstantIndex {
        /// Which element.
        offset: u64,
        /// The length known at this point.
        min_length: u64,
        /// Counting from the end.
        from_end: bool,
    },
    /// `p[from..to]`; `to` counts from the end when `from_end`.
    Subslice {
        /// First element.
        from: u64,
        /// One past the last, or how many are left off at the end.
        to: u64,
        /// `to` counts from the end.
        from_end: bool,
    },
    /// Seen through another type (opaque type revealed, or subtype, or unwrapped binder).
    Cast(Ty),
}

/// What a statement reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// A copy of a place.
    Copy(Place),
    /// The value of a place, which is uninitialised afterwards.
    Move(Place),
    /// A constant; a function passed as a value is [`ConstKind::Fn`].
    Const(Box<Constant>),
}

impl Operand {
    /// The place it reads.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Operand::Copy(place) | Operand::Move(place) => Some(place),
            Operand::Const(_) => None,
        }
    }

    /// The truth value that it is, if it is a constant one.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Operand::Const(constant) => match constant.kind {
                ConstKind::Bool(value) => Some(value),
                _ => None,
            },
            Operand::Copy(_) | Operand::Move(_) => None,
        }
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// Its value as far as MIR has it.
    pub kind: ConstKind,
    /// Its type, where MIR says (literals carry theirs, most others have it noted).
    pub ty: Option<Ty>,
    /// Where it is written, where MIR says.
    pub span: Span,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstKind {
    /// An integer; its type is the constant's. Unsigned ones above `i128::MAX` are [`ConstKind::Other`].
    Int(i128),
    /// `true`, `false`
    Bool(bool),
    /// `'c'`
    Char(char),
    /// A string literal, unescaped.
    Str(Name),
    /// `()`
    Unit,
    /// A named constant, not evaluated: `K`, `<H as Tr>::Z`, `f::promoted[0]`.
    Named(Path),
    /// A function (or constructor) as a value.
    Fn(Path),
    /// A pointer to memory: of a static, mostly. `id` is rustc's number, see [`Body::allocs`](super::Body::allocs).
    Alloc {
        /// rustc's number.
        id: u32,
        /// What the number stands for.
        what: AllocKind,
    },
    /// Anything else, as text: floats, byte strings, structs.
    Other(Name),
}

/// What is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rvalue {
    /// The operand itself.
    Use(Operand),
    /// `[x; N]`
    Repeat(Operand, Name),
    /// `&p`, `&mut p`
    Ref(BorrowKind, Place),
    /// `&raw const p`, `&raw mut p`
    RawPtr {
        /// `&raw mut`
        mutable: bool,
        /// Of what.
        place: Place,
    },
    /// The address of a `#[thread_local]` static.
    ThreadLocalRef(Name),
    /// `op as ty (kind)`, the kind as rustc has it: `IntToInt`, `PointerCoercion(Unsize, Implicit)`, ...
    Cast(Name, Operand, Ty),
    /// A binary operator by rustc's name, `Add`, `AddWithOverflow`, `Eq`, ...
    Binary(Name, Box<(Operand, Operand)>),
    /// A unary operator: `Not`, `Neg`, `PtrMetadata`.
    Unary(Name, Operand),
    /// The variant an enum (or state a coroutine) is in.
    Discriminant(Place),
    /// The length of an array or slice.
    Len(Place),
    /// A copy made only to dereference it.
    CopyForDeref(Place),
    /// Something built of parts.
    Aggregate(Box<AggregateKind>, Vec<Operand>),
    /// An operator without operands on data: `SizeOf(T)`, `UbChecks()`, as text.
    Nullary(Name),
    /// `wrap_binder!(op; ty)` and `ShallowInitBox(op, ty)`
    Wrap(Operand, Ty),
}

impl Rvalue {
    /// The operands.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Rvalue::Use(operand)
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Unary(_, operand)
            | Rvalue::Wrap(operand, _) => vec![operand],
            Rvalue::Binary(_, operands) => vec![&operands.0, &operands.1],
            Rvalue::Aggregate(_, operands) => operands.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The operands, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        match self {
            Rvalue::Use(operand)
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Unary(_, operand)
            | Rvalue::Wrap(operand, _) => vec![operand],
            Rvalue::Binary(_, operands) => vec![&mut operands.0, &mut operands.1],
            Rvalue::Aggregate(_, operands) => operands.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The places that it is made of, those included that it only refers to or asks for.
    pub fn places(&self) -> Vec<&Place> {
        match self {
            Rvalue::Ref(_, place)
            | Rvalue::RawPtr { place, .. }
            | Rvalue::Discriminant(place)
            | Rvalue::Len(place)
            | Rvalue::CopyForDeref(place) => vec![place],
            _ => self.operands().into_iter().filter_map(Operand::place).collect(),
        }
    }
}

/// How a reference borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BorrowKind {
    /// `&`
    Shared,
    /// `&mut`
    Mut,
    /// Only for the borrow checker (match guards).
    Fake,
}

/// What an aggregate builds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AggregateKind {
    /// `(a, b)`
    Tuple,
    /// `[a, b]`
    Array,
    /// A struct, enum variant or union. Enum variants end in the variant's name; the operands are the fields in order
    /// of declaration, and `fields` their names: empty for tuple-like and unit ones.
    Adt {
        /// `Poll::<u32>::Ready`, `S::<T>`
        path: Path,
        /// Field names.
        fields: Vec<Name>,
    },
    /// A closure with its captures.
    Closure {
        /// As printed; the type of the place assigned to says more.
        path: Path,
        /// Definition path of its body, [`Body::def`](super::Body::def).
        body: Name,
        /// The captured variables' names, as far as MIR has them.
        captures: Vec<Name>,
    },
    /// The future of an `async fn`, async block or async closure with its captures.
    Coroutine {
        /// The whole block.
        span: Span,
        /// Definition path of its body, [`Body::def`](super::Body::def).
        body: Name,
        /// The captured variables' names, as far as MIR has them.
        captures: Vec<Name>,
    },
    /// A wide pointer made of address and metadata.
    RawPtr {
        /// `*mut`
        mutable: bool,
        /// What it points to.
        to: Ty,
    },
}
