//! The guide in `docs/` is a book: it builds, every page is in it, every link leads somewhere, and every command it shows is
//! one that this tool accepts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cargo_robust::cli::args::Cli;
use cargo_robust::extract::{MINIMUM_RUSTC, TESTED_RUSTC, is_untested};
use cargo_robust::report::human::{self, Detail, Look};
use cargo_robust::report::{
    Report, Sources, class_name, concise, github, gitlab, json, junit, rustc, sarif, spoken,
};
use clap::Parser;
use clap::error::ErrorKind;
use mdbook_driver::MDBook;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// All files of a kind in a folder and below.
fn files(folder: &Path, extension: &str, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.insert(path);
        }
    }
}

/// The values of an attribute.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn it_builds_and_its_links_lead_somewhere() {
    let out = tempfile::tempdir().unwrap();
    let mut book = MDBook::load(docs()).unwrap();
    book.config.build.build_dir = out.path().into();
    book.build().unwrap();

    let (mut sources, mut pages) = (BTreeSet::new(), BTreeSet::new());
    files(&docs().join("src"), "md", &mut sources);
    files(out.path(), "html", &mut pages);
    // Each source has its page, where an `index.md` (and the first one) is called `index.html`.
    for source in sources.iter().filter(|source| !source.ends_with("SUMMARY.md")) {
        let page = out.path().join(source.strip_prefix(docs().join("src")).unwrap()).with_extension("html");
        assert!(page.is_file(), "{} is not in SUMMARY.md", source.display());
    }
    for page in pages.iter().filter(|page| !page.ends_with("404.html") && !page.ends_with("toc.html")) {
        let text = std::fs::read_to_string(page).unwrap();
        for link in attributes(&text, "href").into_iter().filter(|link| !link.contains(':')) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.is_file(), "{}: {link}", page.display());
            if !anchor.is_empty() {
                let there = std::fs::read_to_string(&target).unwrap();
                assert!(attributes(&there, "id").contains(&anchor), "{}: {link}", page.display());
            }
        }
    }
}

/// The versions of rustc are said in one place for programs, and in one for people.
#[test]
fn versions_of_the_compiler_are_the_tested_ones() {
    let platforms = std::fs::read_to_string(docs().join("src/platforms.md")).unwrap();
    let minimum = format!("{}.{}", MINIMUM_RUSTC.major, MINIMUM_RUSTC.minor);
    assert!(platforms.contains(&format!("stable Rust {minimum} or later; tested with {TESTED_RUSTC}")));
    let pinned = std::fs::read_to_string(docs().join("../rust-toolchain.toml")).unwrap();
    assert!(pinned.contains(&format!("channel = \"{TESTED_RUSTC}\"")), "{pinned}");
    let version = |text: &str| text.parse().unwrap();
    assert!(!is_untested(&TESTED_RUSTC) && is_untested(&version("1.999.0-nightly")));
}

/// What is published has the names under which it is looked for.
#[test]
fn releases_have_the_names_that_installers_expect() {
    let root = docs().join("..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (recipe, manifest) = (read(".github/workflows/release.yml"), read("driver/Cargo.toml"));
    assert!(manifest.contains("releases/download/v{ version }/{ name }-{ target }.tgz\""));
    assert!(manifest.contains("bin-dir = \"{ name }-{ target }/{ bin }{ binary-ext }\""));
    assert!(recipe.contains("folder=\"cargo-robust-$TARGET\"") && recipe.contains("\"$folder.tgz\""));
    assert!(recipe.contains("tags: [\"v*\"]"));
    assert!(read("action.yml").contains("cargo install --locked --path \"$GITHUB_ACTION_PATH/driver\""));
}

#[test]
fn links_from_the_readme_lead_somewhere() {
    let root = docs().join("..");
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.contains(':')) {
        assert!(root.join(link).exists(), "{link}");
    }
}

/// The commands of this tool that a page shows, in code blocks and in text.
fn commands(page: &str) -> Vec<String> {
    let lines = page.replace("\\\n", " ");
    let mut found = Vec::new();
    let mut in_block = false;
    for line in lines.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            let line = line.split(" # ").next().unwrap_or(line);
            found.extend(line.find("cargo robust ").map(|at| line[at..].to_owned()));
        }
    }
    let text: String = lines.split("```").step_by(2).collect();
    let spans =
        text.split('`').skip(1).step_by(2).map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "));
    found.extend(spans.filter(|span| span.starts_with("cargo robust ")));
    // What a shell does with the rest is not ours.
    let cut = |command: &String| {
        command.split([';', '>', '|', '&', '`']).next().unwrap_or_default().trim().to_owned()
    };
    found.iter().map(cut).collect()
}

#[test]
fn the_commands_it_shows_are_accepted() {
    let mut pages = BTreeSet::new();
    files(&docs().join("src"), "md", &mut pages);
    pages.insert(docs().join("../README.md"));
    let mut count = 0;
    for page in pages {
        for command in commands(&std::fs::read_to_string(&page).unwrap()) {
            // Placeholders stand for words that are accepted.
            let command = command.replace("CLASS", "order").replace("SECONDS", "1").replace(" N", " 1");
            let command = command.replace("mir|ir|detstr|detseq|robseq|smt", "mir").replace('"', "");
            let words = command.split_whitespace().skip(1);
            if let Err(error) = Cli::try_parse_from(words) {
                // Help is asked for; a command's mere name is no call of it.
                let fine =
                    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::MissingRequiredArgument);
                assert!(fine, "{}: {command}: {error}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 25, "{count}");
}

/// What the tool reports on a new crate with this source, pasted as it is.
fn report_on(source: &str, target: &Path) -> (tempfile::TempDir, Report) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/lib.rs"), source).unwrap();
    let manifest = "[package]\nname = \"page\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("cargo-robust").unwrap();
    let output =
        command.current_dir(&folder).args(["--format", "json", "--target-dir"]).arg(target).output().unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (folder, report)
}

fn classes_in(source: &str, target: &Path) -> BTreeSet<&'static str> {
    let (_, report) = report_on(source, target);
    report.findings.iter().map(|finding| class_name(finding.class)).collect()
}

/// The fenced blocks of a page: where they begin behind the fence's line, and where they end.
fn blocks(page: &str) -> Vec<(usize, usize)> {
    let mut fences = page.match_indices("```").map(|(at, _)| at);
    let mut blocks = Vec::new();
    while let (Some(open), Some(close)) = (fences.next(), fences.next()) {
        let start = open + page[open..].find('\n').unwrap() + 1;
        blocks.push((start, close));
    }
    blocks
}

/// A page's blocks, from one on, show these texts. With `UPDATE_DOCS` in the environment they are put there.
fn shows(page: &Path, first: usize, texts: &[String]) {
    // Names keep together in the report; in the page, a usual space will do.
    let lines = |text: &str| {
        let lines = text.trim().lines().map(|line| line.trim_end().replace('\u{a0}', " ") + "\n");
        lines.collect::<String>()
    };
    for (number, text) in texts.iter().enumerate() {
        let old = std::fs::read_to_string(page).unwrap();
        let (start, end) = blocks(&old)[first + number];
        let (shown, text) = (&old[start..end], lines(text));
        if shown != text && std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(page, format!("{}{text}{}", &old[..start], &old[end..])).unwrap();
            continue;
        }
        assert!(
            shown == text,
            "{} should show this (`UPDATE_DOCS=1` puts it there):\n{text}",
            page.display()
        );
    }
}

#[test]
fn buggy_examples_are_found_and_fixed_ones_are_not() {
    let target = tempfile::tempdir().unwrap();
    for class in ["lost-update", "check-then-act", "torn-read", "torn-write", "order"] {
        let page = std::fs::read_to_string(docs().join(format!("../driver/classes/{class}.md"))).unwrap();
        let examples: Vec<_> =
            page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let [buggy, fixed] = examples[..] else { panic!("{class}: one buggy and one fixed example") };
        let found = classes_in(buggy, target.path());
        assert!(found.contains(class), "{class}: {found:?}");
        assert_eq!(classes_in(fixed, target.path()), BTreeSet::new(), "{class}");
    }
}

#[test]
fn the_example_is_what_the_tool_prints() {
    let chat = docs().join("../tests/crates/chat/Cargo.toml");
    let mut command = assert_cmd::Command::cargo_bin("cargo-robust").unwrap();
    let output = command.args(["--format", "json", "--manifest-path"]).arg(chat).output().unwrap();
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    let sources = Sources::new(&report.root);
    let look = Look { unicode: true, color: false, width: 96, detail: Detail::Quiet };
    let text = human::render(&spoken(&report, &sources), &sources, &look);
    shows(&docs().join("src/quick-start.md"), 2, &[text]);
}

/// The README begins with a bug and the report on it; the page on formats has the same report in each of them.
#[test]
fn the_readme_and_the_page_on_formats_are_what_the_tool_prints() {
    let target = tempfile::tempdir().unwrap();
    let readme = docs().join("../README.md");
    let text = std::fs::read_to_string(&readme).unwrap();
    let (start, end) = blocks(&text)[0];
    let (_folder, report) = report_on(&text[start..end], target.path());
    let sources = Sources::new(&report.root);
    let report = spoken(&report, &sources);
    let look = Look { unicode: false, color: false, width: 96, detail: Detail::Quiet };
    let human = human::render(&report, &sources, &look);
    shows(&readme, 1, std::slice::from_ref(&human));

    let json = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let part = |of: &serde_json::Value, names: &[&str]| {
        let names = names.iter().map(|name| ((*name).to_owned(), of[*name].clone()));
        serde_json::Value::Object(names.collect())
    };
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap();
    let whole = json(&json::render(&report));
    let steps = whole["findings"][0]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["role"] == "conflicts-with-later").unwrap();
    let log = json(&sarif::render(&report, &sources));
    let result = &log["runs"][0]["results"][0];
    let messages = rustc::render(&report, &sources);
    let messages: Vec<_> = messages.lines().map(json).collect();
    let message = messages.iter().map(|line| &line["message"]).find(|message| message["code"].is_object());
    let mut message = part(message.unwrap(), &["level", "message", "spans", "children"]);
    for span in message["spans"].as_array_mut().unwrap() {
        *span = part(span, &["file_name", "line_start", "column_start", "is_primary", "label"]);
    }
    let texts = [
        human,
        concise::render(&report, &sources),
        github::render(&report, &sources),
        gitlab::render(&report, &sources),
        junit::render(&report, &sources),
        pretty(step),
        pretty(&part(result, &["ruleId", "level", "locations", "partialFingerprints"])),
        pretty(&message),
    ];
    shows(&docs().join("src/formats.md"), 0, &texts);
}
