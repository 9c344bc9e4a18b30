//! Text to data.

use std::ops::Range;
use std::time::Duration;

use super::syntax::{Binary, Declared, File, How, Inner, Level, Outer, Said, Sort, Source, Spanned, Unary};
use super::{Error, Wrong};

/// Formulas may be nested so deep.
const DEPTH: usize = 100;

/// A property has at most so many operators.
const OPERATORS: usize = 250;

/// Reads a file.
pub fn parse(source: &str, name: &str) -> Result<File, Error> {
    let read = || {
        let tokens = tokens(source)?;
        Parser { tokens, at: 0, depth: 0, operators: 0 }.file()
    };
    read().map_err(|wrong: Wrong| wrong.at(name, source))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(u64),
    Text(String),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 13] = ["->", "=>", "<=", "(", ")", ",", ";", ":", ".", "&", "|", "!", "="];

fn tokens(source: &str) -> Result<Vec<(Token, Range<usize>)>, Wrong> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let word = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first.is_ascii_digit() {
            let length = word(|c| c.is_ascii_digit());
            let number = rest[..length].parse();
            (
                Token::Number(number.map_err(|_| Wrong::new("this number is too large", at..at + length))?),
                length,
            )
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = word(|c| c.is_ascii_alphanumeric() || c == '_');
            (Token::Name(rest[..length].to_owned()), length)
        } else if first == '"' {
            let end = rest[1..].find(['"', '\n']).filter(|end| rest.as_bytes()[end + 1] == b'"');
            let end = end.ok_or_else(|| Wrong::new("this text does not end on its line", at..at + 1))?;
            (Token::Text(rest[1..=end].to_owned()), end + 2)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| {
                Wrong::new(format!("`{first}` means nothing here"), at..at + first.len_utf8())
            })?;
            (Token::Sign(sign), sign.len())
        };
        out.push((token, at..at + length));
        at += length;
    }
    out.push((Token::End, source.len()..source.len()));
    Ok(out)
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
    operators: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign) || self.is_word(sign);
        if is {
            self.next();
        }
        is
    }

    fn wanted(&self, what: &str) -> Wrong {
        let found = match self.peek() {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        };
        Wrong::new(format!("expected {what}, found {found}"), self.span())
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign) { Ok(()) } else { Err(self.wanted(&format!("`{sign}`"))) }
    }

    fn name(&mut self, what: &str) -> Result<String, Wrong> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.wanted(what)),
        }
    }

    fn text(&mut self) -> Result<String, Wrong> {
        match self.peek().clone() {
            Token::Text(text) => {
                self.next();
                Ok(text)
            }
            _ => Err(self.wanted("a path in quotes")),
        }
    }

    fn file(&mut self) -> Result<File, Wrong> {
        let mut file = File::default();
        while *self.peek() != Token::End {
            if self.take("property") {
                file.properties.push(self.property()?);
            } else if self.is_word("event") || self.is_word("state") {
                file.declared.push(self.declared()?);
            } else {
                return Err(self.wanted("`property`, `event` or `state`"));
            }
        }
        Ok(file)
    }

    fn declared(&mut self) -> Result<Declared, Wrong> {
        let lasts = self.is_word("state");
        self.next();
        let span = self.span();
        let name = self.name("a name")?;
        let mut params = Vec::new();
        self.expect("(")?;
        loop {
            params.push(self.name("a parameter")?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect("=")?;
        let from = self.source()?;
        let to = if self.take("to") { Some(self.source()?) } else { None };
        self.expect(";")?;
        Ok(Declared { lasts, name, params, from, to, span })
    }

    fn source(&mut self) -> Result<Source, Wrong> {
        let how = [("enter", How::Enter), ("leave", How::Leave), ("call", How::Call), ("emit", How::Emit)];
        let Some((_, how)) = how.into_iter().find(|(word, _)| self.is_word(word)) else {
            return Err(self.wanted("`enter`, `leave`, `call` or `emit`"));
        };
        self.next();
        Ok(Source { how, path: self.text()? })
    }

    fn property(&mut self) -> Result<Said, Wrong> {
        let span = self.span();
        self.operators = 0;
        let name = self.name("a name")?;
        let level = match self.peek() {
            Token::Name(word) if word == "deny" => Some(Level::Deny),
            Token::Name(word) if word == "warn" => Some(Level::Warn),
            Token::Name(word) if word == "note" => Some(Level::Note),
            _ => None,
        };
        if level.is_some() {
            self.next();
        }
        self.expect(":")?;
        let outer = self.outer()?;
        self.expect(";")?;
        Ok(Said { name, level: level.unwrap_or_default(), outer, span })
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEPTH {
            let wrong = Wrong::new(format!("formulas are nested at most {DEPTH} deep"), self.span());
            return Err(wrong);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn outer(&mut self) -> Result<Outer, Wrong> {
        let mut left = self.outer_and()?;
        while self.is_sign("|") {
            self.next();
            self.count()?;
            left = Outer::Or(Box::new(left), Box::new(self.outer_and()?));
        }
        Ok(left)
    }

    fn outer_and(&mut self) -> Result<Outer, Wrong> {
        let mut left = self.outer_unary()?;
        while self.is_sign("&") {
            self.next();
            self.count()?;
            left = Outer::And(Box::new(left), Box::new(self.outer_unary()?));
        }
        Ok(left)
    }

    /// Whether a quantifier comes, behind any `!` and `(`.
    fn has_quantifier(&self) -> bool {
        let mut rest = self.tokens[self.at..].iter().map(|(token, _)| token);
        let first = rest.find(|token| !matches!(token, Token::Sign("!" | "(")));
        matches!(first, Some(Token::Name(word)) if word == "forall" || word == "exists")
    }

    fn outer_unary(&mut self) -> Result<Outer, Wrong> {
        if !self.has_quantifier() {
            return Ok(Outer::Run(self.inner()?));
        }
        self.deeper(|parser| {
            if parser.take("!") {
                return Ok(Outer::Not(Box::new(parser.outer_unary()?)));
            }
            if parser.take("(") {
                let outer = parser.outer()?;
                parser.expect(")")?;
                return Ok(outer);
            }
            let all = parser.is_word("forall");
            parser.next();
            let var = parser.name("a variable")?;
            parser.expect(":")?;
            let sort = match parser.name("`task` or `key`")?.as_str() {
                "task" => Sort::Task,
                "key" => Sort::Key,
                _ => {
                    parser.at -= 1;
                    return Err(parser.wanted("`task` or `key`"));
                }
            };
            let filter = if parser.take("where") { Some(parser.inner()?) } else { None };
            parser.expect(".")?;
            if parser.has_quantifier() {
                let wrong = Wrong::new("a quantifier cannot be within another one", parser.span());
                return Err(wrong.with("use `count` to compare tasks, or two properties"));
            }
            let body = Box::new(parser.inner()?);
            Ok(Outer::Each { all, var, sort, filter, body })
        })
    }

    fn inner(&mut self) -> Result<Spanned, Wrong> {
        self.deeper(Parser::implies)
    }

    fn count(&mut self) -> Result<(), Wrong> {
        self.operators += 1;
        match self.operators > OPERATORS {
            true => Err(Wrong::new(format!("a property has at most {OPERATORS} operators"), self.span())),
            false => Ok(()),
        }
    }

    fn binary(&mut self, op: Binary, left: Spanned, right: Spanned) -> Result<Spanned, Wrong> {
        self.count()?;
        let span = left.span.start..right.span.end;
        Ok(Spanned { inner: Inner::Binary(op, Box::new(left), Box::new(right)), span })
    }

    fn implies(&mut self) -> Result<Spanned, Wrong> {
        let left = self.or()?;
        if !self.take("->") {
            return Ok(left);
        }
        let right = self.deeper(Parser::implies)?;
        self.binary(Binary::Implies, left, right)
    }

    fn or(&mut self) -> Result<Spanned, Wrong> {
        let mut left = self.and()?;
        while self.take("|") {
            let right = self.and()?;
            left = self.binary(Binary::Or, left, right)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Spanned, Wrong> {
        let mut left = self.until()?;
        while self.take("&") {
            let right = self.until()?;
            left = self.binary(Binary::And, left, right)?;
        }
        Ok(left)
    }

    fn until(&mut self) -> Result<Spanned, Wrong> {
        let left = self.unary()?;
        let ops =
            [("U", Binary::Until), ("W", Binary::WeakUntil), ("R", Binary::Release), ("S", Binary::Since)];
        let Some((_, op)) = ops.into_iter().find(|(word, _)| self.is_word(word)) else { return Ok(left) };
        self.next();
        let right = self.deeper(Parser::until)?;
        self.binary(op, left, right)
    }

    fn unary(&mut self) -> Result<Spanned, Wrong> {
        let start = self.span().start;
        let ops = [
            ("!", Unary::Not),
            ("X", Unary::Next),
            ("G", Unary::Always),
            ("F", Unary::Finally),
            ("Y", Unary::Yesterday),
            ("O", Unary::Once),
            ("H", Unary::Historically),
        ];
        let Some((_, op)) = ops.into_iter().find(|(word, _)| self.is_sign(word) || self.is_word(word)) else {
            return self.primary();
        };
        self.next();
        self.deeper(|parser| {
            if op == Unary::Always && parser.is_sign("(") {
                return parser.always(start);
            }
            let body = parser.unary()?;
            let span = start..body.span.end;
            Ok(Spanned { inner: Inner::Unary(op, Box::new(body)), span })
        })
    }

    /// What is behind `G`: something in parentheses, which may have a limit of time.
    fn always(&mut self, start: usize) -> Result<Spanned, Wrong> {
        self.expect("(")?;
        let first = self.inner()?;
        if self.take("=>") {
            let second = self.inner()?;
            self.expect("within")?;
            let time = self.time()?;
            let end = self.span().end;
            self.expect(")")?;
            return Ok(Spanned {
                inner: Inner::Within(Box::new(first), Box::new(second), time),
                span: start..end,
            });
        }
        let end = self.span().end;
        self.expect(")")?;
        Ok(Spanned { inner: Inner::Unary(Unary::Always, Box::new(first)), span: start..end })
    }

    fn time(&mut self) -> Result<Duration, Wrong> {
        let span = self.span();
        let Token::Number(number) = self.next() else {
            self.at -= 1;
            return Err(self.wanted("a time, such as `50ms` or `1s`"));
        };
        let unit = self.name("`ms`, `s` or `min`")?;
        let ms = match unit.as_str() {
            "ms" => Some(number),
            "s" => number.checked_mul(1000),
            "min" => number.checked_mul(60_000),
            _ => {
                self.at -= 1;
                return Err(self.wanted("`ms`, `s` or `min`"));
            }
        };
        ms.map(Duration::from_millis).ok_or_else(|| Wrong::new("this time is too long", span))
    }

    fn primary(&mut self) -> Result<Spanned, Wrong> {
        let start = self.span().start;
        if self.take("(") {
            let inner = self.inner()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.is_word("forall") || self.is_word("exists") {
            let wrong = Wrong::new("a quantifier cannot be within a formula", self.span());
            return Err(wrong.with("put it in front of the whole formula"));
        }
        if self.take("count") {
            self.expect("(")?;
            let var = self.name("a variable")?;
            self.expect(":")?;
            let body = Box::new(self.inner()?);
            self.expect(")")?;
            self.expect("<=")?;
            let (span, number) = (self.span(), self.next());
            let Token::Number(most) = number else {
                self.at -= 1;
                return Err(self.wanted("a number"));
            };
            let most =
                u32::try_from(most).map_err(|_| Wrong::new("this number is too large", span.clone()))?;
            return Ok(Spanned { inner: Inner::Count { var, body, most }, span: start..span.end });
        }
        let name = self.name("a formula")?;
        let (mut args, mut path) = (Vec::new(), None);
        if self.take("(") {
            loop {
                match self.peek() {
                    Token::Text(_) => path = Some(self.text()?),
                    _ => args.push(self.name("a variable")?),
                }
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let end = self.tokens[self.at.saturating_sub(1)].1.end;
        Ok(Spanned { inner: Inner::Atom { name, args, path }, span: start..end })
    }
}
