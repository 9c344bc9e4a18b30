//! The lowest level: a cursor over the text, the words it is made of, and shared strings.
//!
//! There is no token list: MIR text has no context-free tokens (a file name may contain anything, `<` opens a list of types
//! or an impl), so the grammar asks the cursor for what it expects next.

use crate::mir::{AllocKind, Name, Span, Ty};
use rustc_hash::FxHashMap;

/// Where and why a body was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// Byte offset in the text.
    pub at: usize,
    /// What should have been there.
    pub expected: &'static str,
}

pub(super) type Parsed<T> = Result<T, Syntax>;

/// Deeper nesting than this is taken for damaged text; it protects the stack.
const MAX_DEPTH: u32 = 400;

/// What all bodies of a crate share.
#[derive(Default)]
pub(super) struct Shared<'a> {
    pub names: FxHashMap<&'a str, Name>,
    /// Types by their text: nearly every type occurs many times.
    pub types: FxHashMap<&'a str, Ty>,
    /// What rustc's allocation numbers stand for.
    pub allocs: FxHashMap<u32, AllocKind>,
}

/// A cursor over the text.
pub(super) struct Parser<'a, 's> {
    pub text: &'a str,
    pub pos: usize,
    pub shared: &'s mut Shared<'a>,
    /// The texts of the constants of the statement under way, in order.
    pub constants: Vec<&'a str>,
    depth: u32,
    /// The last file a span was in: mostly the next one's, too.
    file: (&'a str, Name),
}

impl<'a, 's> Parser<'a, 's> {
    pub fn new(text: &'a str, shared: &'s mut Shared<'a>) -> Self {
        Parser { text, pos: 0, shared, constants: Vec::new(), depth: 0, file: ("", Name::default()) }
    }

    pub fn fail<T>(&self, expected: &'static str) -> Parsed<T> {
        Err(Syntax { at: self.pos.min(self.text.len()), expected })
    }

    /// The byte under the cursor, 0 at the end.
    pub fn peek(&self) -> u8 {
        self.byte(0)
    }

    pub fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.pos + ahead).copied().unwrap_or(0)
    }

    pub fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or(&[])
    }

    /// The text between two offsets.
    pub fn slice(&self, from: usize, to: usize) -> Parsed<&'a str> {
        self.text.get(from..to).ok_or(Syntax { at: from.min(self.text.len()), expected: "text" })
    }

    pub fn at(&self, word: &str) -> bool {
        self.rest().starts_with(word.as_bytes())
    }

    pub fn eat(&mut self, word: &str) -> bool {
        let there = self.at(word);
        if there {
            self.pos += word.len();
        }
        there
    }

    pub fn expect(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat(word) { Ok(()) } else { self.fail(word) }
    }

    pub fn spaces(&mut self) {
        while self.peek() == b' ' {
            self.pos += 1;
        }
    }

    /// Spaces and line ends.
    pub fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\n') && self.pos < self.text.len() {
            self.pos += 1;
        }
    }

    /// Runs something that nests.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("less nesting");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Tries something; the cursor stays where it was when that fails.
    pub fn attempt<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (pos, count) = (self.pos, self.constants.len());
        let result = inner(self).ok();
        if result.is_none() {
            self.pos = pos;
            self.constants.truncate(count);
        }
        result
    }

    pub fn number(&mut self) -> Parsed<u64> {
        let start = self.pos;
        while self.peek().is_ascii_digit() {
            self.pos += 1;
        }
        match self.slice(start, self.pos)?.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("a number"),
        }
    }

    pub fn small(&mut self) -> Parsed<u32> {
        match u32::try_from(self.number()?) {
            Ok(number) => Ok(number),
            Err(_) => self.fail("a smaller number"),
        }
    }

    /// An identifier, raw and non-ASCII ones included; empty when there is none.
    pub fn word(&mut self) -> &'a str {
        let start = self.pos;
        if self.at("r#") {
            self.pos += 2;
        }
        while is_word(self.peek()) {
            self.pos += 1;
        }
        self.text.get(start..self.pos).unwrap_or("")
    }

    pub fn name(&mut self, text: &'a str) -> Name {
        self.shared.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// Skips a string literal; the cursor is on its opening quote.
    pub fn skip_string(&mut self) -> Parsed<()> {
        self.pos += 1;
        loop {
            match memchr::memchr2(b'"', b'\\', self.rest()) {
                Some(offset) if self.byte(offset) == b'"' => {
                    self.pos += offset + 1;
                    return Ok(());
                }
                Some(offset) => self.pos += offset + 2,
                None => return self.fail("the end of a string"),
            }
        }
    }

    /// Skips a character literal or the start of a lifetime; the cursor is on the quote.
    pub fn skip_quote(&mut self) {
        self.pos += 1;
        if self.peek() == b'\\' {
            self.pos += 2;
            match memchr::memchr(b'\'', &self.rest()[..self.rest().len().min(12)]) {
                Some(offset) => self.pos += offset + 1,
                None => self.pos = self.pos.min(self.text.len()),
            }
            return;
        }
        let width = utf8_width(self.peek());
        if self.byte(width) == b'\'' {
            self.pos += width + 1;
        }
    }

    /// Moves to the first of `stops` outside brackets and literals. Where a bracket closes that was not opened, it stops as well.
    pub fn skip_to(&mut self, stops: &[u8]) -> Parsed<()> {
        let mut depth = 0u32;
        loop {
            let byte = self.peek();
            if depth == 0 && stops.contains(&byte) {
                return Ok(());
            }
            match byte {
                0 if self.pos >= self.text.len() => return self.fail("a closing bracket"),
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'\'' => {
                    self.skip_quote();
                    continue;
                }
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b'>' if self.pos > 0 && matches!(self.text.as_bytes()[self.pos - 1], b'-' | b'=') => {}
                b')' | b']' | b'}' | b'>' => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Ok(()),
                },
                _ => {}
            }
            self.pos += 1;
        }
    }

    /// Skips a bracketed group; the cursor is on the opening bracket. Returns what is inside.
    pub fn group(&mut self) -> Parsed<&'a str> {
        let close = match self.peek() {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            _ => return self.fail("a bracket"),
        };
        self.pos += 1;
        let start = self.pos;
        self.skip_to(&[close])?;
        if self.peek() != close {
            return self.fail("a closing bracket");
        }
        self.pos += 1;
        self.slice(start, self.pos - 1)
    }

    /// The rest of the line; the cursor goes to the start of the next one.
    pub fn line(&mut self) -> Parsed<&'a str> {
        let start = self.pos;
        let end = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |offset| start + offset);
        self.pos = (end + 1).min(self.text.len());
        self.slice(start, end)
    }

    /// A span at the end of `text`: `src/lib.rs:1:2: 3:4`, or `no-location`. The file's name may hold anything.
    pub fn span(&mut self, text: &'a str) -> Option<Span> {
        if text == "no-location" {
            return Some(Span::default());
        }
        let (rest, end_col) = back_number(text)?;
        let (rest, end_line) = back_number(rest.strip_suffix(':')?)?;
        let (rest, col) = back_number(rest.strip_suffix(": ")?)?;
        let (rest, line) = back_number(rest.strip_suffix(':')?)?;
        let file = rest.strip_suffix(':')?;
        if self.file.0 != file {
            self.file = (file, self.name(file));
        }
        Some(Span { file: self.file.1.clone(), line, col, end_line, end_col })
    }
}

/// The number at the end of a text, and what comes before it.
fn back_number(text: &str) -> Option<(&str, u32)> {
    let bytes = text.as_bytes();
    let mut start = bytes.len();
    while start > 0 && bytes[start - 1].is_ascii_digit() {
        start -= 1;
    }
    Some((text.get(..start)?, text.get(start..)?.parse().ok()?))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn utf8_width(byte: u8) -> usize {
    match byte {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}
