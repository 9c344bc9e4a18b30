//! Runs the two activities on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_bookworm::form::BookForm;
use esop17_bookworm::search::BookSearch;
use esop17_bookworm::Application;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let application = Arc::new(Application::default());
    let search = Arc::new(BookSearch::new(application.clone()));
    let form = Arc::new(BookForm::new(application.clone()));
    let ui = async move {
        while let Some(line) = inbox.recv().await {
            let (event, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match event {
                "type" => search.clone().on_type(rest),
                "search" => search.clone().on_search(),
                "back" => search.clone().on_back_pressed(),
                "title" => form.clone().on_type_title(rest),
                "authors" => form.clone().on_type_authors(rest),
                "save" => form.clone().on_save_stored(),
                "save-nothing" => form.clone().on_save(),
                "generate" => form.clone().on_generate_cover(),
                "retrieve" => form.clone().on_retrieve_cover(),
                "done" => form.clone().on_back_pressed(),
                _ => println!("{:?}", application.search_state.lock().unwrap()),
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
