// `with_settings` runs the whole load, change and save under one write lock, and all writers go through it.
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::Duration;

#[derive(Clone, Default)]
struct AppSettings {
    units: String,
    last_project: Option<String>,
    heatmap_schemes: BTreeMap<String, u32>,
    recent: Vec<String>,
}

impl AppSettings {
    fn to_json(&self) -> serde_json::Value {
        json!({ "units": self.units, "last_project": self.last_project,
            "heatmap_schemes": self.heatmap_schemes, "recent": self.recent })
    }
}

#[derive(Default)]
struct AppState {
    settings: RwLock<AppSettings>,
    quit: AtomicBool,
}

fn load_settings(state: &AppState) -> AppSettings {
    state.settings.read().unwrap().clone()
}

fn with_settings<R>(state: &AppState, change: impl FnOnce(&mut AppSettings) -> R) -> R {
    change(&mut state.settings.write().unwrap())
}

fn update_setting(state: &AppState, key: &str, value: &str) -> Result<(), String> {
    with_settings(state, |settings| {
        match key {
            "units" => settings.units = value.to_string(),
            "last_project" => settings.last_project = (!value.is_empty()).then(|| value.to_string()),
            _ => return Err(format!("unknown setting: {}", key)),
        }
        Ok(())
    })
}

fn update_heatmap_scheme(state: &AppState, table: &str, scheme: u32) {
    with_settings(state, |settings| {
        settings.heatmap_schemes.insert(table.to_string(), scheme);
    });
}

fn open_project(state: &AppState, project: &str) -> Result<(), String> {
    with_settings(state, |settings| {
        settings.recent.retain(|p| p != project);
        settings.recent.insert(0, project.to_string());
        settings.recent.truncate(10);
        settings.last_project = Some(project.to_string());
    });
    Ok(())
}

fn heatmap_worker(state: Arc<AppState>) {
    let mut scheme = 0;
    while !state.quit.load(Ordering::Relaxed) {
        for table in ["ve", "ignition", "afr"] {
            update_heatmap_scheme(&state, table, scheme);
        }
        scheme = (scheme + 1) % 6;
        thread::sleep(Duration::from_millis(5));
    }
}

fn main() {
    let state = Arc::new(AppState::default());
    let worker = thread::spawn({
        let state = Arc::clone(&state);
        move || heatmap_worker(state)
    });
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let done = match line.split_once(' ') {
            Some(("open", project)) => open_project(&state, project),
            Some((key, value)) => update_setting(&state, key, value),
            None => Err("expected: KEY VALUE".to_string()),
        };
        if let Err(err) = done {
            eprintln!("{}", err);
        }
    }
    state.quit.store(true, Ordering::Relaxed);
    let _ = worker.join();
    println!("{}", load_settings(&state).to_json());
}
