//! Expressions that show a value, made from its type as it is written: so that a list of things of which nothing is known still
//! shows how many there are.

use syn::{GenericArgument, PathArguments, Type};

use super::source::CrateSource;

/// Expressions for a reference to a value of that type, to try in turn.
pub fn expressions(source: &CrateSource, ty: &Type, value: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for lock in [Some("try_lock"), Some("try_read"), None] {
        let text = Look { source, lock }.at(ty, value, 0);
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let plain = plain(value);
    if !all.contains(&plain) {
        all.push(plain);
    }
    all.push("std::string::String::from(\"_\")".to_owned());
    all
}

/// Expressions for a reference to a result of that type: what can still change is no part of it.
pub fn of_result(source: &CrateSource, ty: &Type, value: &str) -> Vec<String> {
    let mut all = vec![Look { source, lock: None }.at(ty, value, 0)];
    all.extend(Some(plain(value)).filter(|plain| *plain != all[0]));
    all
}

/// What the value itself shows, or `Debug`, or nothing. (Macros have no paths in the oldest edition.)
pub fn plain(value: &str) -> String {
    format!(
        "{{ use crate::__robust::{{ByDebug as _, ByNothing as _, ByShow as _}}; (&&&crate::__robust::Seen({value})).seen(depth) }}"
    )
}

struct Look<'s> {
    source: &'s CrateSource,
    /// How to look into what may be a lock: by this method, if nobody holds it.
    lock: Option<&'static str>,
}

/// Types are looked into so deep.
const DEPTH: usize = 8;

impl Look<'_> {
    fn at(&self, ty: &Type, value: &str, depth: usize) -> String {
        if depth > DEPTH {
            return plain(value);
        }
        match ty {
            Type::Paren(inner) => self.at(&inner.elem, value, depth),
            Type::Group(inner) => self.at(&inner.elem, value, depth),
            Type::Reference(inner) => {
                let inner = self.at(&inner.elem, &format!("&**({value})"), depth + 1);
                format!("crate::__robust::referred(|| {inner})")
            }
            Type::TraitObject(_) | Type::BareFn(_) => "std::string::String::from(\"_\")".to_owned(),
            Type::Path(path) => self.path(path, value, depth),
            _ => plain(value),
        }
    }

    fn path(&self, path: &syn::TypePath, value: &str, depth: usize) -> String {
        let Some(last) = path.path.segments.last() else { return plain(value) };
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return match self.source.alias(&last.ident) {
                Some(meant) => self.at(meant, value, depth + 1),
                None => plain(value),
            };
        };
        let types: Vec<&Type> = arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect();
        let inner =
            |value: &str| types.first().map_or_else(|| plain(value), |ty| self.at(ty, value, depth + 1));
        match (last.ident.to_string().as_str(), types.len()) {
            ("Vec" | "VecDeque" | "LinkedList" | "BTreeSet", 1..) => {
                format!("crate::__robust::listed(({value}).iter().map(|item| {}))", inner("item"))
            }
            ("HashSet" | "BinaryHeap", 1..) => {
                format!("crate::__robust::unordered(({value}).iter().map(|item| {}))", inner("item"))
            }
            ("HashMap" | "BTreeMap", 2..) => {
                let second = self.at(types[1], "item", depth + 1);
                format!(
                    "crate::__robust::unordered(({value}).iter().map(|(key, item)| std::format!(\"{{}}: {{}}\", {}, {second})))",
                    inner("key")
                )
            }
            ("Option", 1..) => format!(
                "match {value} {{ std::option::Option::Some(item) => std::format!(\"Some({{}})\", {}), _ => std::string::String::from(\"None\") }}",
                inner("item")
            ),
            ("Box", 1..) => inner(&format!("&**({value})")),
            ("Arc", 1..) => {
                format!("crate::__robust::identified({value}, || {})", inner(&format!("&**({value})")))
            }
            ("Result", 1..) => format!(
                "match {value} {{ std::result::Result::Ok(item) => std::format!(\"Ok({{}})\", {}), std::result::Result::Err(item) => std::format!(\"Err({{}})\", {}) }}",
                inner("item"),
                plain("item")
            ),
            ("Result" | "Rc" | "Cell" | "RefCell" | "PhantomData" | "OnceLock" | "Weak", _) => plain(value),
            (_, 1..) => match self.lock {
                Some(lock) => format!(
                    "if crate::__robust::in_result() {{ std::string::String::from(\"..\") }} else {{ match crate::__robust::Taken::taken(({value}).{lock}()) {{ std::option::Option::Some(guard) => {}, _ => std::string::String::from(\"locked\") }} }}",
                    inner("(&*guard)")
                ),
                None => plain(value),
            },
            _ => plain(value),
        }
    }
}
