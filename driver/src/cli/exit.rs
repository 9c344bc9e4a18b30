//! The codes that the program ends with.

/// It completed, and found nothing that has the level `deny`.
pub const NOTHING_FOUND: u8 = 0;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// It completed, and found something that has the level `deny`, or did not look at everything, where that is denied.
pub const FINDINGS: u8 = 100;
/// It could not complete: the source does not compile, a file cannot be read or written, a stage failed.
pub const INCOMPLETE: u8 = 101;
/// The user stopped it.
pub const INTERRUPTED: u8 = 130;

/// For `--help`.
pub(super) const HELP: &str = "\
Exit codes:
    0  it completed and nothing was found that has the level `deny`; what was not looked at is said first
    2  wrong usage
  100  it completed and something was found that has the level `deny`, or not everything was looked at
       and that is denied
  101  it could not complete: the source does not compile, a file cannot be read, a stage failed
  130  interrupted";

/// For `--help` of what runs the user's code.
pub(super) const RUN_HELP: &str = "\
It runs the crate's code, with your rights, as `cargo test` does.

Exit codes:
    0  it completed, and nothing was confirmed or failed
    2  wrong usage
  100  it completed, and something was confirmed or failed
  101  it could not complete: the source does not compile, or nothing could be driven
  130  interrupted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_code() {
        for code in [NOTHING_FOUND, USAGE, FINDINGS, INCOMPLETE, INTERRUPTED] {
            assert!(HELP.lines().any(|line| line.trim_start().starts_with(&format!("{code} "))), "{code}");
        }
    }
}
