//! Runs the client on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_irccloud::message::MessageActivity;
use esop17_irccloud::network::Connection;
use esop17_irccloud::preferences::PreferencesActivity;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let connection = Arc::new(Connection::default());
    let messages = Arc::new(MessageActivity::default());
    let preferences = Arc::new(PreferencesActivity::default());
    let ui = async move {
        messages.clone().on_create(connection.clone());
        preferences.clone().on_create(connection);
        while let Some(line) = inbox.recv().await {
            let (event, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match event {
                "type" => messages.clone().on_type(rest.to_owned()),
                "send" => messages.clone().on_send(),
                "send-noted" => messages.clone().on_send_noted(),
                "click" => messages.clone().on_user_double_clicked(rest),
                "select" => messages.clone().on_buffer_selected(rest.parse().unwrap_or(-1)),
                "back" => messages.clone().on_back_pressed(),
                "preference" => preferences.clone().on_preference_changed(),
                "name" => preferences.clone().on_name_changed(rest.to_owned()),
                "done" => preferences.clone().on_back_pressed(),
                _ => println!("{:?}", messages.unconfirmed()),
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
