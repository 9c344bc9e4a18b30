//! Joining pass B (bodies under definition paths) with pass C (names for readers).
//!
//! Both list the same bodies in the same order, once promoted constants are left out, which C does not have. That is an
//! observation and no promise, so it is checked: number of bodies, number of arguments and last part of each name.

use super::{Entry, fn_header, path};
use crate::mir::{BodyKind, Name, NotAnalysed, Span};

/// Gives bodies the names that pass C has for them. When the lists do not fit, the bodies keep their definition paths, and the
/// result says so.
///
/// # Errors
/// That the lists do not fit.
pub fn join(entries: &mut [Entry], names: &str) -> Result<(), NotAnalysed> {
    let listed: Vec<&str> = names.lines().filter(|line| line.starts_with("fn ")).collect();
    let mut takers: Vec<&mut Entry> = entries.iter_mut().filter(|entry| takes_name(entry)).collect();
    if listed.len() != takers.len() {
        return Err(mismatch(format!("{} bodies, {} names", takers.len(), listed.len())));
    }
    let mut pairs = Vec::with_capacity(listed.len());
    for (entry, line) in takers.iter().zip(&listed) {
        match fn_header(line) {
            Some((name, count)) if fits(entry, name, count) => pairs.push(name),
            _ => return Err(mismatch(format!("`{}` against `{line}`", entry.def()))),
        }
    }
    for (entry, name) in takers.iter_mut().zip(pairs) {
        match entry {
            Entry::Body(body) => {
                body.path = path(name);
                body.name = Name::from(name);
            }
            Entry::Failed(missing) => missing.name = name.to_owned(),
            Entry::Unread(_) => {}
        }
    }
    Ok(())
}

fn takes_name(entry: &Entry) -> bool {
    match entry {
        Entry::Body(body) => !matches!(body.kind, BodyKind::Promoted { .. }),
        Entry::Failed(_) | Entry::Unread(_) => !entry.def().contains("::promoted["),
    }
}

fn fits(entry: &Entry, name: &str, count: usize) -> bool {
    let same_end = last(entry.def()) == last(name);
    match entry {
        Entry::Body(body) => same_end && body.arg_count as usize == count,
        Entry::Failed(_) | Entry::Unread(_) => same_end,
    }
}

/// The last part of a path without its generic arguments, and without what tells a name from a keyword: pass C leaves that out.
fn last(path: &str) -> &str {
    let end = path.rsplit("::").next().unwrap_or(path);
    let end = end.split('<').next().unwrap_or(end);
    end.strip_prefix("r#").unwrap_or(end)
}

fn mismatch(detail: String) -> NotAnalysed {
    NotAnalysed {
        name: "names of bodies".to_owned(),
        reason: "the two passes list different bodies, so definition paths stand in for names".to_owned(),
        detail: Some(detail),
        span: Span::default(),
    }
}
