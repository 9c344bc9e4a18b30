//! Names as the models know them: rustc prints the shortest path it finds to an item, and the crates a program depends on
//! may have shorter ones than its own.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};

/// Other names of items, ready to be looked for.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    search: Option<AhoCorasick>,
    names: Vec<String>,
}

impl Aliases {
    /// Of pairs of another name and the name to use. In headers, rustc leaves out the modules of both.
    pub fn new(pairs: &[(String, String)]) -> Aliases {
        let short = pairs.iter().filter_map(|(other, name)| {
            let (other, name) = (other.rsplit("::").next()?, name.rsplit("::").next()?);
            (other != name).then_some((other, name))
        });
        let all = pairs.iter().map(|(other, name)| (other.as_str(), name.as_str())).chain(short);
        let (others, names): (Vec<&str>, Vec<String>) =
            all.map(|(other, name)| (other, name.to_owned())).unzip();
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(others);
        // More names than such a search can hold are not to be had.
        Aliases { search: search.ok(), names }
    }

    /// The text with the names to use.
    pub fn replace<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(search) = self.search.as_ref().filter(|_| !self.names.is_empty()) else {
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
            out.push_str(&self.names[found.pattern().as_usize()]);
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
        let aliases = Aliases::new(&[("futures::Future".into(), "std::future::Future".into())]);
        let text = "<F as futures::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        let expected =
            "<F as std::future::Future>::poll, my::futures::Future, futures::FutureExt, afutures::Future";
        assert_eq!(aliases.replace(text), expected);
        let aliases = Aliases::new(&[("lazy_static::__Deref".into(), "std::ops::Deref".into())]);
        assert_eq!(aliases.replace("fn <NAMES as __Deref>::deref"), "fn <NAMES as Deref>::deref");
        assert_eq!(Aliases::default().replace(text), text);
    }
}
