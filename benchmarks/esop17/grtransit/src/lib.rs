//! Bus stops and routes, after the application `grtransit` of the ESOP 2017 artifact: its handlers, the background tasks behind
//! them, the fields they share and the order in which they touch them.

mod background;
pub mod search;
pub mod times;
