//! Names as the models know them: rustc prints the shortest path it finds to an item, and the crates a program depends on
//! may have shorter ones than its own.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memchr_iter;

/// Other names of items, and the names to use.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases {
    pairs: Vec<(String, String)>,
    /// The items that models know, by the names to use.
    items: BTreeSet<String>,
    /// Names in one crate only, by whole paths: the same, then those that mean something else there.
    here: Vec<(String, String)>,
    not_here: BTreeSet<String>,
    /// Made when something is read: in most runs nothing is.
    search: OnceLock<Search>,
}

/// What looks for names, and these, with what to put in their places; nothing looks when there are none.
type Search = (Option<AhoCorasick>, Vec<(String, String)>);

impl Aliases {
    /// Of pairs of another name and the name to use, and the items that models know.
    pub fn new(pairs: Vec<(String, String)>, items: BTreeSet<String>) -> Aliases {
        Aliases { pairs, items, ..Aliases::default() }
    }

    /// The items that models know.
    pub fn items(&self) -> &BTreeSet<String> {
        &self.items
    }

    /// The names in a crate, given its bodies as they were printed, and the crates that it uses: with names that mean something in it alone,
    /// and without those of modules that it has itself. A name without its path is none of a crate that it does not use.
    pub fn for_crate(
        &self,
        bodies: &str,
        uses: &BTreeSet<String>,
        here: Vec<(String, String)>,
    ) -> Cow<'_, Aliases> {
        // In order, so that those which begin in the same way are together.
        let headers: BTreeSet<&str> = headers(bodies).collect();
        let declared = |path: &str| {
            let begin = format!("{path}::");
            headers.range(begin.as_str()..).next().is_some_and(|header| header.starts_with(&begin))
        };
        let roots: BTreeSet<&str> =
            self.pairs.iter().filter_map(|(other, _)| other.split("::").next()).collect();
        let own: BTreeSet<&str> = roots.into_iter().filter(|root| declared(root)).collect();
        let others = self.pairs.iter().map(|(other, _)| other);
        let is_own = |other: &&String| {
            other.split("::").next().is_some_and(|root| own.contains(root)) && declared(other)
        };
        let mut not_here: BTreeSet<String> = others.filter(is_own).cloned().collect();
        let is_used = |path: &str| path.split("::").next().is_some_and(|root| uses.contains(root));
        let known: BTreeSet<&str> =
            self.short().filter(|(path, ..)| is_used(path)).map(|(_, short, _)| short).collect();
        let of_others = self.short().map(|(_, short, _)| short).filter(|short| !known.contains(short));
        not_here.extend(of_others.filter(|short| bodies.contains(short)).map(str::to_owned));
        if here.is_empty() && not_here.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Aliases { pairs: self.pairs.clone(), here, not_here, ..Aliases::default() })
    }

    /// The pairs.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The names without their paths, as rustc prints them in headers: each with its path, and with the name to use. What begins with a small
    /// letter is a module, which does not stand alone.
    fn short(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.pairs.iter().filter_map(|(path, name)| {
            let (other, name) = (path.rsplit("::").next()?, name.rsplit("::").next()?);
            let is_item = !other.starts_with(char::is_lowercase);
            (is_item && other != name).then_some((path.as_str(), other, name))
        })
    }

    fn search(&self) -> Search {
        let short = self.short().map(|(_, other, name)| (other, name));
        let whole = self.pairs.iter().chain(&self.here).map(|(other, name)| (other.as_str(), name.as_str()));
        let all = whole.chain(short).filter(|(other, _)| !self.not_here.contains(*other));
        let names: Vec<(String, String)> =
            all.map(|(other, name)| (other.to_owned(), name.to_owned())).collect();
        let others = names.iter().map(|(other, _)| other);
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(others);
        // More names than such a search can hold are not to be had.
        (search.ok().filter(|_| !names.is_empty()), names)
    }

    /// The text with the names to use. Those that were there are added to `found`.
    pub fn replace<'t>(&self, text: &'t str, found: &mut BTreeSet<String>) -> Cow<'t, str> {
        let (Some(search), names) = self.search.get_or_init(|| self.search()) else {
            return Cow::Borrowed(text);
        };
        let part_of_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut done = 0;
        for there in search.find_iter(text) {
            let before = there.start().checked_sub(1).and_then(|at| bytes.get(at));
            if part_of_name(before) || before == Some(&b':') || part_of_name(bytes.get(there.end())) {
                continue;
            }
            let (other, name) = &names[there.pattern().as_usize()];
            if !found.contains(other) {
                found.insert(other.clone());
            }
            out.push_str(&text[done..there.start()]);
            out.push_str(name);
            done = there.end();
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }
}

/// What is printed of each item, from its path on.
fn headers(bodies: &str) -> impl Iterator<Item = &str> {
    let begins = ["fn ", "static mut ", "static ", "const "];
    let lines = std::iter::once(0).chain(memchr_iter(b'\n', bodies.as_bytes()).map(|end| end + 1));
    lines.filter_map(move |begin| {
        let rest = begins.iter().find_map(|word| bodies[begin..].strip_prefix(word))?;
        Some(rest.lines().next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced<'t>(aliases: &Aliases, text: &'t str) -> Cow<'t, str> {
        aliases.replace(text, &mut BTreeSet::new())
    }

    #[test]
    fn whole_paths_only() {
        let aliases =
            Aliases::new(vec![("futures::Future".into(), "std::future::Future".into())], BTreeSet::new());
        let text = "<F as futures::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        let expected =
            "<F as std::future::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        assert_eq!(replaced(&aliases, text), expected);
        let aliases =
            Aliases::new(vec![("lazy_static::__Deref".into(), "std::ops::Deref".into())], BTreeSet::new());
        assert_eq!(replaced(&aliases, "fn <NAMES as __Deref>::deref"), "fn <NAMES as Deref>::deref");
        assert_eq!(replaced(&Aliases::default(), text), text);
    }

    #[test]
    fn a_module_of_ones_own_is_none_of_std() {
        let pairs = ["cell", "sync"].map(|module| (format!("core::{module}"), format!("std::{module}")));
        let aliases = Aliases::new(pairs.to_vec(), BTreeSet::new());
        let text = "fn a() {\n}\nfn core::sync::Gate::<impl at src/core/sync.rs:1:1: 1:2>::pass(_1: &core::sync::Gate, _2: &core::cell::Cell) {\n}";
        let here = vec![("shim::Lock".to_owned(), "std::sync::Mutex".to_owned())];
        let own = aliases.for_crate(text, &BTreeSet::new(), here);
        assert_eq!(replaced(&own, "core::sync::Gate, core::cell::Cell"), "core::sync::Gate, std::cell::Cell");
        assert_eq!(replaced(&own, "shim::Lock<u8>, Lock"), "std::sync::Mutex<u8>, Lock");
        let others = aliases.for_crate("fn a() {\n}", &BTreeSet::new(), Vec::new());
        assert_eq!(replaced(&others, "core::sync::atomic::AtomicU8"), "std::sync::atomic::AtomicU8");
    }

    #[test]
    fn what_has_no_path_is_of_a_crate_that_is_used() {
        let pairs = [
            ("lru::LruCache", "std::collections::HashMap"),
            ("serde_json::map", "std::collections::btree_map"),
        ];
        let pairs = pairs.map(|(other, name)| (other.to_owned(), name.to_owned()));
        let aliases = Aliases::new(pairs.to_vec(), BTreeSet::new());
        let text = "fn a(_1: &LruCache) {\n    debug map => _1;\n}";
        let own = aliases.for_crate(text, &BTreeSet::new(), Vec::new());
        assert_eq!(replaced(&own, text), text);
        let others = aliases.for_crate(text, &BTreeSet::from(["lru".to_owned()]), Vec::new());
        assert_eq!(replaced(&others, text), text.replace("LruCache", "HashMap"));
    }
}
