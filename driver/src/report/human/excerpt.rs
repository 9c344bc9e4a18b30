//! Sources as they are drawn: with long lines cut around what is pointed to. A generated line of 70,000 characters is of no
//! use on a screen, and what draws it cannot count that far.

use std::fmt::{self, Display};
use std::ops::Range;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, NamedSource, Severity, SourceCode, SourceSpan,
    SpanContents,
};

use super::{Look, snippet::handler};

/// Characters of a line that are shown whatever it is.
const LINE: usize = 400;
/// Characters that are shown on either side of what is pointed to in a longer line.
const AROUND: usize = 60;
/// Stands for what was cut.
const CUT: &str = "...";

/// A diagnostic with its source, drawn.
///
/// # Errors
/// When it cannot be drawn; there is its message still.
pub(crate) fn draw(look: &Look, diagnostic: &dyn Diagnostic) -> Result<String, fmt::Error> {
    let mut out = String::new();
    match Drawn::new(diagnostic) {
        Some(drawn) => handler(look).render_report(&mut out, &drawn)?,
        None => handler(look).render_report(&mut out, diagnostic)?,
    }
    Ok(out)
}

/// A part of a text that is kept when long lines are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    /// Where it is in the whole text.
    whole: Range<usize>,
    /// Where it begins in what is shown.
    shown: usize,
}

/// A text with long lines cut.
#[derive(Debug)]
struct Excerpt {
    source: NamedSource<String>,
    kept: Vec<Kept>,
    whole: String,
}

impl Excerpt {
    /// Cuts a text around the given places.
    fn new(name: &str, whole: &str, places: &[Range<usize>]) -> Excerpt {
        let mut text = String::new();
        let mut kept: Vec<Kept> = Vec::new();
        let mut start = 0;
        for line in whole.split_inclusive('\n') {
            let content = start..start + line.trim_end_matches(['\n', '\r']).len();
            let mut end = start;
            for part in parts(whole, &content, places) {
                if part.start > end {
                    text.push_str(CUT);
                }
                kept.push(Kept { whole: part.clone(), shown: text.len() });
                text.push_str(&whole[part.clone()]);
                end = part.end;
            }
            if end < content.end {
                text.push_str(CUT);
            }
            kept.push(Kept { whole: content.end..start + line.len(), shown: text.len() });
            text.push_str(&whole[content.end..start + line.len()]);
            start += line.len();
        }
        Excerpt { source: NamedSource::new(name, text), kept, whole: whole.to_owned() }
    }

    /// Where a byte of the whole text is in what is shown.
    fn shown(&self, offset: usize) -> usize {
        let index = self.kept.partition_point(|kept| kept.whole.start <= offset);
        let Some(kept) = index.checked_sub(1).and_then(|index| self.kept.get(index)) else { return 0 };
        kept.shown + (offset - kept.whole.start).min(kept.whole.len())
    }

    /// The column, in characters and from 0, that a byte of what is shown has in the whole text.
    fn column(&self, shown: usize) -> usize {
        let index = self.kept.partition_point(|kept| kept.shown <= shown);
        let Some(kept) = index.checked_sub(1).and_then(|index| self.kept.get(index)) else { return 0 };
        let offset = kept.whole.start + (shown - kept.shown).min(kept.whole.len());
        let before = self.whole.get(..offset).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default().chars().count()
    }

    fn span(&self, label: &LabeledSpan) -> LabeledSpan {
        let start = self.shown(label.offset());
        let end = self.shown(label.offset() + label.len()).max(start);
        let text = label.label().map(str::to_owned);
        match label.primary() {
            true => LabeledSpan::new_primary_with_span(text, start..end),
            false => LabeledSpan::new_with_span(text, start..end),
        }
    }
}

/// The parts of a line that are kept, in order.
fn parts(text: &str, line: &Range<usize>, places: &[Range<usize>]) -> Vec<Range<usize>> {
    if text[line.clone()].chars().nth(LINE).is_none() {
        return vec![line.clone()];
    }
    let before = |at: usize| {
        let mut chars = text[line.start..at].char_indices().rev();
        chars.nth(AROUND - 1).map_or(line.start, |(i, _)| line.start + i)
    };
    let behind = |at: usize| {
        let mut chars = text[at..line.end].char_indices();
        chars.nth(AROUND).map_or(line.end, |(i, _)| at + i)
    };
    let ends = places.iter().flat_map(|place| [place.start, place.end]);
    let inside = |at: &usize| (line.start..=line.end).contains(at) && text.is_char_boundary(*at);
    let mut parts: Vec<Range<usize>> = ends.filter(inside).map(|at| before(at)..behind(at)).collect();
    parts.push(line.start..behind(line.start));
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|next, part| {
        let joined = next.start <= part.end;
        if joined {
            part.end = part.end.max(next.end);
        }
        joined
    });
    parts
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.source.read_span(span, before, after)?;
        // Contents that begin with the span itself say where it is.
        let column = if before == 0 { self.column(span.offset()) } else { read.column() };
        let name = read.name().unwrap_or_default().to_owned();
        let (data, line, count) = (read.data(), read.line(), read.line_count());
        Ok(Box::new(MietteSpanContents::new_named(name, data, *read.span(), line, column, count)))
    }
}

/// A diagnostic whose source is an excerpt.
struct Drawn<'a> {
    inner: &'a dyn Diagnostic,
    excerpt: Excerpt,
    labels: Vec<LabeledSpan>,
}

impl<'a> Drawn<'a> {
    fn new(inner: &'a dyn Diagnostic) -> Option<Drawn<'a>> {
        let labels: Vec<LabeledSpan> = inner.labels()?.collect();
        let all = inner.source_code()?.read_span(&SourceSpan::from(0..0), 0, usize::MAX).ok()?;
        let whole = std::str::from_utf8(all.data()).ok()?;
        let places: Vec<Range<usize>> =
            labels.iter().map(|label| label.offset()..label.offset() + label.len()).collect();
        let excerpt = Excerpt::new(all.name()?, whole, &places);
        let labels = labels.iter().map(|label| excerpt.span(label)).collect();
        Some(Drawn { inner, excerpt, labels })
    }
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.inner, f)
    }
}

impl Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self.inner, f)
    }
}

impl std::error::Error for Drawn<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner.source()
    }
}

impl Diagnostic for Drawn<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.inner.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.inner.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.inner.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// A line around some of its columns, which count from 1 and in characters; all of it when it is not long.
pub(crate) fn around(line: &str, from: u32, to: u32) -> String {
    let offset = |column: u32| {
        let mut chars = line.char_indices();
        chars.nth((column as usize).saturating_sub(1)).map_or(line.len(), |(i, _)| i)
    };
    let place = offset(from)..offset(to.max(from));
    let excerpt = Excerpt::new("", line, std::slice::from_ref(&place));
    excerpt.source.inner().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_long_stay() {
        let text = "let a = 1;\r\n\n\u{e4}\n  last";
        let excerpt = Excerpt::new("a.rs", text, std::slice::from_ref(&(4..5)));
        assert_eq!(excerpt.source.inner(), text);
        assert!((0..=text.len()).filter(|&i| text.is_char_boundary(i)).all(|i| excerpt.shown(i) == i));
    }

    #[test]
    fn long_lines_are_cut_around_places() {
        let text = format!("short\n{}here{}\nlast", "\u{e4}".repeat(70_000), "b".repeat(70_000));
        let at = text.find("here").unwrap();
        let excerpt = Excerpt::new("a.rs", &text, std::slice::from_ref(&(at..at + 4)));
        let shown = excerpt.source.inner();
        assert!(
            shown.len() < 1_000 && shown.starts_with("short\n") && shown.ends_with("...\nlast"),
            "{shown}"
        );
        let start = excerpt.shown(at);
        assert_eq!(&shown[start..excerpt.shown(at + 4)], "here");
        assert_eq!(excerpt.column(start), 70_000);
        assert_eq!(&shown[excerpt.shown(text.len() - 4)..], "last");
        // What was cut is where the cut is.
        assert!(shown[excerpt.shown(at - 1_000)..].starts_with(CUT));
    }
}
