//! A macro makes methods that load and store.
use std::sync::atomic::{AtomicU64, Ordering};
macro_rules! peaks {
    ($($name:ident),*) => {
        #[derive(Default)]
        pub struct Peaks { $($name: AtomicU64),* }
        impl Peaks {
            $(pub fn $name(&self, seen: u64) {
                if seen > self.$name.load(Ordering::Relaxed) { //~
                    self.$name.store(seen, Ordering::Relaxed); //~
                }
            })*
            pub fn report(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.load(Ordering::Relaxed))),*]
            }
        }
    };
}
peaks!(memory, threads);
