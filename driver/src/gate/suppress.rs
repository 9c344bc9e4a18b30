//! Comments in the source that allow findings: `// robust: allow(check-then-act): the cache may be filled twice`.
//!
//! A comment behind code is about its line. A comment on a line of its own is about the next line of code; when a function
//! begins there, about the function. A finding is allowed by a comment about one of its accesses in conflict, or about the
//! function that such an access or one of its tasks is in; one about where code runs, by a comment about any call on the way, or by
//! comments about all its operations that are out of place.

use std::collections::BTreeSet;

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use robust_analyzer::finding::{Class, Finding, Property, Role, Step};
use robust_analyzer::ir::SourcePlace;
use robust_analyzer::nearest::nearest;

use crate::items;
use crate::report::{CLASSES, Notice, NoticeKind, Sources, class_name, parse_class};

/// All suppression comments of the files that were analysed.
#[derive(Debug, Default)]
pub struct Suppressions {
    comments: Vec<Comment>,
    notices: Vec<Notice>,
}

#[derive(Debug)]
struct Comment {
    place: SourcePlace,
    /// The lines it is about.
    first: u32,
    last: u32,
    classes: Vec<Class>,
    used: BTreeSet<Class>,
    /// Classes of what is found here, allowed or not.
    found: BTreeSet<Class>,
}

/// A comment's text and where it stands.
pub(super) struct Found<'a> {
    place: SourcePlace,
    pub text: &'a str,
    /// The line of code it is about.
    pub target: u32,
}

impl Suppressions {
    /// Reads the comments of all files that can be read.
    pub fn read(files: &BTreeSet<String>, sources: &Sources) -> Suppressions {
        let mut suppressions = Suppressions::default();
        for file in files {
            if let Some(source) = sources.get(file) {
                suppressions.add_file(file, source.text());
            }
        }
        suppressions
    }

    /// Whether a comment allows the finding; if so, the comment is in use.
    pub fn allow(&mut self, finding: &Finding, sources: &Sources) -> bool {
        let whole = matches!(finding.property, Property::Confinement { .. } | Property::Lifecycle { .. });
        let is_offence = |step: &&Step| step.role == Role::Offence;
        let accesses = finding.steps.iter().filter(|step| whole || step.role != Role::Step);
        let ways = accesses.filter(|step| !is_offence(step)).filter_map(|step| step.place.as_ref());
        let tasks = finding.lanes.iter().filter_map(|lane| lane.place.as_ref());
        let ways: Vec<_> = ways.chain(tasks).collect();
        let offences = finding.steps.iter().filter(is_offence).filter_map(|step| step.place.as_ref());
        let offences: Vec<_> = offences.collect();
        let mut left = offences.clone();
        let about = |comment: &Comment, place: &SourcePlace| {
            (comment.first..=comment.last).contains(&place.line)
                && sources.relative(&comment.place.file) == sources.relative(&place.file)
        };
        let mut allowed = false;
        for comment in &mut self.comments {
            let on_way = ways.iter().any(|place| about(comment, place));
            let of_these = offences.iter().any(|place| about(comment, place));
            if on_way || of_these {
                comment.found.insert(finding.class);
                if comment.classes.contains(&finding.class) {
                    comment.used.insert(finding.class);
                    allowed |= on_way;
                    left.retain(|place| !about(comment, place));
                }
            }
        }
        allowed |= !offences.is_empty() && left.is_empty();
        allowed
    }

    /// What is odd: malformed comments, and those that no finding needed.
    pub fn notices(self) -> Vec<Notice> {
        let unused = self.comments.into_iter().flat_map(|comment| {
            let classes = comment.classes.into_iter().filter(|class| !comment.used.contains(class));
            let notice = |class| Notice {
                kind: NoticeKind::UnusedSuppression,
                message: unused(class, &comment.found),
                place: Some(comment.place.clone()),
            };
            classes.map(notice).collect::<Vec<_>>()
        });
        self.notices.into_iter().chain(unused).collect()
    }

    fn add_file(&mut self, file: &str, text: &str) {
        if !text.contains("robust:") {
            return;
        }
        let functions = items::functions(text);
        for found in comments(file, text) {
            let above = functions.iter().any(|function| function.head.contains(&found.target));
            match parse(found.text, above) {
                None => {}
                Some(Ok(classes)) => {
                    let function = functions.iter().find(|function| function.head.contains(&found.target));
                    self.comments.push(Comment {
                        first: found.target,
                        last: function.map_or(found.target, |function| function.last),
                        place: found.place,
                        classes,
                        used: BTreeSet::new(),
                        found: BTreeSet::new(),
                    });
                }
                Some(Err(message)) => self.notices.push(Notice {
                    kind: NoticeKind::MalformedSuppression,
                    message: format!("this comment has no effect: {message}"),
                    place: Some(found.place),
                }),
            }
        }
    }
}

/// What to say of a class that is allowed where it is not found; others may be.
fn unused(class: Class, found: &BTreeSet<Class>) -> String {
    let message = format!("unused suppression: there is no `{}` finding here", class_name(class));
    let found: Vec<String> = found.iter().map(|class| format!("`{}`", class_name(*class))).collect();
    if found.is_empty() { message } else { format!("{message}, but one of {}", found.join(", ")) }
}

/// The line comments that are no documentation.
pub(super) fn comments<'a>(file: &str, text: &'a str) -> Vec<Found<'a>> {
    let (mut offset, mut line, mut column) = (0, 1, 1);
    let mut code_on_line = 0;
    let mut found: Vec<Found> = Vec::new();
    let mut waiting = 0;
    for token in tokenize(text, FrontmatterAllowed::No) {
        let token_text = &text[offset..offset + token.len as usize];
        let is_comment = matches!(token.kind, TokenKind::LineComment { .. } | TokenKind::BlockComment { .. });
        if matches!(token.kind, TokenKind::LineComment { doc_style: None }) {
            let place = SourcePlace {
                file: file.to_owned(),
                line,
                column,
                end_line: line,
                end_column: column + token_text.chars().count() as u32,
            };
            found.push(Found { place, text: token_text, target: line });
            if code_on_line == line {
                waiting = found.len();
            }
        } else if !is_comment && token.kind != TokenKind::Whitespace {
            for comment in &mut found[waiting..] {
                comment.target = line;
            }
            waiting = found.len();
        }
        offset += token.len as usize;
        match token_text.rfind('\n') {
            Some(at) => {
                line += token_text.matches('\n').count() as u32;
                column = token_text[at + 1..].chars().count() as u32 + 1;
            }
            None => column += token_text.chars().count() as u32,
        }
        if !is_comment && token.kind != TokenKind::Whitespace {
            code_on_line = line;
        }
    }
    found
}

/// The classes that a comment allows; `None` when it is no suppression, an error when it is one that is not complete.
fn parse(comment: &str, above: bool) -> Option<Result<Vec<Class>, String>> {
    if let Some(complaint) = super::events::complaint(comment, above) {
        return Some(Err(complaint));
    }
    let text = comment.trim_start_matches('/').trim().strip_prefix("robust:")?.trim_start();
    let Some(rest) = text.strip_prefix("allow") else {
        let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let meant = nearest(word, ["allow", "event"])?;
        return Some(Err(format!("`{word}` says nothing; did you mean `{meant}`?")));
    };
    let rest = rest.trim_start();
    let Some((names, reason)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return Some(Err("write `// robust: allow(CLASS): reason`".to_owned()));
    };
    let mut classes = Vec::new();
    for name in names.split(',').map(str::trim) {
        match parse_class(name) {
            Some(class) => classes.push(class),
            None => {
                let known = CLASSES.map(class_name);
                let more = match nearest(name, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("the classes are {}", known.join(", ")),
                };
                return Some(Err(format!("there is no class `{name}`; {more}")));
            }
        }
    }
    match reason.trim_start().strip_prefix(':').map(str::trim) {
        Some(reason) if !reason.is_empty() => Some(Ok(classes)),
        _ => Some(Err(format!("it needs a reason: `// robust: allow({names}): reason`"))),
    }
}

#[cfg(test)]
mod tests;
