//! PolyMeilex/rfd#104: a dialog that falls back to one that only the main thread may show. C1.
fn pick() -> Option<String> {
    rfd::FileDialog::new().pick_file() //~ OFFENCE C1
}

fn main() {
    std::thread::spawn(|| drop(pick()));
}
