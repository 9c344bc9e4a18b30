//! The crates that are measured.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A copy of a published package, with built binaries as they were published.
pub fn published(folder: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    let to = folder.join(name);
    if to.join("Cargo.toml").exists() {
        return Ok(to);
    }
    let asking = folder.join(format!("get-{name}"));
    let manifest = format!(
        "[package]\nname = \"get-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{name} = \"={version}\"\n"
    );
    let write = |path: PathBuf, text: &str| write(&path, text).map_err(|error| error.to_string());
    write(asking.join("Cargo.toml"), &manifest)?;
    write(asking.join("src/lib.rs"), "")?;
    let mut command = Command::new("cargo");
    command.args(["metadata", "--format-version", "1"]).current_dir(&asking);
    let output = command.output().map_err(|error| error.to_string())?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{name}: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let found = packages.into_iter().find(|package| package["name"] == name);
    let manifest =
        found.and_then(|package| package["manifest_path"].as_str()).ok_or("cargo did not fetch it")?;
    copy(Path::new(manifest).parent().unwrap_or(Path::new(".")), &to).map_err(|error| error.to_string())?;
    // The copy is below another workspace.
    let path = to.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    write(path, &format!("{text}\n[workspace]\n"))?;
    Ok(to)
}

/// Copies a folder; what is there already and the same stays, so that it is not compiled again.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "target" {
                copy(&path, &to.join(name))?;
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            write(&to.join(name), &text)?;
        }
    }
    Ok(())
}

/// A library with `handlers` public functions. Ten of them share a counter behind a lock; one in a hundred gives the lock up
/// between reading and writing.
pub fn handlers(root: &Path, handlers: u32) -> io::Result<()> {
    let mut text = String::from("//! Generated.\n\nuse std::sync::Mutex;\n");
    for i in 0..handlers {
        let cell = i / 10;
        if i % 10 == 0 {
            let _ = writeln!(text, "\nstatic CELL_{cell}: Mutex<u64> = Mutex::new(0);");
        }
        let body = match i % 100 {
            50 => format!(
                "let seen = *CELL_{cell}.lock().unwrap();\n    *CELL_{cell}.lock().unwrap() = seen + {i};"
            ),
            _ => format!("*CELL_{cell}.lock().unwrap() += {i};"),
        };
        let _ = writeln!(text, "\n/// Handles {i}.\npub fn handle_{i}() {{\n    {body}\n}}");
    }
    write(&root.join("Cargo.toml"), &manifest("handlers", "\n[workspace]\n"))?;
    write(&root.join("src/lib.rs"), &text)
}

/// A library with a type of so many public `async` methods, each of which locks one mutex to look and again to write.
pub fn methods(root: &Path, methods: u32) -> io::Result<()> {
    let mut text = String::from(
        "//! Generated.\n\nuse tokio::sync::Mutex;\n\n/// What all methods share.\n#[derive(Default)]\n\
         pub struct Store {\n    total: Mutex<u64>,\n}\n\nimpl Store {\n",
    );
    for i in 0..methods {
        let _ = writeln!(
            text,
            "    /// Handles {i}.\n    pub async fn handle_{i}(&self) {{\n        let seen = *self.total.lock().await;\n        \
             *self.total.lock().await = seen + {i};\n    }}\n"
        );
    }
    text.push_str("}\n");
    let dependencies =
        "\n[workspace]\n\n[dependencies]\ntokio = { version = \"1\", features = [\"sync\"] }\n";
    write(&root.join("Cargo.toml"), &manifest("methods", dependencies))?;
    write(&root.join("src/lib.rs"), &text)
}

/// A workspace of `crates` crates, the last one an application that uses the others, with about `lines` lines each: mostly
/// code that shares nothing, as in applications, and some state behind locks.
pub fn workspace(root: &Path, crates: u32, lines: u32) -> io::Result<()> {
    let members: Vec<String> = (0..crates).map(|i| format!("\"part{i}\"")).collect();
    write(
        &root.join("Cargo.toml"),
        &format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", ")),
    )?;
    for number in 0..crates - 1 {
        let folder = root.join(format!("part{number}"));
        write(&folder.join("Cargo.toml"), &manifest(&format!("part{number}"), ""))?;
        write(&folder.join("src/lib.rs"), &library(number, lines))?;
    }
    let folder = root.join(format!("part{}", crates - 1));
    let mut dependencies = String::from("\n[dependencies]\n");
    let mut main = String::from("//! Generated.\n\nfn main() {\n    let mut threads = Vec::new();\n");
    for number in 0..crates - 1 {
        let _ = writeln!(dependencies, "part{number} = {{ path = \"../part{number}\" }}");
        let _ = writeln!(main, "    threads.push(std::thread::spawn(part{number}::refresh));");
    }
    main.push_str("    for thread in threads {\n        thread.join().unwrap();\n    }\n}\n");
    // As long as the others.
    let more = library(crates, lines.saturating_sub(main.lines().count() as u32));
    main.push_str(&more.replace("//! Generated.\n", "").replace("pub fn", "#[allow(dead_code)]\npub fn"));
    write(&folder.join("Cargo.toml"), &manifest(&format!("part{}", crates - 1), &dependencies))?;
    write(&folder.join("src/main.rs"), &main)
}

fn library(number: u32, lines: u32) -> String {
    let mut text = format!(
        "//! Generated.\n\nuse std::sync::Mutex;\n\nstatic TOTAL: Mutex<u64> = Mutex::new({number});\n\n\
         /// Counts.\npub fn add(by: u64) {{\n    *TOTAL.lock().unwrap() += by;\n}}\n\n\
         /// Starts over.\npub fn refresh() {{\n    *TOTAL.lock().unwrap() = 0;\n}}\n"
    );
    let mut count = text.lines().count() as u32;
    let mut item = 0;
    while count < lines {
        let block = plain(item);
        count += block.lines().count() as u32;
        text.push_str(&block);
        item += 1;
    }
    text
}

/// A type with methods that share nothing.
fn plain(item: u32) -> String {
    format!(
        "
/// Item {item}.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item{item} {{
    name: String,
    values: Vec<i64>,
    limit: Option<i64>,
}}

impl Item{item} {{
    /// Adds a value.
    pub fn push(&mut self, value: i64) -> Result<(), String> {{
        match self.limit {{
            Some(limit) if value > limit => return Err(format!(\"{{value}} is above {{limit}}\")),
            _ => self.values.push(value + {item}),
        }}
        Ok(())
    }}

    /// What is in it.
    pub fn sum(&self) -> i64 {{
        let mut sum = 0;
        for value in &self.values {{
            if *value % 2 == 0 {{
                sum += value;
            }} else {{
                sum -= value;
            }}
        }}
        sum
    }}

    /// Its name, with what is in it.
    pub fn label(&self) -> String {{
        let parts: Vec<String> = self.values.iter().map(|value| value.to_string()).collect();
        format!(\"{{}}: {{}}\", self.name, parts.join(\", \"))
    }}
}}
"
    )
}

fn manifest(name: &str, more: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{more}")
}

/// Writes a file unless it has that text already.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text)
}
