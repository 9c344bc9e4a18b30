//! The user's word on events: `[[event]]` in the configuration, `// robust: event(ui, once)` above a function.

use std::path::Path;
use std::sync::Arc;

use robust_analyzer::lower::{Function, Told, ToldEvent, Wanted};
use robust_analyzer::mir::Crate;
use serde::Deserialize;
use toml::Spanned;

use super::suppress::comments;
use crate::items;

/// Which events there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Events {
    /// Those that are found, and those that are named.
    #[default]
    Found,
    /// Those that are named.
    Named,
}

/// An event.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The end of the function's path.
    function: Spanned<String>,
    /// Where it runs.
    #[serde(default)]
    on: On,
    /// It happens at most once.
    #[serde(default)]
    once: bool,
    /// The function of another event that it comes after.
    after: Option<Spanned<String>>,
    /// The shared Boolean that is true when it comes.
    when: Option<Spanned<String>>,
}

impl Event {
    /// The names in it.
    pub(super) fn names(&self) -> impl Iterator<Item = (Wanted, &Spanned<String>)> {
        let own = std::iter::once((Wanted::Function, &self.function));
        let before = self.after.iter().map(|name| (Wanted::Before, name));
        own.chain(before).chain(self.when.iter().map(|name| (Wanted::Variable, name)))
    }
}

/// Where an event runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum On {
    /// Each on a thread of its own.
    #[default]
    Any,
    /// On the one thread of the user interface, or the `LocalSet`.
    Ui,
}

impl From<Event> for ToldEvent {
    fn from(event: Event) -> ToldEvent {
        ToldEvent {
            function: Function::Named(event.function.into_inner()),
            on_ui: event.on == On::Ui,
            once: event.once,
            after: event.after.map(Spanned::into_inner),
            when: event.when.map(Spanned::into_inner),
        }
    }
}

/// Adds what comments in the crates' sources say; `root` is where file names start.
pub fn add_comments(told: &mut Told, crates: &[Arc<Crate>], root: &Path) {
    let spans = crates.iter().flat_map(|krate| krate.bodies.iter().map(|body| &body.span));
    let mut files: Vec<&str> =
        spans.filter(|span| !span.is_none() && !span.is_foreign()).map(|span| &*span.file).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        if let Ok(text) = std::fs::read_to_string(root.join(file)) {
            told.events.extend(in_text(file, &text));
        }
    }
}

/// The events that comments in a text name.
fn in_text(file: &str, text: &str) -> Vec<ToldEvent> {
    if !text.contains("robust:") {
        return Vec::new();
    }
    let functions = items::functions(text);
    let mut events = Vec::new();
    for comment in comments(file, text) {
        let Some(Ok((on, once))) = parse(comment.text) else { continue };
        let Some(function) = functions.iter().find(|function| function.head.contains(&comment.target)) else {
            continue;
        };
        let lines = (*function.head.start(), *function.head.end());
        events.push(ToldEvent {
            function: Function::At { file: file.to_owned(), lines },
            on_ui: on == On::Ui,
            once,
            after: None,
            when: None,
        });
    }
    events
}

/// What is wrong with a comment about an event, if it is one. `above`: a function begins below it.
pub(super) fn complaint(comment: &str, above: bool) -> Option<String> {
    match parse(comment)? {
        Ok(_) if above => None,
        Ok(_) => Some("no function begins below it".to_owned()),
        Err(message) => Some(message),
    }
}

/// Where the event of a comment runs, and whether it happens once; `None` when the comment is about something else.
fn parse(comment: &str) -> Option<Result<(On, bool), String>> {
    let text = comment.trim_start_matches('/').trim().strip_prefix("robust:")?.trim_start();
    let rest = text.strip_prefix("event")?.trim();
    let Some(words) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return Some(Err("write `// robust: event(ui)` or `// robust: event(any)`".to_owned()));
    };
    let (mut on, mut once) = (On::Any, false);
    for word in words.split(',').map(str::trim) {
        match word {
            "ui" => on = On::Ui,
            "any" => on = On::Any,
            "once" => once = true,
            _ => {
                return Some(Err(format!("`{word}` says nothing about an event; `any`, `ui` and `once` do")));
            }
        }
    }
    Some(Ok((on, once)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_events() {
        let text = "// robust: event(ui, once)\n#[inline]\npub fn a() {}\n\n// robust: event(any)\nlet x;\nfn b() {}\n";
        assert_eq!(in_text("x.rs", text), [], "not Rust");
        let text = text.replace("let x;\n", "");
        let told = in_text("x.rs", &text);
        let places: Vec<_> = told.iter().map(|e| (e.function.to_string(), e.on_ui, e.once)).collect();
        assert_eq!(places, [("x.rs:3".to_owned(), true, true), ("x.rs:6".to_owned(), false, false)]);
        assert!(complaint("// robust: event(gui)", true).is_some_and(|text| text.contains("`gui`")));
        assert!(
            complaint("// robust: event", true).is_some()
                && complaint("// robust: allow(x)", false).is_none()
        );
        assert!(complaint("// robust: event(ui)", true).is_none());
        assert!(complaint("// robust: event(ui)", false).is_some_and(|text| text.contains("no function")));
    }
}
