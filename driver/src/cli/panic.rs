//! A panic is a defect of this tool: it is said so, and how to report it.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;

use super::exit;

/// Runs the program so that no raw panic reaches the user.
pub fn guarded(program: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(|info| eprint!("{}", text(info))));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or(ExitCode::from(exit::INCOMPLETE))
}

fn text(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map_or_else(String::new, |place| format!(" ({place})"));
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("\nerror: internal error in cargo robust {version}: {what}{place}\n");
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        text.push_str(&format!("{}\n", std::backtrace::Backtrace::force_capture()));
    }
    let to = match env!("CARGO_PKG_REPOSITORY") {
        "" => "its authors".to_owned(),
        repository => repository.to_owned(),
    };
    text.push_str(&format!(
        "This is a defect of the tool, not of your code. Please report it to {to}, with this message, the command you\n\
         ran and, where you can, the code; `RUST_BACKTRACE=1` adds what helps to find the cause.\n"
    ));
    text
}
