//! What the public functions of a library ask of the thread that calls them, as a model for projects that use it.

use std::collections::BTreeMap;
use std::fmt::Write;

use robust_analyzer::confinement::Placed;

/// Kinds of blocking, the gravest first: a model names one.
const KINDS: [&str; 10] =
    ["wait", "sleep", "net", "socket", "process", "input", "file", "stat", "lock", "cpu"];

/// The model file. Functions that ask for the same are one entry.
pub(super) fn text(all: &[Placed]) -> String {
    let mut entries: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for placed in all.iter().filter(|placed| placed.public) {
        let says = says(placed);
        if !says.is_empty() {
            entries.entry(says).or_default().extend(placed.paths.iter().map(String::as_str));
        }
    }
    let library = entries.values().flatten().next().and_then(|path| path.split("::").next());
    let mut text = format!("library = {:?}\ncrates = []\n", library.unwrap_or("library"));
    for (says, mut paths) in entries {
        paths.sort_unstable();
        paths.dedup();
        let _ = write!(text, "\n[[fn]]\npath = {paths:?}\n{says}");
    }
    text
}

/// What an entry says of a function; nothing: there is no entry. A future asks where it is awaited: it blocks there, and what it needs
/// is up to whoever runs it.
fn says(placed: &Placed) -> String {
    let asked = |word: &str| {
        let names = placed.asks.iter().filter_map(|asked| asked.strip_prefix(word)?.strip_prefix('('));
        names.filter_map(|name| name.strip_suffix(')')).collect::<Vec<_>>()
    };
    let mut text = String::new();
    for word in ["needs", "refuses"] {
        let names = asked(word);
        if !placed.awaited && !names.is_empty() {
            let _ = writeln!(text, "{word} = {names:?}");
        }
    }
    let blocks = asked("blocks");
    if let Some(kind) = KINDS.iter().find(|kind| blocks.contains(kind)) {
        let _ = writeln!(text, "blocks = {kind:?}");
    }
    text
}
