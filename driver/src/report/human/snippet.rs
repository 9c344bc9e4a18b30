//! The source with the accesses in conflict as labels, drawn as rustc draws it.

use std::ops::Range;
use std::rc::Rc;

use annotate_snippets::renderer::{DEFAULT_TERM_WIDTH, DecorStyle, Renderer};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Head, Origin, Patch, Snippet};
use robust_analyzer::finding::{Finding, Level, Role, Step};

use super::Look;
use crate::fix::{self, Certain};
use crate::report::sources::{Source, clean};
use crate::report::steps::deed;
use crate::report::{Sources, class_name};

/// A line with more characters is drawn on its own, and one place in it is pointed to: of two that are far apart, all between them would
/// be shown.
const LONG: usize = 400;

/// The accesses in one file, or in one long line of it.
struct InFile {
    name: String,
    long: Option<u32>,
    source: Rc<Source>,
    labels: Vec<Label>,
}

struct Label {
    step: usize,
    line: u32,
    range: Range<usize>,
    text: String,
    /// Whether it is the last access.
    is_last: bool,
}

/// The finding's head and its source, by file: the one with the last access first.
pub(super) fn render(finding: &Finding, sources: &Sources, look: &Look) -> String {
    let (files, missing) = collect(finding, sources);
    let head = match finding.level {
        Level::Deny => Head::ERROR,
        Level::Warn => Head::WARNING,
        Level::Note | Level::Allow => Head::NOTE,
    };
    let class = format!("robust::{}", class_name(finding.class));
    let mut group = Group::with_title(head.primary_title(clean(&finding.message)).id(class));
    for file in &files {
        group = group.element(file.snippet());
    }
    for (place, text) in missing {
        group = group.element(place).element(Head::NOTE.message(text));
    }
    let mut out = renderer(look).render(&[group]);
    out.push('\n');
    out
}

/// What repairs it, as a change of the source.
pub(super) fn repair(finding: &Finding, sources: &Sources, look: &Look) -> Option<String> {
    let fix = fix::repair(finding, sources).filter(|fix| fix.certain == Certain::Yes)?;
    let first = &fix.edits.first()?.place;
    let source = sources.get(&first.file)?;
    let lines = || fix.edits.iter().flat_map(|edit| [edit.place.line, edit.place.end_line]);
    let (from, to) = (lines().min()?, lines().max()?);
    let text = source.lines(from, to);
    let mut snippet = Snippet::source(&source.text()[text.clone()])
        .line_start(from as usize)
        .path(clean(sources.relative(&first.file)));
    for edit in &fix.edits {
        let range = source.range(&edit.place)?;
        snippet =
            snippet.patch(Patch::new(range.start - text.start..range.end - text.start, edit.text.as_str()));
    }
    let group = Group::with_title(Head::HELP.secondary_title(clean(&fix.title))).element(snippet);
    Some(renderer(look).render(&[group]) + "\n")
}

/// How sources are drawn.
pub(super) fn renderer(look: &Look) -> Renderer {
    let renderer = if look.color { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).term_width(look.width.max(DEFAULT_TERM_WIDTH))
}

/// Sorts the accesses in conflict into files, that of the last one first; and names those whose source is not there. The
/// steps in between are in the table of lanes.
fn collect<'s>(finding: &Finding, sources: &'s Sources) -> (Vec<InFile>, Vec<(Origin<'s>, String)>) {
    let mut files: Vec<InFile> = Vec::new();
    let mut missing = Vec::new();
    let mut steps: Vec<(usize, &Step)> =
        finding.steps.iter().enumerate().filter(|(_, step)| step.role != Role::Step).collect();
    steps.sort_by_key(|(_, step)| !step.role.is_last());
    for (index, step) in steps {
        let Some(place) = &step.place else { continue };
        let text = clean(&format!("{}. {}", index + 1, deed(finding, step)));
        let name = clean(sources.relative(&place.file));
        match sources.locate(place) {
            Some((source, range)) => {
                let is_last = step.role.is_last();
                let label =
                    Label { step: index, line: place.line, range: first_line(&source, range), text, is_last };
                let is_long = source.line(place.line).is_some_and(|line| line.chars().nth(LONG).is_some());
                file(&mut files, name, source, is_long.then_some(place.line)).add(label);
            }
            None => {
                let (line, column) = (place.line as usize, place.column as usize);
                missing.push((Origin::path(name).line(line).char_column(column), text));
            }
        }
    }
    (files, missing)
}

fn file(files: &mut Vec<InFile>, name: String, source: Rc<Source>, long: Option<u32>) -> &mut InFile {
    let index = files.iter().position(|file| file.name == name && file.long == long).unwrap_or_else(|| {
        files.push(InFile { name, long, source, labels: Vec::new() });
        files.len() - 1
    });
    &mut files[index]
}

/// Of a function or a block, its first line will do: more would bury the steps within it.
fn first_line(source: &Source, range: Range<usize>) -> Range<usize> {
    let line = source.text()[range.clone()].lines().next().unwrap_or_default();
    range.start..range.start + line.trim_end().len()
}

impl InFile {
    fn add(&mut self, label: Label) {
        match self.labels.first_mut().filter(|_| self.long.is_some()) {
            Some(known) => known.text = format!("{}; {}", known.text, label.text),
            None => self.labels.push(label),
        }
        self.labels.sort_by_key(|label| label.step);
    }

    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        // Only what may be shown: what draws it looks at all that it gets.
        let lines = self.labels.iter().map(|label| label.line);
        let first = lines.clone().min().unwrap_or(1);
        let text = self.source.lines(first, lines.max().unwrap_or(1));
        let labels = self.labels.iter().map(|label| {
            let kind = if label.is_last { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = label.range.start - text.start..label.range.end - text.start;
            kind.span(range).label(&label.text)
        });
        let shown = &self.source.text()[text.clone()];
        Snippet::source(shown).line_start(first as usize).path(&self.name).annotations(labels)
    }
}
