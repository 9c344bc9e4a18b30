//! Runs the settings on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_apphangar::Settings;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let settings = Arc::new(Settings::default());
    let ui = async move {
        settings.clone().on_create();
        while let Some(line) = inbox.recv().await {
            match line.parse() {
                Ok(order) => settings.clone().on_order_selected(order),
                Err(_) if line.is_empty() => println!("{:?}", settings.rows()),
                Err(_) => settings.clone().on_icon_pack_picked(&line),
            }
        }
    };
    LocalSet::new().run_until(ui).await;
}

fn read(lines: mpsc::Sender<String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}
