//! What locations are called.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::VarValue;

use crate::world::points::heap::{HOLDERS, INNER, LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;

/// Names for locks and variables. Objects whose parts would have the same names are numbered, and what belongs to one object
/// has its number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    of: BTreeMap<LocId, String>,
}

impl Names {
    /// The names of these locations.
    pub fn new(flow: &Flow<'_>, locs: &BTreeSet<LocId>) -> Self {
        let mut by_name: BTreeMap<String, Vec<LocId>> = BTreeMap::new();
        for loc in locs {
            by_name.entry(name(flow, *loc)).or_default().push(*loc);
        }
        let mut alike: BTreeMap<String, BTreeSet<LocId>> = BTreeMap::new();
        for locs in by_name.values() {
            let roots: BTreeSet<LocId> = locs.iter().map(|loc| flow.heap.whole(*loc)).collect();
            if roots.len() > 1 {
                for root in roots {
                    alike.entry(root_name(flow, root)).or_default().insert(root);
                }
            }
        }
        let mut names = Names::default();
        for (name, locs) in by_name {
            for loc in &locs {
                let object = flow.heap.whole(*loc);
                let among = alike.get(&root_name(flow, object));
                let number =
                    among.and_then(|roots| roots.iter().position(|root| *root == object)).unwrap_or(0);
                let numbered = locs.iter().any(|other| flow.heap.whole(*other) != object) && number > 0;
                let number = if numbered { format!("#{}", number + 1) } else { String::new() };
                names.of.insert(*loc, format!("{name}{number}"));
            }
        }
        names
    }

    /// The name of one of them.
    pub fn of(&self, flow: &Flow<'_>, loc: LocId) -> String {
        self.of.get(&loc).cloned().unwrap_or_else(|| name(flow, loc))
    }
}

/// Appends a number to a name that was there before, such that there is none like it yet.
pub(crate) fn unique(names: &mut BTreeMap<String, u32>, name: String) -> String {
    let mut count = names.get(&name).copied().unwrap_or(0) + 1;
    let numbered = |count: u32| if count == 1 { name.clone() } else { format!("{name}#{count}") };
    while names.contains_key(&numbered(count)) {
        count += 1;
    }
    let found = numbered(count);
    names.insert(name, count);
    names.entry(found.clone()).or_insert(1);
    found
}

/// What stands for all elements of something in a name.
const ELEMENTS: &str = "[..]";

/// The location in the user's words: `state.sessions`, `COUNTER`.
pub(crate) fn name(flow: &Flow<'_>, loc: LocId) -> String {
    let mut fields = Vec::new();
    let mut at = loc;
    while let Some((parent, field)) = &flow.heap.get(at).parent {
        fields.push(match &*field.owner {
            INNER => ELEMENTS.to_owned(),
            HOLDERS => ".holders".to_owned(),
            _ => format!(".{}", field_name(flow, *parent, field)),
        });
        at = *parent;
    }
    let mut name = root_name(flow, at);
    fields.iter().rev().for_each(|field| name.push_str(field));
    name
}

fn root_name(flow: &Flow<'_>, loc: LocId) -> String {
    let location = flow.heap.get(loc);
    match &*location.root {
        Root::Static(name, ..) | Root::ThreadLocal(name) => static_name(name).to_owned(),
        Root::Outside(path, _) | Root::Alone(path, _) => {
            // The path starts with a type, which is what `self` is.
            let fields = path.rfind(['>', ':']).map_or(&**path, |end| &path[end + 1..]);
            let fields = fields.replace('*', "");
            let of_its_parts = fields.find('.').map(|dot| format!("self{}", &fields[dot..]));
            of_its_parts.or_else(|| given_name(flow, loc)).unwrap_or_else(|| "self".to_owned())
        }
        Root::Local(inst, local) => {
            let decl = flow.body_of(*inst).locals.get(*local as usize);
            let name = decl.and_then(|decl| decl.name.as_ref()).map(|name| name.to_string());
            // What was given away without a name is known by its methods, which call it so.
            let has_own = || {
                let ty = flow.local_ty(*inst, *local);
                ty.is_some_and(|ty| parts(&ty).into_iter().chain([&ty]).any(|part| flow.code.is_own(part)))
            };
            name.unwrap_or_else(|| if has_own() { "self".to_owned() } else { format!("_{local}") })
        }
        Root::Heap(inst, _) | Root::Item(inst, ..) => static_pointing(flow, loc)
            .or_else(|| pointer_name(flow, *inst, loc))
            .or_else(|| any_name(flow, loc))
            .unwrap_or_else(|| "self".to_owned()),
    }
}

/// What a static is called. One that is inside the `deref` of a type is what that type stands for in the text: macros make such pairs.
fn static_name(name: &str) -> &str {
    let behind = name.strip_prefix('<').and_then(|rest| rest.split_once(" as std::ops::Deref>::deref::"));
    let name = behind.map_or(name, |(ty, _)| ty);
    name.rsplit("::").next().unwrap_or(name)
}

/// What callers hand in that is no `self`, as no type of the crates' own is: what a function that takes it calls it.
fn given_name(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    let own = flow.heap.get(loc).ty.as_ref().is_some_and(|ty| flow.code.has_fields(ty));
    if own { None } else { any_name(flow, loc) }
}

/// A variable of an instance, or a field of one, that points to the location.
fn pointer_name(flow: &Flow<'_>, inst: InstId, loc: LocId) -> Option<String> {
    let body = flow.body_of(inst);
    body.vars.iter().find_map(|var| {
        let VarValue::Place(place) = &var.value else { return None };
        let local = place.as_local()?;
        let id = flow.heap.find(&Root::Local(inst, local.0))?;
        if var.name.starts_with("__") || matches!(&*var.name, "self" | "result" | "iter" | "val") {
            return None;
        }
        field_pointing(flow, id, loc, 2).map(|path| format!("{}{path}", var.name))
    })
}

/// The static, or a field of it, that points to the location: whatever made it, there it is found.
fn static_pointing(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    let pointing = flow.statics().filter_map(|of| Some((of, field_pointing(flow, of, loc, 2)?)));
    let (of, path) = pointing.min_by_key(|(of, _)| *of)?;
    Some(format!("{}{path}", root_name(flow, of)))
}

/// The path from a location to the field that points to another: empty, `.quotes`.
fn field_pointing(flow: &Flow<'_>, from: LocId, to: LocId, depth: u32) -> Option<String> {
    let loc = flow.heap.get(from);
    if loc.points_to.contains(&to) {
        return Some(String::new());
    }
    if depth == 0 {
        return None;
    }
    loc.children.iter().find_map(|(field, child)| {
        let rest = field_pointing(flow, *child, to, depth - 1)?;
        Some(format!(".{}{rest}", field_name(flow, from, field)))
    })
}

/// What a field is called; its number if nobody says.
pub(crate) fn field_name(flow: &Flow<'_>, of: LocId, part: &crate::world::points::heap::Part) -> String {
    // The struct may be in a wrapper: both have the same location.
    let mut known = None;
    let (variant, number) = &part.field;
    if let Some(ty) = &flow.heap.get(of).ty {
        crate::world::points::types::any_part(ty, &mut |ty| {
            let Some(path) = ty.as_path().filter(|path| path.last() == &*part.owner) else { return false };
            let named =
                |name: String| flow.code.fields.get(&(name, variant.to_string(), *number)).cloned().flatten();
            let plain = path.plain();
            // Where another crate names it, its own crate's name comes first.
            let within = || plain.split_once("::").map(|(_, path)| path.to_owned());
            known = named(plain.clone()).or_else(|| named(within()?));
            known.is_some()
        });
    }
    known.map_or_else(|| number.to_string(), |name| name.to_string())
}

fn any_name(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    (0..flow.instances.len() as u32).find_map(|inst| pointer_name(flow, InstId(inst), loc))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{static_name, unique};

    #[test]
    fn no_name_is_given_twice() {
        let mut names = BTreeMap::new();
        let given = ["run", "run#2", "run", "run", "run#2"].map(|name| unique(&mut names, name.to_owned()));
        assert_eq!(given, ["run", "run#2", "run#3", "run#4", "run#2#2"]);
    }

    #[test]
    fn a_static_inside_of_deref_is_called_like_its_type() {
        let behind = "<rules::RULES as std::ops::Deref>::deref::__stability::LAZY";
        assert_eq!(static_name(behind), "RULES");
        assert_eq!(static_name("<Server as Handler>::handle::COUNT"), "COUNT");
        assert_eq!(static_name("state::COUNT"), "COUNT");
    }
}
