// akaza (Japanese input method), PR #11 "Clear the needs-saving flag before saving": the saver thread clears `need_save` only after it has written the statistics; a word that main records while the file is written sets the flag and has it wiped out, so it is never saved.
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::Duration;

type WordCounts = BTreeMap<String, u32>;

struct UserData {
    unigram_path: PathBuf,
    unigram: Mutex<WordCounts>,
    need_save: AtomicBool,
}

impl UserData {
    fn load(path: &Path) -> Self {
        let mut unigram = WordCounts::new();
        for line in fs::read_to_string(path).unwrap_or_default().lines() {
            if let Some((word, count)) = line.split_once(' ') {
                unigram.insert(word.to_string(), count.parse().unwrap_or(1));
            }
        }
        UserData { unigram_path: path.to_path_buf(), unigram: Mutex::new(unigram), need_save: AtomicBool::new(false) }
    }

    fn record_entries(&self, words: &[&str]) {
        {
            let mut unigram = self.unigram.lock().unwrap();
            for word in words {
                *unigram.entry(word.to_string()).or_insert(0) += 1;
            }
        }
        self.need_save.store(true, Ordering::SeqCst); //~
    }

    fn write_user_stats_file(&self) -> io::Result<()> {
        let unigram = self.unigram.lock().unwrap().clone();
        let tmp = self.unigram_path.with_extension("tmp");
        let mut file = io::BufWriter::new(fs::File::create(&tmp)?);
        for (word, count) in &unigram {
            writeln!(file, "{} {}", word, count)?;
        }
        file.flush()?;
        fs::rename(&tmp, &self.unigram_path)
    }

    fn save_if_needed(&self) {
        if !self.need_save.load(Ordering::SeqCst) {
            return;
        }
        match self.write_user_stats_file() {
            Ok(()) => self.need_save.store(false, Ordering::SeqCst), //~
            Err(err) => eprintln!("cannot save the user statistics: {}", err),
        }
    }
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "unigram.txt".to_string());
    let user_data = Arc::new(UserData::load(Path::new(&path)));
    let (quit_tx, quit_rx) = mpsc::channel::<()>();
    let saver = {
        let user_data = Arc::clone(&user_data);
        thread::spawn(move || {
            while let Err(mpsc::RecvTimeoutError::Timeout) = quit_rx.recv_timeout(Duration::from_secs(3)) {
                user_data.save_if_needed();
            }
        })
    };
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        user_data.record_entries(&words);
    }
    drop(quit_tx);
    let _ = saver.join();
    user_data.save_if_needed();
}
