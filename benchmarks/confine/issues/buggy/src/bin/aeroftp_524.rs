//! axpdev-lab/aeroftp#524: commands that are no async functions wait for other processes on the thread of the window. C4.
use std::process::Command;

use tauri::ipc::CommandItem;

fn version(tool: &str) -> Vec<u8> {
    let output = Command::new(tool).arg("--version").output(); //~ OFFENCE C4
    output.map(|output| output.stdout).unwrap_or_default()
}

fn main() {
    let handler = |item: CommandItem| {
        drop(version(&item.0));
    };
    let _ = tauri::Builder::default().invoke_handler(handler);
}
