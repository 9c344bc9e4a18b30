//! Every format, from reports made by hand.

mod formats;
mod hostile;
mod values;
