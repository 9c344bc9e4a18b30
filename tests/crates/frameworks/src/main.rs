//! One module per framework: handlers that lose updates (the lines end with a comment), and handlers that do not.

mod with_actix;
mod with_axum;
mod with_gtk;
mod with_iced;
mod with_poem;
mod with_rocket;
mod signals;
mod with_service;
mod with_slint;
mod with_tauri;
mod with_tonic;
mod with_warp;
mod with_winit;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    with_actix::serve();
    drop(with_service::serve());
    with_warp::serve();
    with_tauri::run();
    with_gtk::build();
    with_slint::run();
    with_iced::run();
    with_winit::run();
    signals::install();
    with_tonic::use_it();
    with_axum::serve().await;
}
