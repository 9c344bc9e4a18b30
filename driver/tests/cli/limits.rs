//! What a run may take: what there is no time or memory for is said, and is no bug.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{FINE, MANIFEST, folder, robust, run, write};

#[test]
fn what_there_is_no_time_for_is_said() {
    // Whoever asks a table asks another one on the way.
    let mut source =
        String::from("use std::sync::Mutex;\npub struct Table { pub rows: Mutex<Vec<u64>> }\nimpl Table {\n");
    for number in 0..300 {
        let next = (number + 1) % 300;
        let _ = writeln!(
            source,
            "pub async fn ask{number}(&self, by: u64) -> u64 {{
                self.rows.lock().unwrap().push(by);
                if by > {number} {{ Box::pin(self.ask{next}(by - 1)).await }} else {{ self.rows.lock().unwrap().len() as u64 }}
            }}"
        );
    }
    source.push('}');
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &source)]);
    let begun = Instant::now();
    let limits = ["--total-timeout", "1", "--format", "json"];
    let late = run(robust().current_dir(folder.path()).args(limits));
    let report: Value = serde_json::from_str(&late.out).unwrap();
    assert_eq!(report["complete"], false, "{}", late.out);
    assert!(late.out.contains("timeout"), "{}", late.out);
    // What cargo takes comes on top.
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
}

#[test]
fn a_text_that_there_is_no_room_for_is_not_read() {
    let folder = folder(&[]);
    let (small, large) = (format!("{FINE}// é"), format!("{FINE}// {}", "é".repeat(1 << 14)));
    write(folder.path(), "small.rob", &small);
    write(folder.path(), "large.rob", &large);
    for command in ["check", "events"] {
        let of = |file| run(robust().current_dir(folder.path()).args([command, file, "--memory", "1"]));
        assert_eq!(of("small.rob").code, 0, "{}", of("small.rob").err);
        let refused = of("large.rob");
        assert_eq!(refused.code, 101, "{}", refused.err);
        assert!(refused.err.contains("--memory 1"), "{}", refused.err);
    }
}
