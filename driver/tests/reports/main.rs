//! Every format, from reports made by hand.

mod browser;
mod formats;
mod hostile;
mod values;
