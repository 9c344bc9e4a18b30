//! `cargo robust init`: a configuration to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use cargo_metadata::MetadataCommand;

use super::args::InitArgs;
use super::output::{self, Output};
use crate::extract::ExtractError;
use crate::gate::CONFIG_FILE;
use crate::run::RunError;

/// All settings with their defaults, as comments.
const TEMPLATE: &str = include_str!("robust.toml");

/// Writes the file; never over one that is there.
pub(super) fn init(args: &InitArgs) -> ExitCode {
    match write(args) {
        Ok(message) => output::text(&message),
        Err(error) => Output::new(&args.show).error(error),
    }
}

fn write(args: &InitArgs) -> Result<String, RunError> {
    crate::extract::cargo::find_manifest(args.manifest.manifest_path.as_deref())?;
    let mut metadata = MetadataCommand::new();
    metadata.no_deps();
    if let Some(path) = &args.manifest.manifest_path {
        metadata.manifest_path(path);
    }
    let root = metadata.exec().map_err(|error| ExtractError::Metadata(error.to_string()))?.workspace_root;
    let file = root.join(CONFIG_FILE).into_std_path_buf();
    let opened = OpenOptions::new().write(true).create_new(true).open(&file);
    match opened.and_then(|mut opened| opened.write_all(TEMPLATE.as_bytes())) {
        Ok(()) => Ok(format!("wrote `{}`: everything in it is a comment\n", file.display())),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(RunError::Exists(file)),
        Err(source) => Err(RunError::Write { file, source }),
    }
}
