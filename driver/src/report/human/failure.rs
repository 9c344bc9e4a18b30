//! Errors, drawn as findings are.

use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use miette::{Diagnostic, SourceSpan};

use super::snippet::renderer;
use super::{Look, remark};
use crate::report::sources::{clean, is_unsafe};

/// An error with its place, its causes and what helps. `error[CODE]: message` is its first line.
pub(crate) fn draw(look: &Look, error: &dyn Diagnostic) -> String {
    let title = Level::ERROR.primary_title(clean(&error.to_string()));
    let title = match error.code() {
        Some(code) => title.id(clean(&code.to_string())),
        None => title,
    };
    let mut group = Group::with_title(title);
    if let Some((name, text, labels)) = excerpt(error) {
        let labels =
            labels.into_iter().map(|(range, label)| AnnotationKind::Primary.span(range).label(label));
        group = group.element(Snippet::source(text).path(name).annotations(labels));
    }
    let mut out = renderer(look).render(&[group]);
    out.push('\n');
    let mut cause = error.source();
    while let Some(error) = cause {
        out.push_str(&remark("note", &format!("caused by: {}", clean(&error.to_string())), look));
        cause = error.source();
    }
    if let Some(help) = error.help() {
        for line in help.to_string().lines() {
            out.push_str(&remark("help", &clean(line), look));
        }
    }
    let _ = writeln!(out);
    out
}

/// What an error points to.
type Excerpt = (String, String, Vec<(Range<usize>, String)>);

/// The source that an error is about, made safe to show, with what is said of places in it.
fn excerpt(error: &dyn Diagnostic) -> Option<Excerpt> {
    let all = error.source_code()?.read_span(&SourceSpan::from(0..0), 0, usize::MAX).ok()?;
    let text = std::str::from_utf8(all.data()).ok()?;
    // Each character by another one: places are counted in characters.
    let shown: String = text.chars().map(|c| if c == '\r' || is_unsafe(c) { ' ' } else { c }).collect();
    let labels = error.labels()?.filter_map(|label| {
        let range = label.offset()..label.offset() + label.len();
        let [start, end] =
            [range.start, range.end].map(|at| text.get(..at).map(|before| before.chars().count()));
        let byte = |count: usize| shown.char_indices().nth(count).map_or(shown.len(), |(at, _)| at);
        Some((byte(start?)..byte(end?), label.label().unwrap_or_default().to_owned()))
    });
    let labels: Vec<_> = labels.collect();
    let name = clean(all.name().unwrap_or_default());
    (!labels.is_empty()).then_some((name, shown, labels))
}
