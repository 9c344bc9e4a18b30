//! The page on the text form: its examples are programs, its grammar names the words of the language.

use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::ir::{Program, text};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/rob.md");
    std::fs::read_to_string(path).expect("the page is there").replace("\r\n", "\n")
}

/// The contents of the code blocks of one language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let open = format!("```{language}\n");
    let inside = |rest: &'p str| rest.split_once("```").expect("every block ends").0;
    page.split(open.as_str()).skip(1).map(inside).collect()
}

fn examples(page: &str) -> Vec<Program> {
    let parse = |(i, source): (usize, &&str)| {
        text::parse(source, &format!("example {}", i + 1)).unwrap_or_else(|e| panic!("{e}\n{source}"))
    };
    blocks(page, "rob").iter().enumerate().map(parse).collect()
}

#[test]
fn the_examples_are_programs() {
    let page = page();
    let examples = examples(&page);
    assert!(examples.len() >= 5);
    for program in &examples {
        let printed = program.to_string();
        assert_eq!(
            text::parse(&printed, "printed").expect("printed programs are programs").to_string(),
            printed
        );
    }
    // Every statement is shown.
    let all = blocks(&page, "rob").concat();
    for word in words(&page) {
        assert!(all.contains(&word), "no example has `{word}`");
    }
}

/// The words in quotes in the grammar.
fn words(page: &str) -> Vec<String> {
    let grammar = blocks(page, "ebnf").concat();
    let quoted = grammar.split('"').skip(1).step_by(2);
    quoted.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic())).map(String::from).collect()
}

#[test]
fn the_words_of_the_grammar_are_reserved() {
    let words = words(&page());
    assert!(words.len() > 30);
    for word in words {
        assert!(text::parse(&format!("var {word};"), "word").is_err(), "`{word}` is no word of the language");
        assert!(text::parse(&format!("var `{word}`;"), "word").is_ok());
    }
}

/// What the page says of its examples.
#[test]
fn the_examples_get_the_verdicts_that_the_page_says() {
    let examples = examples(&page());
    let outcome = |i: usize| check::check(&examples[i], &Options::default());
    let book = outcome(1);
    assert_eq!(book.determinism["book"], Verdict::Holds { bound: None });
    assert_eq!(book.serializability, Verdict::Violated);
    assert_eq!(outcome(2).determinism["click"], Verdict::Violated);
    let exclusive = blocks(&page(), "rob")[2].replace("executor ui;", "executor ui exclusive;");
    let exclusive = text::parse(&exclusive, "exclusive").expect("as above");
    let exclusive = check::check(&exclusive, &Options::default());
    assert!(matches!(exclusive.determinism["click"], Verdict::Holds { .. }), "{exclusive:?}");
}
