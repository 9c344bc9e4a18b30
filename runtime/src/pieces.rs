//! The texts of a harness. What can be written is only known to the compiler: there are several texts for most parts, and those
//! that do not compile are replaced by the next one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The module of the fixed part.
pub const ROOT: usize = usize::MAX;

/// A part of the harness, in a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The module, by number.
    pub module: usize,
    /// Its parts, one below the other.
    pub parts: Vec<Part>,
    /// Whether it can be left out.
    pub optional: bool,
    /// Whether it is left out.
    pub dropped: bool,
}

/// A part of a piece: texts to try in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The texts.
    pub texts: Vec<String>,
    /// The one that is tried.
    pub at: usize,
}

impl Part {
    /// A part of which there is one text.
    pub fn one(text: impl Into<String>) -> Part {
        Part { texts: vec![text.into()], at: 0 }
    }

    /// A part with several texts.
    pub fn of(texts: Vec<String>) -> Part {
        Part { texts, at: 0 }
    }

    /// Takes the next text; how many are left, that one included.
    pub fn advance(&mut self) -> usize {
        self.at += 1;
        self.texts.len() - self.at.min(self.texts.len())
    }
}

/// Which lines, from 1 up to the second number, are of which part of which piece.
pub type Lines = Vec<(usize, usize, usize, usize)>;

/// The text of a module's pieces.
pub fn text<'p>(pieces: impl Iterator<Item = &'p Piece>, module: usize) -> (String, Lines) {
    let (mut text, mut lines) = (String::new(), Vec::new());
    let mut line = 1;
    let own = |(_, piece): &(usize, &Piece)| piece.module == module && !piece.dropped;
    for (index, piece) in pieces.enumerate().filter(own) {
        for (number, part) in piece.parts.iter().enumerate() {
            let Some(own) = part.texts.get(part.at) else { continue };
            let count = own.trim_end().lines().count().max(1);
            let _ = writeln!(text, "{}", own.trim_end());
            lines.push((line, line + count, index, number));
            line += count;
        }
    }
    (text, lines)
}

/// Which file has the pieces of a module.
pub fn file_of(parts: &Path, module: usize) -> PathBuf {
    match module {
        ROOT => parts.join("root.rs"),
        _ => parts.join(format!("part{module}.rs")),
    }
}

/// The modules with pieces, that of the fixed part left out.
pub fn modules<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Vec<usize> {
    let mut all: Vec<usize> = pieces.map(|piece| piece.module).filter(|&module| module != ROOT).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Writes the files of all modules; by file, the lines of each part.
pub fn write<'p>(
    pieces: impl Iterator<Item = &'p Piece> + Clone,
    fixed: &str,
    parts: &Path,
) -> std::io::Result<Vec<(PathBuf, Lines)>> {
    let mut all = Vec::new();
    for module in modules(pieces.clone()).into_iter().chain([ROOT]) {
        let (own, lines) = text(pieces.clone(), module);
        let file = file_of(parts, module);
        let fixed = if module == ROOT { fixed.replace("//!", "//") } else { String::new() };
        std::fs::write(&file, own + &fixed)?;
        all.push((file, lines));
    }
    Ok(all)
}

/// Pieces as text, the texts that were tried left out.
pub fn kept<'p>(pieces: impl Iterator<Item = &'p Piece>) -> String {
    let mut out = String::new();
    for piece in pieces.filter(|piece| !piece.dropped) {
        let module = if piece.module == ROOT { "root".to_owned() } else { piece.module.to_string() };
        let _ = writeln!(out, "piece {module} {}", u8::from(piece.optional));
        for part in &piece.parts {
            out.push_str("part\n");
            for text in part.texts.iter().skip(part.at) {
                let _ = writeln!(out, "text {}", crate::worker::escaped(text.trim_end()));
            }
        }
    }
    out
}

/// Reads them again.
pub fn read(kept: &str) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for line in kept.lines() {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "piece" => {
                let (module, optional) = rest.split_once(' ').unwrap_or((rest, ""));
                let module = module.parse().unwrap_or(ROOT);
                all.push(Piece { module, optional: optional == "1", ..Piece::default() });
            }
            "part" => {
                all.iter_mut().next_back().into_iter().for_each(|piece| piece.parts.push(Part::default()))
            }
            "text" => {
                let part = all.iter_mut().next_back().and_then(|piece| piece.parts.last_mut());
                part.into_iter().for_each(|part| part.texts.push(crate::worker::unescaped(rest)));
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_pieces_are_read_again() {
        let part = Part::of(vec!["first".into(), "fn a() {\n    \"\\n\"\n}".into()]);
        let tried = Part { at: 1, ..part.clone() };
        let all = [
            Piece { module: 3, parts: vec![part.clone(), Part::one("b")], optional: true, dropped: false },
            Piece { module: ROOT, parts: vec![tried], ..Piece::default() },
            Piece { dropped: true, ..Piece::default() },
        ];
        let read = read(&kept(all.iter()));
        assert_eq!(read[0], all[0]);
        assert_eq!((read[1].module, &read[1].parts[0].texts[..]), (ROOT, &part.texts[1..]));
        assert_eq!(read.len(), 2);
        let (text, lines) = text(all.iter(), 3);
        assert_eq!((text.as_str(), &lines[..]), ("first\nb\n", &[(1, 2, 0, 0), (2, 3, 0, 1)][..]));
    }
}
