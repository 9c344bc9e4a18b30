//! All bodies of all crates, and who is meant by a path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{Body, BodyKind, Crate, Index, Name, Path, Segment, Ty, TyKind};

use crate::world::points::heap::Field;
use crate::world::points::types::{Subst, TypeNames, any_part, fits, substitute};

/// What paths to the standard library's items begin with.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

/// The first two segments of the path of an item of one's own whose first one is the name of a standard crate.
fn beside_standard(own: &str) -> Option<(&str, &str)> {
    let (first, rest) = own.split_once("::").filter(|(first, _)| STANDARD.contains(first))?;
    let second = rest.split("::").next()?;
    (!second.starts_with(['<', '{'])).then_some((first, second))
}

/// A body, by its number over all crates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BodyId(pub u32);

/// The bodies with their look-up tables.
pub(crate) struct Code<'a> {
    pub bodies: Vec<&'a Body>,
    /// The crate each body is from: index into the crates given.
    pub home: Vec<usize>,
    index: Index<'a>,
    ids: FxHashMap<*const Body, BodyId>,
    by_last: FxHashMap<&'a str, Vec<BodyId>>,
    by_def: FxHashMap<&'a str, Vec<BodyId>>,
    /// Functions by the last two segments of their path (or the only one), those of traits apart.
    plain: FxHashMap<(Option<&'a str>, &'a str), Vec<BodyId>>,
    /// Implementations: by trait, method, and the type's name; those of other types, which may stand for any, have none.
    pub(in crate::world::points) of_traits: FxHashMap<(&'a str, &'a str, Option<&'a str>), Vec<BodyId>>,
    /// First segments of paths to local items: anything else is foreign.
    pub(in crate::world::points) roots: FxHashSet<&'a str>,
    /// The first two segments of those whose module has the name of a standard crate: rustc names both alike.
    beside_standard: FxHashSet<(&'a str, &'a str)>,
    /// Names of the crates.
    crates: FxHashSet<&'a str>,
    /// Names of local traits.
    traits: FxHashSet<&'a str>,
    /// Types with a `drop` of their own, by name; a generic one's is empty.
    pub droppers: BTreeSet<String>,
    pub has_drop: bool,
    /// Names of local types.
    pub types: TypeNames,
    /// Types of fields, as constructions show them, by the type's path and by its name alone.
    pub constructed: BTreeMap<String, Vec<FieldType>>,
    /// Names of fields, as constructions give them: type (as above), variant, number; none where types differ in them.
    pub fields: BTreeMap<(String, String, u32), Option<Name>>,
    /// Constants that rustc cut out of bodies, by definition of the body and number.
    promoted: FxHashMap<(&'a str, u32), BodyId>,
    /// Variants of local enums by path and by name alone, with their discriminants; none where types differ in them.
    pub(in crate::world::points) variants: BTreeMap<String, Option<Vec<(Name, i128)>>>,
}

/// The type of a field, as a construction or an access shows it.
#[derive(Clone)]
pub(crate) struct FieldType {
    pub field: Field,
    pub ty: Ty,
    /// The arguments that its type has there: parameters of the function around, most often.
    pub args: Vec<Ty>,
}

impl FieldType {
    /// What the field is in a type with these arguments.
    pub fn within<'t>(&self, names: &TypeNames, args: impl Iterator<Item = &'t Ty>) -> Ty {
        if self.args.is_empty() {
            return self.ty.clone();
        }
        let param = |(param, arg): (&Ty, &Ty)| Some((names.param(param)?.clone(), arg.clone()));
        let subst: Subst = self.args.iter().zip(args).filter_map(param).collect();
        substitute(&self.ty, &subst)
    }
}

impl<'a> Code<'a> {
    pub fn new(crates: &'a [Arc<Crate>]) -> Self {
        let mut code = Code {
            bodies: Vec::new(),
            home: Vec::new(),
            index: Index::of(crates.iter().flat_map(|krate| krate.bodies.iter())),
            ids: FxHashMap::default(),
            by_last: FxHashMap::default(),
            by_def: FxHashMap::default(),
            plain: FxHashMap::default(),
            of_traits: FxHashMap::default(),
            roots: FxHashSet::default(),
            beside_standard: FxHashSet::default(),
            crates: crates.iter().map(|krate| &*krate.name).collect(),
            traits: crates.iter().flat_map(|krate| &krate.traits).map(|name| &**name).collect(),
            droppers: BTreeSet::new(),
            has_drop: false,
            types: TypeNames::default(),
            constructed: BTreeMap::new(),
            fields: BTreeMap::new(),
            promoted: FxHashMap::default(),
            variants: BTreeMap::new(),
        };
        for (number, krate) in crates.iter().enumerate() {
            code.roots.insert(&krate.name);
            for body in &krate.bodies {
                let id = BodyId(code.bodies.len() as u32);
                code.bodies.push(body);
                code.home.push(number);
                code.ids.insert(body, id);
                code.by_last.entry(body.path.last()).or_default().push(id);
                code.by_def.entry(&body.def).or_default().push(id);
                if let BodyKind::Promoted { of, index } = &body.kind {
                    code.promoted.insert((of, *index), id);
                }
                if (body.def.starts_with("<impl") || body.def.contains("::<impl"))
                    && body.path.qself.is_none()
                    && let Some(ty) = body.path.segments.len().checked_sub(2)
                    && let Some(ty) = body.path.segments.get(ty)
                {
                    code.types.0.insert(ty.name.to_string());
                }
                if body.path.qself.is_none()
                    && let Some(first) = body.path.segments.first()
                {
                    code.roots.insert(&first.name);
                }
                let def: &str = &body.def;
                if let Some((first, _)) = def.split_once("::")
                    && !first.starts_with('<')
                {
                    code.roots.insert(first);
                }
                code.beside_standard.extend(beside_standard(def));
            }
        }
        // Not all types have methods of their own.
        let declared = crates.iter().flat_map(|krate| &krate.fields).map(|declared| &declared.ty);
        let declared =
            declared.chain(crates.iter().flat_map(|krate| &krate.variants).map(|declared| &declared.ty));
        let last = |path: &Name| path.rsplit("::").next().unwrap_or(path).to_owned();
        code.types.0.extend(declared.clone().map(last));
        code.beside_standard.extend(declared.filter_map(|ty| beside_standard(ty)));
        for foreign in STANDARD {
            code.roots.remove(foreign);
        }
        code.note_used_types();
        code.note_fields();
        code.note_projected_fields();
        code.note_declared_fields(crates);
        code.note_variants(crates);
        code.note_functions();
        code.droppers = crate::world::points::drops::droppers(&code);
        code.has_drop = !code.droppers.is_empty();
        code
    }

    /// Notes the names of types that values have: structs without fields, and what is declared in functions, is nowhere else.
    fn note_used_types(&mut self) {
        let mut seen: FxHashSet<&Ty> = FxHashSet::default();
        let mut found: BTreeSet<String> = BTreeSet::new();
        let locals = self.bodies.iter().flat_map(|body| &body.locals);
        for ty in locals.map(|local| &local.ty).filter(|ty| seen.insert(ty)) {
            any_part(ty, &mut |part| {
                let path = part.as_path().filter(|path| path.qself.is_none() && path.segments.len() > 1);
                let own = path.filter(|path| self.is_local(path)).map(Path::last);
                found.extend(own.filter(|own| !self.types.0.contains(*own)).map(str::to_owned));
                false
            });
        }
        self.types.0.extend(found);
    }

    fn note_functions(&mut self) {
        for (number, &body) in self.bodies.iter().enumerate() {
            if !matches!(body.kind, BodyKind::Fn | BodyKind::Constructor) {
                continue;
            }
            let (id, last) = (BodyId(number as u32), body.path.last());
            match &body.path.qself {
                Some(qself) => {
                    let Some(tr) = &qself.tr else { continue };
                    let named = qself.ty.as_path().filter(|_| self.types.param(&qself.ty).is_none());
                    let key = (tr.last(), last, named.map(Path::last));
                    self.of_traits.entry(key).or_default().push(id);
                }
                None => self.plain.entry((before_last(&body.path), last)).or_default().push(id),
            }
        }
    }

    pub fn body(&self, id: BodyId) -> &'a Body {
        self.bodies[id.0 as usize]
    }

    /// The bodies with this definition path, those of the given crate first choice.
    pub fn def(&self, def: &str, home: usize) -> Option<BodyId> {
        let found = self.by_def.get(def)?;
        found.iter().find(|id| self.home[id.0 as usize] == home).or(found.first()).copied()
    }

    /// The body of a closure or coroutine type.
    pub fn of_type(&self, ty: &TyKind, home: usize) -> Option<BodyId> {
        let found = self.index.closure(ty);
        let ids: Vec<BodyId> =
            found.iter().filter_map(|body| self.ids.get(&(*body as *const Body)).copied()).collect();
        ids.iter().find(|id| self.home[id.0 as usize] == home).or(ids.first()).copied()
    }

    /// The body of a named constant.
    pub fn constant(&self, path: &Path, home: usize) -> Option<BodyId> {
        let found = self.by_last.get(path.last())?;
        let is = |id: &&BodyId| {
            matches!(self.body(**id).kind, BodyKind::Const) && self.home[id.0 as usize] == home
        };
        found.iter().find(is).copied()
    }

    /// The body of a static.
    pub fn static_body(&self, name: &str, home: usize) -> Option<BodyId> {
        if let Some(id) = self.def(name, home) {
            return Some(id);
        }
        let last = name.rsplit("::").next().unwrap_or(name);
        let found = self.by_last.get(last)?;
        let mut statics = found.iter().filter(|id| matches!(self.body(**id).kind, BodyKind::Static { .. }));
        statics
            .find(|id| name.ends_with(&*self.body(**id).def) || self.body(**id).def.ends_with(name))
            .copied()
    }

    /// Whether a path starts at an item of the analysed crates.
    pub fn is_local(&self, path: &Path) -> bool {
        let [first, rest @ ..] = &path.segments[..] else { return false };
        let beside = |second: &Segment| self.beside_standard.contains(&(&*first.name, &*second.name));
        self.roots.contains(&*first.name) || rest.first().is_some_and(beside)
    }

    /// Whether a trait of the analysed crates has this name.
    pub fn has_trait(&self, name: &str) -> bool {
        self.traits.contains(name)
    }

    /// Whether a trait is one of the analysed crates, be its path whole or trimmed to its name.
    pub fn is_own_trait(&self, tr: &Path) -> bool {
        self.is_local(tr) || tr.segments.len() == 1 && self.traits.contains(tr.last())
    }

    /// Whether a type is certainly one of another crate: named by a whole path.
    pub fn is_foreign(&self, ty: &TyKind) -> bool {
        ty.as_path()
            .is_some_and(|path| path.qself.is_none() && path.segments.len() > 1 && !self.is_local(path))
    }

    /// Whether a type is one of the analysed crates, be its path whole or trimmed to its name.
    pub fn is_own(&self, ty: &TyKind) -> bool {
        ty.as_path().is_some_and(|path| {
            path.qself.is_none()
                && (self.is_local(path) || (path.segments.len() == 1 && self.types.0.contains(path.last())))
        })
    }

    /// The types that have methods of a trait, by their names.
    pub fn implementors(&self, is: impl Fn(&Path) -> bool) -> BTreeSet<String> {
        let of = self.bodies.iter().filter_map(|body| body.path.qself.as_ref());
        let of = of.filter(|qself| qself.tr.as_ref().is_some_and(&is));
        of.filter_map(|qself| Some(qself.ty.as_path()?.last().to_owned())).collect()
    }

    /// The crates' own types with an implementation of a trait, as receivers of its methods give them.
    pub fn types_with(&self, tr: &Path) -> Vec<Ty> {
        let mut found: Vec<Ty> = Vec::new();
        for body in &self.bodies {
            let Some(qself) = &body.path.qself else { continue };
            if qself.tr.as_ref().is_none_or(|theirs| theirs.last() != tr.last()) {
                continue;
            }
            let receiver = body.inputs().next().map(|ty| match &**ty {
                TyKind::Ref { to, .. } => to.clone(),
                _ => ty.clone(),
            });
            let name = |ty: &Ty| ty.as_path().map(|path| path.last().to_owned());
            let whole = receiver.filter(|ty| name(ty).is_some() && name(ty) == name(&qself.ty));
            let ty = whole.unwrap_or_else(|| qself.ty.clone());
            if self.types.param(&ty).is_none() && self.is_own(&ty) && !found.contains(&ty) {
                found.push(ty);
            }
        }
        found
    }

    /// The fields of a struct or enum, as far as some body constructs it.
    pub fn field_types(&self, ty: &TyKind) -> Option<Vec<(Field, Ty)>> {
        let (path, known) = (ty.as_path()?, &self.constructed);
        // A trimmed path is only the name; a whole one of another crate may end with the same name.
        let by_name = || known.get(path.last()).filter(|_| !self.is_foreign(ty));
        let known = known.get(&path.plain()).or_else(by_name)?;
        let within = |known: &FieldType| known.within(&self.types, path.type_args());
        Some(known.iter().map(|known| (known.field.clone(), within(known))).collect())
    }

    /// Whether a type is a struct or enum of the analysed crates, whose fields are told apart.
    pub fn has_fields(&self, ty: &TyKind) -> bool {
        match ty {
            TyKind::Tuple(_) | TyKind::Closure { .. } | TyKind::Coroutine(_) => true,
            TyKind::Path(path) => self.tells_fields_apart(path),
            _ => false,
        }
    }

    /// The same of a struct or enum, by its path.
    pub fn tells_fields_apart(&self, path: &Path) -> bool {
        path.qself.is_none() && self.is_local(path)
    }

    /// What a constant is made by that rustc cut out of a body.
    pub fn promoted(&self, body: &Body, constant: &Path) -> Option<BodyId> {
        let last = constant.last();
        let number = last.strip_prefix("promoted[").and_then(|rest| rest.strip_suffix(']'))?;
        self.promoted.get(&(&*body.def, number.parse().ok()?)).copied()
    }

    /// The functions a path with types put in may mean. Empty for functions of other crates.
    pub fn resolve(&self, path: &Path, home: usize) -> Vec<BodyId> {
        let found = match &path.qself {
            Some(_) if path.segments.len() > 1 => self.resolve_inner(path, home),
            Some(qself) => match &qself.tr {
                Some(tr) => self.resolve_trait(&qself.ty, tr, path.last(), home),
                None => self.resolve_inherent(&qself.ty, path.last()),
            },
            None => self.resolve_plain(path),
        };
        // The library and the binary of a package can have items of the same name.
        let at_home: Vec<BodyId> =
            found.iter().copied().filter(|id| self.home[id.0 as usize] == home).collect();
        if at_home.is_empty() { found } else { at_home }
    }

    fn functions(&self, last: &str) -> impl Iterator<Item = BodyId> + '_ {
        let found = self.by_last.get(last).map_or(&[][..], |ids| ids);
        found.iter().copied().filter(|id| matches!(self.body(*id).kind, BodyKind::Fn | BodyKind::Constructor))
    }

    /// A function inside of a method: `<T as Tr>::method::inner`. Macros write many with one definition path; each comes
    /// behind the method it is in.
    fn resolve_inner(&self, path: &Path, home: usize) -> Vec<BodyId> {
        let [method, inner @ ..] = &path.segments[..] else { return Vec::new() };
        let outer = Path { qself: path.qself.clone(), segments: vec![method.clone()] };
        let mut found = Vec::new();
        for id in self.resolve(&outer, home) {
            let mut def = self.body(id).def.to_string();
            for segment in inner {
                def.push_str("::");
                def.push_str(&segment.name);
            }
            let same = self.by_def.get(&*def).map_or(&[][..], |ids| ids);
            found.extend(same.iter().find(|inner| id.0 < inner.0).or(same.first()));
        }
        found
    }

    fn resolve_plain(&self, path: &Path) -> Vec<BodyId> {
        if !self.is_local(path) {
            return Vec::new();
        }
        let mut best: (usize, Vec<BodyId>) = (0, Vec::new());
        // Where both have two segments, both agree.
        let candidates = match before_last(path) {
            Some(before) => {
                let keys = [(Some(before), path.last()), (None, path.last())];
                in_order(keys.map(|key| self.plain.get(&key)))
            }
            None => self.functions(path.last()).collect(),
        };
        for id in candidates {
            let theirs = &self.body(id).path;
            if theirs.qself.is_some() {
                continue;
            }
            let same = path
                .segments
                .iter()
                .rev()
                .zip(theirs.segments.iter().rev())
                .take_while(|(a, b)| a.name == b.name);
            let overlap = same.count();
            if overlap < theirs.segments.len().min(path.segments.len()) {
                continue;
            }
            // Names are trimmed, definitions are not: they have the modules.
            let def = &*self.body(id).def;
            let modules =
                path.segments.iter().filter(|segment| def.split("::").any(|part| *part == *segment.name));
            let overlap = overlap * 64 + modules.count().min(63);
            // `visit` is the function of that name before it is `Hall::visit`.
            let whole = usize::from(theirs.segments.len() == path.segments.len());
            // `main::main` is defined in `main`, which has its name.
            let defined = def.split("::").eq(path.segments.iter().map(|segment| &*segment.name));
            let overlap = 4 * overlap + 2 * whole + usize::from(defined);
            match overlap.cmp(&best.0) {
                std::cmp::Ordering::Greater => best = (overlap, vec![id]),
                std::cmp::Ordering::Equal => best.1.push(id),
                std::cmp::Ordering::Less => {}
            }
        }
        best.1
    }

    fn resolve_inherent(&self, ty: &Ty, name: &str) -> Vec<BodyId> {
        let Some(path) = ty.as_path() else { return Vec::new() };
        let mut full = path.clone();
        full.segments.push(crate::mir::Segment { name: name.into(), args: Vec::new() });
        self.resolve_plain(&full)
    }

    fn resolve_trait(&self, ty: &Ty, tr: &Path, name: &str, home: usize) -> Vec<BodyId> {
        let mut best: (u32, Vec<BodyId>) = (0, Vec::new());
        let keys = [ty.as_path().map(Path::last), None].map(|named| (tr.last(), name, named));
        let named = self.of_traits.get(&keys[0]).filter(|_| keys[0].2.is_some());
        for id in in_order([named, self.of_traits.get(&keys[1])]) {
            let Some(qself) = &self.body(id).path.qself else { continue };
            if self.is_foreign(ty) && self.is_own(&qself.ty) || self.is_namesake(ty, id, home) {
                continue;
            }
            let Some(fit) = fits(&self.types, &qself.ty, ty, 0) else { continue };
            let args = qself.tr.as_ref().map_or(0, |theirs| {
                let pairs = theirs.type_args().zip(tr.type_args());
                pairs.map(|(a, b)| fits(&self.types, a, b, 0).map_or(0, |fit| fit + 1)).sum::<u32>()
            });
            let fit = 1 + fit * 4 + args;
            match fit.cmp(&best.0) {
                std::cmp::Ordering::Greater => best = (fit, vec![id]),
                std::cmp::Ordering::Equal => best.1.push(id),
                std::cmp::Ordering::Less => {}
            }
        }
        if best.1.is_empty() && self.is_local(tr) {
            // The trait's own body of a provided method.
            let mut path = tr.clone();
            path.segments.push(crate::mir::Segment { name: name.into(), args: Vec::new() });
            // A function that is no method is printed by its name alone, which may be that of the method.
            let is_of_trait = |id: &BodyId| before_last(&self.body(*id).path) == Some(tr.last());
            return self.resolve_plain(&path).into_iter().filter(is_of_trait).collect();
        }
        best.1
    }

    /// Whether an implementation is for another type of one crate than this, which has the same name in another module: headers of
    /// implementations have the name alone, signatures the whole path.
    fn is_namesake(&self, ty: &Ty, implementation: BodyId, home: usize) -> bool {
        let whole = |path: &&Path| {
            let first = path.segments.first().is_some_and(|first| !self.crates.contains(&*first.name));
            first && path.qself.is_none() && path.segments.len() > 1
        };
        let Some(path) = ty.as_path().filter(whole) else { return false };
        let body = self.body(implementation);
        let is_for_name =
            |of: &Ty| of.as_path().is_some_and(|of| of.segments.len() == 1 && of.last() == path.last());
        if self.home[implementation.0 as usize] != home
            || !body.path.qself.as_ref().is_some_and(|qself| is_for_name(&qself.ty))
        {
            return false;
        }
        let mut named = None;
        for ty in body.inputs().chain([body.output()]) {
            any_part(ty, &mut |part| {
                let of = part.as_path().filter(|of| of.last() == path.last()).filter(whole);
                named = named.take().or(of.map(Path::plain));
                named.is_some()
            });
        }
        named.is_some_and(|named| named != path.plain())
    }

    /// All implementations of a trait's method: what a call through `dyn` can reach when nothing better is known.
    pub fn implementations(&self, tr: &Path, name: &str) -> Vec<BodyId> {
        self.functions(name)
            .filter(|id| {
                let tr_of = self.body(*id).path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
                tr_of.is_some_and(|theirs| theirs.last() == tr.last())
            })
            .collect()
    }
}

/// The segment before the last.
fn before_last(path: &Path) -> Option<&str> {
    path.segments.iter().rev().nth(1).map(|segment| &*segment.name)
}

/// What is in either list, in the order of numbers.
fn in_order(lists: [Option<&Vec<BodyId>>; 2]) -> Vec<BodyId> {
    let mut all: Vec<BodyId> = lists.into_iter().flatten().flatten().copied().collect();
    all.sort_unstable();
    all
}

/// The variant's name when a construction's path is that of an enum variant of the type called `ty`.
pub(crate) fn variant_of<'p>(path: &'p Path, ty: &str) -> Option<&'p str> {
    let before_last = path.segments.len().checked_sub(2).and_then(|index| path.segments.get(index))?;
    (&*before_last.name == ty).then(|| path.last())
}
