//! Text to tokens.

use std::ops::Range;

/// A syntax or name error.
#[derive(Debug)]
pub(super) struct Error {
    pub message: String,
    pub span: Range<usize>,
}

/// Words that are not names.
pub(super) const KEYWORDS: &[&str] = &[
    "executor",
    "exclusive",
    "lock",
    "var",
    "bool",
    "int",
    "presence",
    "variant",
    "true",
    "false",
    "event",
    "once",
    "alone",
    "on",
    "when",
    "task",
    "proc",
    "any",
    "read",
    "write",
    "update",
    "by",
    "assume",
    "acquire",
    "shared",
    "release",
    "yield",
    "async",
    "join",
    "await",
    "call",
    "return",
    "if",
    "else",
    "while",
    "loop",
    "defer",
    "force",
    "run",
    "deferred",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name that is no keyword, or anything in backquotes.
    Name(String),
    Word(&'static str),
    Number(i128),
    Sign(&'static str),
    End,
}

const SIGNS: &[&str] = &[
    ":=", "==", "&&", "||", "..", "{", "}", "(", ")", "[", "]", ";", ":", ",", "=", "<", "+", "-", "!", "*",
];

/// All tokens with their spans; the last one is [`Token::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<(Token, Range<usize>)>, Error> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let first = rest.chars().next().expect("not at the end");
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let end = rest
                .find("*/")
                .ok_or(Error { message: "this comment does not end".into(), span: at..at + 2 })?;
            at += end + 2;
        } else {
            let (token, length) =
                token(rest, first).map_err(|message| Error { message, span: at..at + first.len_utf8() })?;
            out.push((token, at..at + length));
            at += length;
        }
    }
    out.push((Token::End, source.len()..source.len()));
    Ok(out)
}

fn token(rest: &str, first: char) -> Result<(Token, usize), String> {
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..length].parse().map_err(|_| "this number is too large".to_string())?;
        return Ok((Token::Number(number), length));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        let token = match KEYWORDS.iter().find(|k| **k == word) {
            Some(keyword) => Token::Word(keyword),
            None => Token::Name(word.to_string()),
        };
        return Ok((token, length));
    }
    if first == '`' {
        let end = rest[1..].find(['`', '\n']).filter(|&e| rest.as_bytes()[e + 1] == b'`');
        let end = end.ok_or("this quoted name does not end on its line")?;
        return if end == 0 {
            Err("a name cannot be empty".into())
        } else {
            Ok((Token::Name(rest[1..=end].into()), end + 2))
        };
    }
    match SIGNS.iter().find(|s| rest.starts_with(**s)) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err(format!("unexpected character {first:?}")),
    }
}
