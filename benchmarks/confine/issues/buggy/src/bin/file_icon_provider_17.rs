//! IohannRabeson/file_icon_provider#17: the theme of icons is asked for on whichever thread a command runs. C1.
use tauri::ipc::CommandItem;

fn file_icon(path: &str) -> Option<usize> {
    let _ = path;
    gtk4::gdk::Display::default().map(|_| 32) //~ OFFENCE C1
}

async fn icon(path: String) -> Option<usize> {
    file_icon(&path)
}

fn main() {
    let handler = |item: CommandItem| tauri::async_runtime::spawn(async move { drop(icon(item.0).await) });
    let _ = tauri::Builder::default().invoke_handler(handler);
}
