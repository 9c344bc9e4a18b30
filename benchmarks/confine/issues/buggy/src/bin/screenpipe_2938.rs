//! screenpipe/screenpipe#2938: a task is started with the wrong function when the window is set up. C3.
use tauri::App;

async fn serve() {}

fn setup(_: &mut App) {
    tokio::spawn(serve()); //~ OFFENCE C3
}

fn main() {
    let _ = tauri::Builder::default().setup(setup);
}
