//! The source with the steps of the schedule as labels, by miette.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::Range;
use std::rc::Rc;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
    ThemeCharacters,
};
use robust_analyzer::finding::{Finding, Level, Role, Step};

use super::{Look, draw};
use crate::report::sources::{Source, clean};
use crate::report::steps::lane_name;
use crate::report::{Sources, class_name};

/// A finding, or what one file adds to it.
#[derive(Debug)]
struct Snippet {
    message: String,
    code: Option<String>,
    severity: Severity,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

/// The accesses in one file.
struct InFile {
    name: String,
    source: Rc<Source>,
    labels: BTreeMap<(usize, usize), Label>,
}

#[derive(Default)]
struct Label {
    texts: Vec<String>,
    /// Whether the pivot is here.
    primary: bool,
}

/// The finding's head and its source, by file: the one with the last access first.
pub(super) fn render(finding: &Finding, sources: &Sources, look: &Look) -> String {
    let (files, missing) = collect(finding, sources);
    let mut snippets: Vec<Snippet> = files.into_iter().map(InFile::into_snippet).collect();
    if snippets.is_empty() {
        snippets.push(Snippet::bare(String::new()));
    }
    snippets.extend(missing.into_iter().map(Snippet::bare));
    let main = &mut snippets[0];
    main.message = clean(&finding.message);
    let level;
    (main.severity, level) = match finding.level {
        Level::Deny => (Severity::Error, "error"),
        Level::Warn => (Severity::Warning, "warning"),
        Level::Note | Level::Allow => (Severity::Advice, "note"),
    };
    main.code = Some(format!("{level}[robust::{}]", class_name(finding.class)));

    let mut out = String::new();
    for snippet in &snippets {
        match draw(look, snippet) {
            Ok(text) => out.push_str(&text),
            // Nothing that miette refuses may cost the user the finding.
            Err(_) => drop(writeln!(out, "{}", snippet.message)),
        }
    }
    out
}

/// How miette draws.
pub(super) fn handler(look: &Look) -> GraphicalReportHandler {
    let theme = match (look.unicode, look.color) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, true) => GraphicalTheme { characters: ThemeCharacters::ascii(), ..GraphicalTheme::unicode() },
        (false, false) => GraphicalTheme::none(),
    };
    GraphicalReportHandler::new_themed(theme).with_links(false).with_width(look.width).with_context_lines(1)
}

/// Sorts the accesses in conflict into files, that of the pivot first; and names those whose source is not there. The
/// steps in between are in the table of lanes.
fn collect(finding: &Finding, sources: &Sources) -> (Vec<InFile>, Vec<String>) {
    let mut files: Vec<InFile> = Vec::new();
    let mut missing = Vec::new();
    let mut steps: Vec<(usize, &Step)> =
        finding.steps.iter().enumerate().filter(|(_, step)| step.role != Role::Step).collect();
    steps.sort_by_key(|(_, step)| step.role != Role::Pivot);
    for (index, step) in steps {
        let Some(place) = &step.place else { continue };
        let text = label(index, step, finding);
        match sources.locate(place) {
            Some((source, range)) => {
                let name = clean(sources.relative(&place.file));
                file(&mut files, name, source).add(range, index, text, step.role == Role::Pivot);
            }
            None => missing.push(format!("{}:{}:{}: {text}", clean(&place.file), place.line, place.column)),
        }
    }
    (files, missing)
}

fn label(index: usize, step: &Step, finding: &Finding) -> String {
    let lane = finding.lanes.get(step.lane).map(|lane| lane_name(lane, finding)).unwrap_or_default();
    clean(&format!("{}. {lane} {}", index + 1, step.text))
}

fn file(files: &mut Vec<InFile>, name: String, source: Rc<Source>) -> &mut InFile {
    let index = files.iter().position(|file| file.name == name).unwrap_or_else(|| {
        files.push(InFile { name, source, labels: BTreeMap::new() });
        files.len() - 1
    });
    &mut files[index]
}

impl InFile {
    fn add(&mut self, range: Range<usize>, index: usize, text: String, primary: bool) {
        let range = self.first_line(range);
        let label = self.labels.entry((range.start, range.end)).or_default();
        label.primary |= primary;
        label.texts.push(text);
        // The pivot comes first; within a label the schedule's order reads better.
        label.texts.sort_by_key(|text| text.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(index));
    }

    /// Of a function or a block, its first line will do: more would bury the steps within it.
    fn first_line(&self, range: Range<usize>) -> Range<usize> {
        let line = self.source.text()[range.clone()].lines().next().unwrap_or_default();
        range.start..range.start + line.trim_end().len()
    }

    fn into_snippet(self) -> Snippet {
        let labels = self.labels.into_iter().map(|((start, end), label)| {
            let text = Some(label.texts.join("\n"));
            match label.primary {
                true => LabeledSpan::new_primary_with_span(text, start..end),
                false => LabeledSpan::new_with_span(text, start..end),
            }
        });
        Snippet {
            labels: labels.collect(),
            source: Some(NamedSource::new(&self.name, self.source.text().to_owned())),
            ..Snippet::bare(format!("and in {}", self.name))
        }
    }
}

impl Snippet {
    /// A remark without source.
    fn bare(message: String) -> Snippet {
        Snippet { message, code: None, severity: Severity::Advice, source: None, labels: Vec::new() }
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.labels.is_empty() { None } else { Some(Box::new(self.labels.iter().cloned())) }
    }
}
