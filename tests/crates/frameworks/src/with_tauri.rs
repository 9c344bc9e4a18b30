//! Commands run when the page asks for them; `State` is one object per type.
use std::sync::Mutex;

use tauri::State;
use tauri::ipc::{CommandArg, CommandItem};

#[derive(Default)]
pub struct Session {
    user: Mutex<Option<u64>>,
    fine: Mutex<Option<u64>>,
}

async fn log_in(session: State<'_, Session>, user: u64) {
    if session.user.lock().unwrap().is_none() { //~
        tokio::task::yield_now().await;
        *session.user.lock().unwrap() = Some(user); //~
    }
}

fn log_in_well(session: State<'_, Session>, user: u64) {
    if session.fine.lock().unwrap().is_none() {
        *session.fine.lock().unwrap() = Some(user);
    }
}

pub fn run() {
    // As `generate_handler!` makes it.
    let handler = |item: CommandItem| match item.0.as_str() {
        "log_in" => tauri::async_runtime::spawn(async move {
            if let Ok(session) = State::from_command(&item) {
                log_in(session, 1).await;
            }
        }),
        _ => {
            if let Ok(session) = State::from_command(&item) {
                log_in_well(session, 2);
            }
        }
    };
    let _app = tauri::Builder::default().manage(Session::default()).invoke_handler(handler);
}
