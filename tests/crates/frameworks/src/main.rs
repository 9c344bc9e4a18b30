//! One module per framework: handlers that lose updates (the lines say so with a comment `//~`), and handlers that do not.

mod actix;
mod axum;
mod gtk;
mod iced;
mod poem;
mod rocket;
mod signals;
mod slint;
mod tauri;
mod tonic;
mod warp;
mod winit;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    actix::serve();
    warp::serve();
    tauri::run();
    gtk::build();
    slint::run();
    iced::run();
    winit::run();
    signals::install();
    tonic::use_it();
    axum::serve().await;
}
