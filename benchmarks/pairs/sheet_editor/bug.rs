// `lock-across-await`: `RefCell::borrow_mut` held over `storage.save().await`; the typing task of the same LocalSet borrows.
//! The document of a spreadsheet window: edits come from the keyboard, a task saves now and then.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::spawn_local;

pub type Cell = (u32, u32);

pub enum Edit {
    Set(Cell, String),
    Clear(Cell),
}

#[derive(Default)]
struct Sheet {
    cells: BTreeMap<Cell, String>,
    revision: u64,
    saved: u64,
}

impl Sheet {
    fn apply(&mut self, edit: Edit) {
        match edit {
            Edit::Set(cell, text) => drop(self.cells.insert(cell, text)),
            Edit::Clear(cell) => drop(self.cells.remove(&cell)),
        }
        self.revision += 1;
    }

    fn to_csv(&self) -> String {
        let line = |((row, column), text): (&Cell, &String)| format!("{row},{column},{text}\n");
        self.cells.iter().map(line).collect()
    }
}

struct Storage {
    file: PathBuf,
}

impl Storage {
    async fn save(&self, csv: String) -> std::io::Result<()> {
        let draft = self.file.with_extension("draft");
        tokio::fs::write(&draft, csv).await?;
        tokio::fs::rename(&draft, &self.file).await
    }
}

async fn save_if_changed(sheet: &RefCell<Sheet>, storage: &Storage) -> std::io::Result<bool> {
    let mut sheet = sheet.borrow_mut();
    if sheet.saved == sheet.revision {
        return Ok(false);
    }
    let (revision, csv) = (sheet.revision, sheet.to_csv());
    storage.save(csv).await?; //~
    sheet.saved = revision;
    Ok(true)
}

async fn type_in(sheet: Rc<RefCell<Sheet>>, mut keyboard: mpsc::UnboundedReceiver<Edit>) {
    while let Some(edit) = keyboard.recv().await {
        sheet.borrow_mut().apply(edit);
    }
}

async fn keep_saved(sheet: Rc<RefCell<Sheet>>, storage: Storage) {
    let mut pause = tokio::time::interval(Duration::from_secs(5));
    loop {
        pause.tick().await;
        // The other task lets go of the sheet when the window is closed.
        let closed = Rc::strong_count(&sheet) == 1;
        if let Err(error) = save_if_changed(&sheet, &storage).await {
            tracing::warn!("{}: {error}", storage.file.display());
        }
        if closed {
            return;
        }
    }
}

/// To be called in the `LocalSet` of the window.
pub fn open(file: PathBuf, keyboard: mpsc::UnboundedReceiver<Edit>) {
    let sheet = Rc::new(RefCell::new(Sheet::default()));
    spawn_local(type_in(sheet.clone(), keyboard));
    spawn_local(keep_saved(sheet, Storage { file }));
}
