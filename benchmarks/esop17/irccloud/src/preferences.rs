//! The activity in which settings are changed.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use crate::background;
use crate::network::Connection;

const HANDLER: u32 = 2;

/// A task that saves something, and can be told not to.
#[derive(Default)]
pub struct Save {
    cancelled: AtomicBool,
}

#[derive(Default)]
pub struct PreferencesActivity {
    connection: Mutex<Option<Arc<Connection>>>,
    save_preferences: Mutex<Option<Arc<Save>>>,
    save_settings: Mutex<Option<Arc<Save>>>,
    preferences_request: AtomicI32,
    settings_request: AtomicI32,
}

impl PreferencesActivity {
    /// The activity is created and comes to the front.
    pub fn on_create(self: Arc<Self>, connection: Arc<Connection>) {
        connection.add_handler(HANDLER);
        *self.connection.lock().unwrap() = Some(connection);
    }

    /// A preference of the display was changed.
    pub fn on_preference_changed(self: Arc<Self>) {
        let task = Arc::new(Save::default());
        let old = self.save_preferences.lock().unwrap().replace(task.clone());
        if let Some(old) = old {
            old.cancelled.store(true, SeqCst);
        }
        let (worker, ui, sent) = (self.clone(), self, task.clone());
        background::run(move || worker.send_preferences(&task), move |()| ui.preferences_sent(&sent));
    }

    fn send_preferences(&self, task: &Save) {
        let request = match self.connection() {
            Some(connection) if !task.cancelled.load(SeqCst) => {
                let preferences = connection.user.preferences.lock().unwrap().clone();
                connection.set_preferences(&preferences)
            }
            _ => -1,
        };
        self.preferences_request.store(request, SeqCst);
    }

    /// Back on the UI thread. As everywhere in Android, what was cancelled has no continuation.
    fn preferences_sent(&self, task: &Save) {
        if !task.cancelled.load(SeqCst) {
            *self.save_preferences.lock().unwrap() = None;
        }
    }

    /// The user's name was changed.
    pub fn on_name_changed(self: Arc<Self>, name: String) {
        if let Some(connection) = self.connection() {
            *connection.user.name.lock().unwrap() = name;
        }
        let task = Arc::new(Save::default());
        let old = self.save_settings.lock().unwrap().replace(task.clone());
        if let Some(old) = old {
            old.cancelled.store(true, SeqCst);
        }
        let (worker, ui, sent) = (self.clone(), self, task.clone());
        background::run(move || worker.send_settings(&task), move |()| ui.settings_sent(&sent));
    }

    fn send_settings(&self, task: &Save) {
        if task.cancelled.load(SeqCst) {
            return;
        }
        if let Some(connection) = self.connection() {
            let name = connection.user.name.lock().unwrap().clone();
            let request = connection.set_user_settings(&name);
            self.settings_request.store(request, SeqCst);
        }
    }

    fn settings_sent(&self, task: &Save) {
        if !task.cancelled.load(SeqCst) {
            *self.save_settings.lock().unwrap() = None;
        }
    }

    /// Back navigation.
    pub fn on_back_pressed(self: Arc<Self>) {
        if let Some(connection) = self.connection() {
            connection.remove_handler(HANDLER);
        }
    }

    fn connection(&self) -> Option<Arc<Connection>> {
        self.connection.lock().unwrap().clone()
    }
}
