//! Completion scripts. The generators complete `cargo-robust`; people type `cargo robust`, so scripts for shells in which cargo's own
//! completion does not ask for that of its subcommands get some lines that do.

use std::str::FromStr;

use clap::builder::PossibleValue;
use clap::{Command, ValueEnum};
use clap_complete::{Shell as Known, generate};
use clap_complete_nushell::Nushell;

/// A shell that a script can be printed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// One of those that clap knows itself.
    Known(Known),
    /// Nushell.
    Nushell,
}

const ALL: [Shell; 6] = [
    Shell::Known(Known::Bash),
    Shell::Known(Known::Elvish),
    Shell::Known(Known::Fish),
    Shell::Nushell,
    Shell::Known(Known::PowerShell),
    Shell::Known(Known::Zsh),
];

impl ValueEnum for Shell {
    fn value_variants<'a>() -> &'a [Shell] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Shell::Known(shell) => shell.to_possible_value(),
            Shell::Nushell => Some(PossibleValue::new("nushell")),
        }
    }
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(text: &str) -> Result<Shell, String> {
        ValueEnum::from_str(text, false)
    }
}

/// The script for a shell.
pub(super) fn script(shell: Shell, mut command: Command) -> String {
    match shell {
        // A subcommand of cargo has its two words; the generator quotes those of our own subcommands only.
        Shell::Nushell => generated(Nushell, &mut command, "cargo robust")
            .replace("export extern cargo robust [", "export extern \"cargo robust\" ["),
        // The generator for bash makes two different names of one that has a hyphen, and then offers nothing.
        Shell::Known(Known::Bash) => {
            generated(Known::Bash, &mut command, "cargo_robust") + include_str!("completions/cargo.bash")
        }
        Shell::Known(Known::Fish) => {
            generated(Known::Fish, &mut command, NAME) + include_str!("completions/cargo.fish")
        }
        // Cargo's completion for zsh calls the function `_cargo-robust`.
        Shell::Known(shell) => generated(shell, &mut command, NAME),
    }
}

/// What cargo runs.
const NAME: &str = "cargo-robust";

fn generated(generator: impl clap_complete::Generator, command: &mut Command, name: &str) -> String {
    let mut text = Vec::new();
    generate(generator, command, name, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
