//! A chat client, after the application `irccloud` of the ESOP 2017 artifact: its handlers, the background tasks behind
//! them, the fields they share and the order in which they touch them. Displays, network and database are one access each.
//!
//! Handlers run on the UI thread, a `LocalSet`. A background task runs on a thread of its own, and what follows it runs
//! on the UI thread again.

mod background;
pub mod message;
pub mod network;
pub mod preferences;
