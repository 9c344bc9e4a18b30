//! Names as the models know them: rustc prints the shortest path it finds to an item, and the crates a program depends on
//! may have shorter ones than its own.

use std::borrow::Cow;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// Other names of items, and the names to use.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    pairs: Vec<(String, String)>,
    /// Made when something is read: in most runs nothing is.
    search: OnceLock<Search>,
}

/// What looks for names, and what to put in their places; nothing looks when there are none.
type Search = (Option<AhoCorasick>, Vec<String>);

impl Aliases {
    /// Of pairs of another name and the name to use.
    pub fn new(pairs: Vec<(String, String)>) -> Aliases {
        Aliases { pairs, search: OnceLock::new() }
    }

    /// The pairs.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// In headers, rustc leaves out the modules of both names.
    fn search(&self) -> Search {
        let short = self.pairs.iter().filter_map(|(other, name)| {
            let (other, name) = (other.rsplit("::").next()?, name.rsplit("::").next()?);
            (other != name).then_some((other, name))
        });
        let all = self.pairs.iter().map(|(other, name)| (other.as_str(), name.as_str())).chain(short);
        let (others, names): (Vec<&str>, Vec<String>) =
            all.map(|(other, name)| (other, name.to_owned())).unzip();
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(others);
        // More names than such a search can hold are not to be had.
        (search.ok().filter(|_| !names.is_empty()), names)
    }

    /// The text with the names to use.
    pub fn replace<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let (Some(search), names) = self.search.get_or_init(|| self.search()) else {
            return Cow::Borrowed(text);
        };
        let part_of_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut done = 0;
        for found in search.find_iter(text) {
            let before = found.start().checked_sub(1).and_then(|at| bytes.get(at));
            if part_of_name(before) || before == Some(&b':') || part_of_name(bytes.get(found.end())) {
                continue;
            }
            out.push_str(&text[done..found.start()]);
            out.push_str(&names[found.pattern().as_usize()]);
            done = found.end();
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use super::Aliases;

    #[test]
    fn whole_paths_only() {
        let aliases = Aliases::new(vec![("futures::Future".into(), "std::future::Future".into())]);
        let text = "<F as futures::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        let expected =
            "<F as std::future::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        assert_eq!(aliases.replace(text), expected);
        let aliases = Aliases::new(vec![("lazy_static::__Deref".into(), "std::ops::Deref".into())]);
        assert_eq!(aliases.replace("fn <NAMES as __Deref>::deref"), "fn <NAMES as Deref>::deref");
        assert_eq!(Aliases::default().replace(text), text);
    }
}
