//! Locations and what they hold: pointers to other locations, and code.
//!
//! A location is a local of an instance, an allocation, a static, or a field of one. Locations of wrappers (`Option`,
//! `Mutex`, `Vec`, everything foreign without a model) are those of what they contain: a container has one element.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use litemap::LiteMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{Name, Path, Ty, TyKind};

use crate::world::points::bodies::BodyId;
use crate::world::points::given::Captures;
use crate::world::points::object::Maker;
use crate::world::points::passage::{Holds, Passages};
use crate::world::points::points_to::InstId;
use crate::world::points::types::Subst;

/// Fields below this depth are one with the location at this depth, so that recursive types end.
const MAX_DEPTH: u8 = 6;
/// The same, where little is told apart.
const COARSE_DEPTH: u8 = 2;

/// A location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LocId(pub u32);

/// Where a tree of locations starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Root {
    /// A local variable of an instance.
    Local(InstId, u32),
    /// What a call in a block of an instance allocated.
    Heap(InstId, u32),
    /// What goes into a library function (from 1) that a call in a block of an instance is given to call, and comes out of it (0).
    Item(InstId, u32, u32),
    /// A static, by its path and program.
    Static(Name, u32, Option<BodyId>),
    /// A `thread_local!`.
    ThreadLocal(Name),
    /// The object that all calls from outside share, by type; also what constants refer to. With the program.
    Outside(String, u32),
    /// The object that a call from outside has to itself, by type. With the program.
    Alone(String, u32),
}

/// Variant (empty for structs, tuples, captures) and number of a field.
pub(crate) type Field = (Name, u32);

/// A part of what is in a location: a field, and the name of the type that it is one of (empty for tuples and captures), for values of
/// several types may be in one location: what is in a `Result` has the fields of the one or of the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Part {
    pub owner: Name,
    pub field: Field,
    /// It is no field, but what else the analysis knows of a location; its owner is a name for that.
    beside: bool,
}

impl Part {
    /// A field of a type.
    pub fn of(owner: &TyKind, field: Field) -> Part {
        let name = owner.as_path().and_then(|path| path.segments.last()).map(|last| last.name.clone());
        Part { owner: name.unwrap_or_default(), field, beside: false }
    }

    /// A part of a tuple, or of what a closure holds.
    pub fn numbered(number: u32) -> Part {
        Part { owner: Name::default(), field: (Name::default(), number), beside: false }
    }

    /// Whether it is a field of a type that has a name.
    pub fn is_field(&self) -> bool {
        !self.beside && !self.owner.is_empty()
    }

    /// What is no field, but what else the analysis knows of a location, under a name that no type has.
    pub fn beside(name: &str, number: u32) -> Part {
        Part { owner: name.into(), field: (Name::default(), number), beside: true }
    }
}

/// Parts that stand for a lock within what another one guards, numbered from outside: it is the same location otherwise.
pub(crate) const INNER: &str = "{lock}";

/// The part of what is pointed to that is the number of those who hold it.
pub(crate) const HOLDERS: &str = "{holders}";

/// Code as a value: it flows where the closure, future or function item flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    /// A closure or future with a body, the types it was made with, by whom, and what is known of its captures.
    Body(BodyId, Rc<Subst>, Option<Maker>, Captures),
    /// A function item.
    Fn(Path),
    /// A future of the library function with this path.
    Future(String),
    /// The handle of the tasks spawned in this block.
    Handle(InstId, u32),
    /// The number a variable was made with.
    Initial(i128),
    /// Made with an unknown number.
    Unknown,
    /// The stream, or what runs tasks somewhere, that the call in this block made.
    Made(InstId, u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Loc {
    pub parent: Option<(LocId, Part)>,
    pub root: Rc<Root>,
    pub ty: Option<Ty>,
    pub points_to: BTreeSet<LocId>,
    /// Most locations have none, or one.
    pub values: LiteMap<Value, ()>,
    /// Few, as fields are.
    pub children: LiteMap<Part, LocId>,
    depth: u8,
}

/// Bytes that a location takes, as measured; then those of a pointer or a value in it.
const LOCATION: u64 = 280;
const POINTER: u64 = 12;
const VALUE: u64 = 64;
/// So many pointers are compared again each time: that is faster than to note when it was done.
const FEW: usize = 8;
/// Bytes of such a note.
const COMPARED: u64 = 40;

/// All locations.
pub(crate) struct Heap<'a> {
    passages: Passages<'a>,
    locs: Vec<Loc>,
    roots: FxHashMap<Rc<Root>, LocId>,
    /// By instance and number: roots that are locals, of which there are most.
    locals: Vec<Vec<Option<LocId>>>,
    /// Grows with every change: the fixpoint is reached when a round leaves it as it was.
    pub version: u64,
    /// Pointers that were compared so far.
    pub effort: u64,
    /// Bytes that all of this takes, about: counted, so that it is the same in every run.
    pub size: u64,
    /// Fields below this depth are not told apart.
    deepest: u8,
    /// Grows with every change of a location.
    clock: u64,
    /// By location: the clock at its last change.
    changed: Vec<u64>,
    /// By location: the clock at the last change of it or of a part of it.
    changed_within: Vec<u64>,
    /// By location: whether it or a part of it holds anything. Data that holds nothing is not copied.
    filled: Vec<bool>,
    /// By source and target of what is copied again and again: the clock when that was done last.
    copied: FxHashMap<(LocId, LocId), u64>,
    /// By source and target, where one of them holds many pointers: the clock when these were compared last.
    compared: FxHashMap<(LocId, LocId), u64>,
    /// What is read, while somebody wants to know.
    reads: RefCell<Option<Vec<LocId>>>,
    /// See [`Self::keep_apart`].
    apart: bool,
}

/// What some work read, and when it began. While none of that changes, doing it again changes nothing.
#[derive(Debug)]
pub(crate) struct Reads {
    began: u64,
    of: Vec<LocId>,
}

impl Reads {
    fn size(&self) -> u64 {
        (size_of::<Reads>() + size_of_val(&*self.of)) as u64
    }
}

impl<'a> Heap<'a> {
    pub fn new(passages: Passages<'a>) -> Self {
        Heap {
            passages,
            locs: Vec::new(),
            roots: FxHashMap::default(),
            locals: Vec::new(),
            version: 0,
            effort: 0,
            size: 0,
            deepest: MAX_DEPTH,
            clock: 0,
            changed: Vec::new(),
            changed_within: Vec::new(),
            filled: Vec::new(),
            copied: FxHashMap::default(),
            compared: FxHashMap::default(),
            reads: RefCell::default(),
            apart: false,
        }
    }

    /// From now on, streams are not copied along with what they are in: who makes a stream of another one makes a new one. What was so
    /// before.
    pub fn keep_apart(&mut self, apart: bool) -> bool {
        std::mem::replace(&mut self.apart, apart)
    }

    /// Whether a value is copied to where this may be.
    fn goes(&self, value: &Value, holds: Holds) -> bool {
        holds.value(value) && !(self.apart && matches!(value, Value::Made(..)))
    }

    /// Whether values of a type hold no pointers, be it in fields.
    pub fn is_data(&self, ty: &Ty) -> bool {
        self.passages.holds(Some(ty)).is_data()
    }

    /// Whether it is not known what values of a type are.
    pub fn is_unknown(&self, ty: &TyKind) -> bool {
        self.passages.is_unknown(ty)
    }

    /// Tells less apart from now on.
    pub fn coarsely(&mut self) {
        self.deepest = COARSE_DEPTH;
    }

    pub fn get(&self, id: LocId) -> &Loc {
        self.note(id);
        &self.locs[id.0 as usize]
    }

    /// Begins to note what is read.
    pub fn begin(&mut self) -> Reads {
        self.reads = RefCell::new(Some(Vec::new()));
        Reads { began: self.clock, of: Vec::new() }
    }

    /// Ends what [`Self::begin`] began.
    pub fn end(&mut self, mut reads: Reads) -> Reads {
        reads.of = self.reads.take().unwrap_or_default();
        reads.of.sort_unstable();
        reads.of.dedup();
        reads.of.shrink_to_fit();
        self.size += reads.size();
        reads
    }

    /// Forgets what some work read.
    pub fn forget(&mut self, reads: &Reads) {
        self.size = self.size.saturating_sub(reads.size());
    }

    /// Whether something of what was read changed since that work began.
    pub fn is_outdated(&self, reads: &Reads) -> bool {
        reads.of.iter().any(|id| self.changed[id.0 as usize] > reads.began)
    }

    fn note(&self, id: LocId) {
        if let Some(reads) = &mut *self.reads.borrow_mut() {
            reads.push(id);
        }
    }

    fn touch(&mut self, id: LocId) {
        self.clock += 1;
        self.changed[id.0 as usize] = self.clock;
        let mut at = Some(id);
        while let Some(id) = at {
            self.changed_within[id.0 as usize] = self.clock;
            at = self.locs[id.0 as usize].parent.as_ref().map(|(above, _)| *above);
        }
    }

    /// Notes that a location holds something: whoever found nothing in what it is a part of has to look again.
    fn fill(&mut self, id: LocId) {
        self.touch(id);
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| !self.filled[id.0 as usize]) {
            self.filled[id.0 as usize] = true;
            self.changed[id.0 as usize] = self.clock;
            at = self.locs[id.0 as usize].parent.as_ref().map(|(above, _)| *above);
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = LocId> + use<> {
        (0..self.locs.len() as u32).map(LocId)
    }

    pub fn root(&mut self, root: Root, ty: impl FnOnce() -> Option<Ty>) -> LocId {
        if let Some(id) = self.find(&root) {
            return id;
        }
        let id = LocId(self.locs.len() as u32);
        let root = Rc::new(root);
        self.locs.push(Loc {
            parent: None,
            root: Rc::clone(&root),
            ty: ty(),
            points_to: BTreeSet::new(),
            values: LiteMap::new(),
            children: LiteMap::new(),
            depth: 0,
        });
        self.changed.push(0);
        self.changed_within.push(0);
        self.filled.push(false);
        match *root {
            Root::Local(inst, local) => {
                let (inst, local) = (inst.0 as usize, local as usize);
                if self.locals.len() <= inst {
                    self.locals.resize_with(inst + 1, Vec::new);
                }
                let known = &mut self.locals[inst];
                known.resize(known.len().max(local + 1), None);
                known[local] = Some(id);
            }
            _ => drop(self.roots.insert(root, id)),
        }
        self.version += 1;
        self.size += LOCATION;
        id
    }

    /// The location of a root, if it exists.
    pub fn find(&self, root: &Root) -> Option<LocId> {
        match *root {
            Root::Local(inst, local) => *self.locals.get(inst.0 as usize)?.get(local as usize)?,
            _ => self.roots.get(root).copied(),
        }
    }

    /// Whether a field of a type has a location of its own.
    pub fn tells_apart(&self, owner: &TyKind, field: &TyKind) -> bool {
        self.passages.tells_apart(owner, field)
    }

    pub fn child(&mut self, of: LocId, part: &Part, ty: Option<&Ty>) -> LocId {
        let parent = &self.locs[of.0 as usize];
        if let Some(&id) = parent.children.get(part) {
            if ty.is_some() && self.locs[id.0 as usize].ty.is_none() {
                self.locs[id.0 as usize].ty = ty.cloned();
                self.touch(id);
            }
            return id;
        }
        if parent.depth >= self.deepest {
            return of;
        }
        if let Some(ty) = ty
            && let Some(same) = self.ancestor_of_type(of, ty)
        {
            return same;
        }
        let parent = &self.locs[of.0 as usize];
        let id = LocId(self.locs.len() as u32);
        let (root, depth) = (parent.root.clone(), parent.depth + 1);
        self.locs.push(Loc {
            parent: Some((of, part.clone())),
            root,
            ty: ty.cloned(),
            points_to: BTreeSet::new(),
            values: LiteMap::new(),
            children: LiteMap::new(),
            depth,
        });
        self.changed.push(0);
        self.changed_within.push(0);
        self.filled.push(false);
        self.locs[of.0 as usize].children.insert(part.clone(), id);
        self.touch(of);
        self.version += 1;
        self.size += LOCATION;
        id
    }

    /// A location above (or at) `of` with the type: a recursive type folds back there. So does what is of unknown type in what is of
    /// unknown type: whatever is in the one may be in the other, without end.
    fn ancestor_of_type(&self, of: LocId, ty: &Ty) -> Option<LocId> {
        if matches!(&**ty, TyKind::Prim(_)) {
            return None;
        }
        let is_unknown = self.passages.is_unknown(ty);
        let mut at = of;
        loop {
            let loc = self.get(at);
            let above = loc.parent.as_ref();
            let known = loc.ty.as_ref().filter(|known| match is_unknown {
                true => self.passages.is_unknown(known),
                false => above.is_some() && *known == ty,
            });
            if known.is_some() {
                return Some(at);
            }
            at = above?.0;
        }
    }

    pub fn point(&mut self, from: LocId, to: LocId) {
        if self.locs[from.0 as usize].points_to.insert(to) {
            self.version += 1;
            self.size += POINTER;
            self.fill(from);
        }
    }

    pub fn add_value(&mut self, to: LocId, value: Value) {
        if self.locs[to.0 as usize].values.insert(value, ()).is_none() {
            self.version += 1;
            self.size += VALUE;
            self.fill(to);
        }
    }

    /// Whatever `from` and its fields hold, `to` and its fields hold, too.
    pub fn copy(&mut self, from: LocId, to: LocId) {
        self.copy_but(from, to, None);
    }

    /// As [`Self::copy`], for what is copied in every round: nothing is done while the source is as it was.
    pub fn copy_changes(&mut self, from: LocId, to: LocId) {
        let since = self.copied.insert((from, to), self.clock);
        if since.is_none_or(|since| self.changed_within[from.0 as usize] > since) {
            self.copy(from, to);
        }
    }

    /// As [`Self::copy`], without this field.
    pub fn copy_but(&mut self, from: LocId, to: LocId, but: Option<&Part>) {
        if from == to {
            return;
        }
        self.note(from);
        self.effort += 1;
        let target = &self.locs[to.0 as usize];
        let holds = self.passages.holds(target.ty.as_ref());
        let may_point = holds.points(target.depth >= self.deepest);
        let pointers = if may_point { self.missing(from, to) } else { Vec::new() };
        let source = &self.locs[from.0 as usize];
        let target = &self.locs[to.0 as usize];
        let is_new = |value: &&Value| self.goes(value, holds) && !target.values.contains_key(*value);
        let values = source.values.keys().filter(is_new);
        let values: Vec<Value> = values.cloned().collect();
        let goes = |part: &Part| but != Some(part) && self.passages.has(target.ty.as_ref(), part);
        let children = source.children.iter().filter(|(part, _)| goes(part));
        let children: Vec<(Part, LocId)> = children.map(|(part, id)| (part.clone(), *id)).collect();
        if !pointers.is_empty() || !values.is_empty() {
            self.version += 1;
            self.size += POINTER * pointers.len() as u64 + VALUE * values.len() as u64;
            self.fill(to);
            let target = &mut self.locs[to.0 as usize];
            target.points_to.extend(pointers);
            values.into_iter().for_each(|value| _ = target.values.insert(value, ()));
        }
        self.copy_children(children, to);
    }

    /// What a location points to and another one does not yet.
    fn missing(&mut self, from: LocId, to: LocId) -> Vec<LocId> {
        let (source, target) = (&self.locs[from.0 as usize], &self.locs[to.0 as usize]);
        if source.points_to.is_empty() {
            return Vec::new();
        }
        let many = source.points_to.len() + target.points_to.len();
        if many > FEW {
            let since = self.compared.insert((from, to), self.clock);
            self.size += if since.is_none() { COMPARED } else { 0 };
            if since.is_some_and(|since| self.changed[from.0 as usize] <= since) {
                return Vec::new();
            }
        }
        self.effort += many as u64;
        source.points_to.difference(&target.points_to).copied().collect()
    }

    fn copy_children(&mut self, children: Vec<(Part, LocId)>, to: LocId) {
        for (part, child) in children {
            // What has parts says by them what is dropped with it.
            if !self.filled[child.0 as usize]
                && self.passages.holds(self.locs[child.0 as usize].ty.as_ref()).is_data()
            {
                self.note(child);
                continue;
            }
            let ty = self.locs[child.0 as usize].ty.clone();
            let into = self.child(to, &part, ty.as_ref());
            if into != to {
                self.copy(child, into);
            }
        }
    }

    /// As [`Self::copy`], but of what `from` itself points to only what is wanted.
    pub fn copy_some(&mut self, from: LocId, to: LocId, wanted: impl Fn(LocId) -> bool) {
        let source = self.get(from);
        let target = &self.locs[to.0 as usize];
        let holds = self.passages.holds(target.ty.as_ref());
        let points = holds.points(target.depth >= self.deepest);
        let pointers: Vec<LocId> =
            source.points_to.iter().copied().filter(|id| points && wanted(*id)).collect();
        let values = source.values.keys().filter(|value| self.goes(value, holds));
        let values: Vec<Value> = values.cloned().collect();
        let children = source.children.iter().filter(|(part, _)| self.passages.has(target.ty.as_ref(), part));
        let children: Vec<(Part, LocId)> = children.map(|(part, id)| (part.clone(), *id)).collect();
        pointers.into_iter().for_each(|pointer| self.point(to, pointer));
        values.into_iter().for_each(|value| self.add_value(to, value));
        self.copy_children(children, to);
    }

    /// A location and those that it is a part of.
    pub fn within(&self, of: LocId) -> impl Iterator<Item = LocId> + '_ {
        let parent = |id: &LocId| self.get(*id).parent.as_ref().map(|(parent, _)| *parent);
        std::iter::successors(Some(of), parent)
    }

    /// What a location is a part of, without a pointer in between: itself, if of nothing.
    pub fn whole(&self, of: LocId) -> LocId {
        self.within(of).last().unwrap_or(of)
    }

    /// What locations point to, each once: otherwise a list doubles with each step.
    pub fn behind(&self, locs: &[LocId]) -> Vec<LocId> {
        let mut seen = FxHashSet::default();
        let targets = locs.iter().flat_map(|loc| self.get(*loc).points_to.iter().copied());
        targets.filter(|target| seen.insert(*target)).collect()
    }

    /// What a location points to, as a list.
    pub fn targets(&self, of: LocId) -> Vec<LocId> {
        self.get(of).points_to.iter().copied().collect()
    }
}
