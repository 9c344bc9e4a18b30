//! The fields of the crates' own types: as constructions show them, as accesses do, as the source declares them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::mir::{AggregateKind, Crate, Name, Path, Rvalue, StatementKind, Ty, TyKind};
use crate::world::points::aggregates::compares_variants;
use crate::world::points::bodies::{Code, FieldType, variant_of};
use crate::world::points::heap::Field;

impl<'a> Code<'a> {
    /// What is constructed somewhere.
    pub(in crate::world::points) fn note_fields(&mut self) {
        for body in self.bodies.clone() {
            let statements = body.blocks.iter().flat_map(|block| block.statements.iter());
            for statement in statements {
                let StatementKind::Assign(place, Rvalue::Aggregate(kind, operands)) = &statement.kind else {
                    continue;
                };
                let AggregateKind::Adt { path, fields } = &**kind else { continue };
                let ty = place.as_local().and_then(|local| body.locals.get(local.0 as usize));
                let name = ty.and_then(|decl| decl.ty.as_path()).map_or(path.last(), Path::last);
                // A library's may have the same name as what the compiler trims: `Option` in `impl Trait for Option<u8>`.
                if !ty.is_some_and(|decl| self.is_foreign(&decl.ty)) {
                    self.types.0.insert(name.to_owned());
                }
                if let Some([only]) = ty.and_then(|decl| decl.ty.as_path()).map(|path| &path.segments[..]) {
                    // A type at the root of the crate.
                    self.roots.insert(&only.name);
                }
                let variant = variant_of(path, name).unwrap_or_default();
                // Types of one name have modules in front.
                let path_text =
                    ty.and_then(|decl| decl.ty.as_path()).map_or_else(|| name.to_owned(), Path::plain);
                let args =
                    ty.and_then(|decl| decl.ty.as_path()).map(|path| path.type_args().cloned().collect());
                let args: Vec<Ty> = args.unwrap_or_default();
                for (number, operand) in operands.iter().enumerate() {
                    let local = operand.place().and_then(|place| place.as_local());
                    let Some(decl) = local.and_then(|local| body.locals.get(local.0 as usize)) else {
                        continue;
                    };
                    let field = (Name::from(variant), number as u32);
                    let new = FieldType { field, ty: decl.ty.clone(), args: args.clone() };
                    self.note_field(&[&path_text, name], &new);
                }
                for (number, field) in fields.iter().enumerate() {
                    self.call_field(&path_text, variant, number as u32, field);
                }
            }
        }
    }

    /// What is only looked into: others construct it.
    pub(in crate::world::points) fn note_projected_fields(&mut self) {
        for body in self.bodies.clone() {
            for place in body.places() {
                body.fields_in(place, &mut |owner, field, ty| self.note_projected(owner, field, ty));
            }
        }
    }

    fn note_projected(&mut self, path: &'a Path, field: Field, ty: &Ty) {
        if path.qself.is_some() {
            return;
        }
        if let [only] = &path.segments[..] {
            // A parameter of a function has no fields: this is a type at the root of the crate.
            self.roots.insert(&only.name);
            if !self.types.0.contains(&*only.name) {
                self.types.0.insert(only.name.to_string());
            }
        }
        if self.is_local(path) {
            let args: Vec<Ty> = path.type_args().cloned().collect();
            self.note_field(&[&path.plain(), path.last()], &FieldType { field, ty: ty.clone(), args });
        }
    }

    /// Notes the type of a field. What is said of all arguments of the type is better than what is said of some.
    fn note_field(&mut self, names: &[&str], new: &FieldType) {
        let types = &self.types;
        let params = |field: &FieldType| field.args.iter().filter(|arg| types.param(arg).is_some()).count();
        for name in names {
            let known = self.constructed.entry((*name).to_owned()).or_default();
            match known.iter().position(|known| known.field == new.field) {
                None => known.push(new.clone()),
                Some(at) if params(&known[at]) < params(new) => known[at] = new.clone(),
                Some(_) => {}
            }
        }
    }

    /// Fields that nothing constructs are called what the source calls them.
    pub(in crate::world::points) fn note_declared_fields(&mut self, crates: &[Arc<Crate>]) {
        for declared in crates.iter().flat_map(|krate| &krate.fields) {
            for (number, name) in declared.names.iter().enumerate() {
                self.call_field(&declared.ty, &declared.variant, number as u32, name);
            }
        }
    }

    /// Notes the variants of enums, for all of the type's path, and for what it ends with, which other types may have, too.
    pub(in crate::world::points) fn note_variants(&mut self, crates: &[Arc<Crate>]) {
        let declared = || crates.iter().flat_map(|krate| &krate.variants);
        let whole: BTreeSet<&str> = declared().map(|declared| &*declared.ty).collect();
        for declared in declared() {
            let all: BTreeSet<&str> = names_of(&declared.ty).into();
            // What is the whole path of one type is that one's.
            for name in all.into_iter().filter(|name| *name == &*declared.ty || !whole.contains(name)) {
                let known = self.variants.entry(name.to_owned());
                let known = known.or_insert_with(|| Some(declared.all.clone()));
                if known.as_ref() != Some(&declared.all) {
                    *known = None;
                }
            }
        }
    }

    /// Whether two values of a local type are equal if they are the same variant.
    pub fn is_compared_by_variant(&self, ty: &TyKind) -> bool {
        let key = ("PartialEq", "eq", ty.as_path().map(Path::last));
        let found = self.of_traits.get(&key).into_iter().flatten();
        let mut bodies = found.filter_map(|id| self.bodies.get(id.0 as usize)).peekable();
        bodies.peek().is_some() && bodies.all(|body| compares_variants(body))
    }

    /// The variants of a local enum, with their discriminants.
    pub fn variants(&self, ty: &TyKind) -> Option<&[(Name, i128)]> {
        let path = ty.as_path().filter(|_| self.has_fields(ty))?.plain();
        let known = names_of(&path).into_iter().find_map(|name| self.variants.get(name))?;
        known.as_deref()
    }

    /// Notes what a field is called, for the type's path and for its last name, which other types may have, too.
    fn call_field(&mut self, path: &str, variant: &str, number: u32, field: &Name) {
        let last = path.rsplit("::").next().unwrap_or(path);
        let all: BTreeSet<&str> = [path, last].into();
        for name in all {
            let known = self.fields.entry((name.to_owned(), variant.to_owned(), number));
            let known = known.or_insert_with(|| Some(field.clone()));
            if known.as_ref() != Some(field) {
                *known = None;
            }
        }
    }
}

/// What a type may be known by: its path, its name with what it is in, be that a function, and its name.
fn names_of(path: &str) -> [&str; 3] {
    let start = |colons: Option<(usize, &str)>| colons.map_or(0, |(at, _)| at + 2);
    let mut colons = path.rmatch_indices("::");
    let (last, two) = (start(colons.next()), start(colons.next()));
    [path, &path[two..], &path[last..]]
}
