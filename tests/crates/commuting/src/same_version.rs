//! What was found to be of a version before, and is found to be of it again.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Clone, Debug)]
pub struct Page {
    text: String,
    version: u64,
}

/// What somebody wants changed, of which version.
#[derive(Debug)]
pub struct Draft {
    text: String,
    version: u64,
}

/// Everybody counts the version up.
#[derive(Debug, Default)]
pub struct Book {
    pages: Mutex<HashMap<u32, Page>>,
}

impl Book {
    pub fn revise(&self, number: u32, draft: Draft) -> Result<(), u64> {
        let mut page = self.pages.lock().unwrap().get(&number).cloned().ok_or(0_u64)?;
        if page.version != draft.version {
            return Err(page.version);
        }
        page.text = format!("{}{}", page.text, draft.text);
        page.version += 1;
        let mut pages = self.pages.lock().unwrap();
        let now = pages.get_mut(&number).ok_or(0_u64)?;
        if now.version != draft.version {
            return Err(0);
        }
        *now = page;
        Ok(())
    }
}

/// Somebody changes the text, and not the version.
#[derive(Debug, Default)]
pub struct Diary {
    pages: Mutex<HashMap<u32, Page>>,
}

impl Diary {
    pub fn revise(&self, number: u32, draft: Draft) -> Result<(), u64> {
        let mut page = self.pages.lock().unwrap().get(&number).cloned().ok_or(0_u64)?; //~
        if page.version != draft.version {
            return Err(page.version);
        }
        page.text = format!("{}{}", page.text, draft.text);
        page.version += 1;
        let mut pages = self.pages.lock().unwrap();
        let now = pages.get_mut(&number).ok_or(0_u64)?; //~
        if now.version != draft.version {
            return Err(0);
        }
        *now = page;
        Ok(())
    }

    pub fn scribble(&self, number: u32) {
        if let Some(page) = self.pages.lock().unwrap().get_mut(&number) {
            page.text = String::new(); //~
        }
    }
}
