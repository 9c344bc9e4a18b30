// Source: saeedkolivand/ai-job-hunter-app issue #771, pull request #772 (make update_fields read-modify-write atomic)
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{anyhow, Result};
use parking_lot::Mutex;

#[derive(Clone, Debug)]
pub struct ApplicationAnswer {
    pub question: String,
    pub answer: String,
}

#[derive(Clone, Debug, Default)]
pub struct Application {
    pub id: String,
    pub company: String,
    pub notes: String,
    pub comp: String,
    pub contact_name: String,
    pub answers: Vec<ApplicationAnswer>,
    pub updated_at: u64,
}

/// The table of applications.
#[derive(Default)]
struct Connection {
    applications: HashMap<String, Application>,
}

fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as u64)
}

/// The applications that the user tracks: shared by the commands of the window and by the
/// server for the browser extension.
#[derive(Default)]
pub struct ApplicationStore {
    conn: Mutex<Connection>,
}

impl ApplicationStore {
    pub fn open() -> Self {
        Self::default()
    }

    pub fn list(&self) -> Vec<Application> {
        let conn = self.conn.lock();
        conn.applications.values().cloned().collect()
    }

    pub fn get(&self, id: &str) -> Option<Application> {
        let conn = self.conn.lock();
        Self::row_by_id_conn(&conn, id)
    }

    pub fn track_manual(&self, id: &str, company: &str) {
        let mut conn = self.conn.lock();
        let app = Application {
            id: id.to_string(),
            company: company.to_string(),
            updated_at: now_ms(),
            ..Default::default()
        };
        conn.applications.entry(id.to_string()).or_insert(app);
    }

    /// Merge the answers that the extension saved into the application.
    pub fn merge_answers(&self, id: &str, answers: Vec<ApplicationAnswer>) -> Result<()> {
        let mut conn = self.conn.lock();
        let mut app = Self::row_by_id_conn(&conn, id)
            .ok_or_else(|| anyhow!("application not found: {id}"))?;
        for answer in answers {
            app.answers.retain(|a| a.question != answer.question);
            app.answers.push(answer);
        }
        app.updated_at = now_ms();
        Self::write_row_conn(&mut conn, &app);
        Ok(())
    }

    /// Patch the user-editable tracking fields. Each `None` leaves its field
    /// unchanged; bumps `updated_at` whenever called.
    pub fn update_fields(
        &self,
        id: &str,
        notes: Option<String>,
        comp: Option<String>,
        contact_name: Option<String>,
    ) -> Result<()> {
        // ONE lock spans lookup+write (`row_by_id_conn`, not self-locking `get`): the
        // write rewrites EVERY column, so releasing it between let a commit be lost.
        let mut conn = self.conn.lock();
        let existing = Self::row_by_id_conn(&conn, id)
            .ok_or_else(|| anyhow!("application not found: {id}"))?;
        let app = Application {
            notes: notes.unwrap_or(existing.notes),
            comp: comp.unwrap_or(existing.comp),
            contact_name: contact_name.unwrap_or(existing.contact_name),
            updated_at: now_ms(),
            ..existing
        };
        Self::write_row_conn(&mut conn, &app);
        Ok(())
    }

    pub fn delete(&self, id: &str) {
        let mut conn = self.conn.lock();
        conn.applications.remove(id);
    }

    /// Connection-scoped row write: a full-column upsert.
    fn write_row_conn(conn: &mut Connection, app: &Application) {
        conn.applications.insert(app.id.clone(), app.clone());
    }

    fn row_by_id_conn(conn: &Connection, id: &str) -> Option<Application> {
        conn.applications.get(id).cloned()
    }
}
