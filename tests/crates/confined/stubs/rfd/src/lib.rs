//! The signatures of rfd that the fixtures use.
#[derive(Default)]
pub struct FileDialog;

impl FileDialog {
    pub fn new() -> Self {
        FileDialog
    }

    pub fn pick_file(self) -> Option<String> {
        None
    }
}
