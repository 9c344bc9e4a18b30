fn surround() {}
fn around() {}
