//! `cargo robust`: the executable. It is the command line, and the wrapper that cargo runs in the compiler's place.

use std::process::ExitCode;

use cargo_robust::cli;
use cargo_robust::extract::wrapper;
use cargo_robust::monitor;
use robust_runtime::build;

fn main() -> ExitCode {
    cli::guarded(|| {
        if build::is_wrapper() {
            build::run_as_wrapper(std::env::args_os())
        } else if monitor::wrapper::is_wrapper() {
            monitor::wrapper::run_as_wrapper(std::env::args_os())
        } else if wrapper::is_wrapper() {
            wrapper::run_as_wrapper(std::env::args_os())
        } else {
            cli::main(std::env::args_os())
        }
    })
}
