//! Names and source places.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A shared, immutable string. Cloning copies a pointer.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name(Arc<str>);

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Name {
    fn default() -> Self {
        Name(Arc::from(""))
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name(Arc::from(text))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name(Arc::from(text))
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// A range of source text. Lines and columns count from 1, columns in characters, the end is exclusive: as rustc has it.
///
/// Code that came out of a macro carries the macro's place, which may lie in another crate or in std; see
/// [`Span::is_foreign`].
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file as rustc names it: relative to the workspace root for the user's own code. Empty: no place known.
    pub file: Name,
    /// First line.
    pub line: u32,
    /// First column.
    pub col: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_col: u32,
}

impl Span {
    /// True when rustc gave no place (glue code of unwinding, mostly).
    pub fn is_none(&self) -> bool {
        self.file.is_empty()
    }

    /// True when the place is in std's sources or in a registry, i.e. a macro's definition rather than user code. See
    /// [`Body::user_span`](super::Body::user_span) for a place to show instead.
    pub fn is_foreign(&self) -> bool {
        const SIGNS: [&str; 3] = ["registry/src", "git/checkouts", "rustlib/src/rust"];
        let holds = |sign: &str| {
            let (before, after) = sign.split_once('/').unwrap_or((sign, ""));
            let mut parts = self.file.split(['/', '\\']).peekable();
            while let Some(part) = parts.next() {
                let rest = || parts.clone().take(after.split('/').count());
                if part == before && rest().eq(after.split('/')) {
                    return true;
                }
            }
            false
        };
        self.file.starts_with("/rustc/") || SIGNS.into_iter().any(holds)
    }

    /// True when rustc gave a place, and it is in the user's sources.
    pub fn is_own(&self) -> bool {
        !self.is_none() && !self.is_foreign()
    }

    /// True when `other` lies within `self`.
    pub fn contains(&self, other: &Span) -> bool {
        self.file == other.file
            && (self.line, self.col) <= (other.line, other.col)
            && (other.end_line, other.end_col) <= (self.end_line, self.end_col)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("no-location");
        }
        write!(f, "{}:{}:{}: {}:{}", self.file, self.line, self.col, self.end_line, self.end_col)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The lexical scope and source place of a statement or terminator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Index into [`Body::scopes`](super::Body::scopes).
    pub scope: super::Scope,
    /// Where.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_places() {
        let foreign = |file: &str| Span { file: file.into(), ..Span::default() }.is_foreign();
        assert!(foreign("/rustc/59807616e1fa/library/std/src/macros.rs"));
        assert!(foreign("/home/u/.cargo/registry/src/index-0/tokio-1.0.0/src/macros/select.rs"));
        assert!(foreign("C:\\Users\\u\\.cargo\\git\\checkouts\\x\\src\\lib.rs"));
        assert!(foreign("/home/u/.rustup/toolchains/t/lib/rustlib/src/rust/library/core/src/x.rs"));
        assert!(!foreign("src/registry/src.rs"));
        assert!(!foreign("my_registry/src/lib.rs"));
    }
}
