// The view remembers the id of the highlighted entry, not its number; the removal looks the id up and removes under one lock, and does nothing if the track has gone meanwhile.
use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

struct Track {
    queue_id: u64,
    title: String,
}

#[derive(Default)]
struct Tracklist {
    next_id: u64,
    queue: VecDeque<Track>,
    closed: bool,
}

#[derive(Default)]
struct Player {
    tracklist: Mutex<Tracklist>,
    changed: Condvar,
}

impl Player {
    fn tracklist(&self) -> MutexGuard<'_, Tracklist> {
        self.tracklist.lock().unwrap()
    }

    fn enqueue(&self, title: &str) {
        let mut tracklist = self.tracklist();
        tracklist.next_id += 1;
        let queue_id = tracklist.next_id;
        tracklist.queue.push_back(Track { queue_id, title: title.to_string() });
        self.changed.notify_one();
    }

    fn remove(&self, queue_id: u64) -> Option<Track> {
        let mut tracklist = self.tracklist();
        let row = tracklist.queue.iter().position(|track| track.queue_id == queue_id)?;
        tracklist.queue.remove(row)
    }

    fn close(&self) {
        self.tracklist().closed = true;
        self.changed.notify_one();
    }

    /// The playback thread: takes one track after the other off the queue.
    fn playback(&self) {
        loop {
            let mut tracklist =
                self.changed.wait_while(self.tracklist(), |t| t.queue.is_empty() && !t.closed).unwrap();
            if tracklist.closed {
                return;
            }
            let Some(track) = tracklist.queue.pop_front() else { continue };
            drop(tracklist);
            println!("playing {} (#{})", track.title, track.queue_id);
            thread::sleep(Duration::from_millis(180));
        }
    }
}

struct QueueView {
    row: usize,
}

impl QueueView {
    fn draw(&mut self, player: &Player) -> Option<u64> {
        let tracklist = player.tracklist();
        self.row = self.row.min(tracklist.queue.len().saturating_sub(1));
        for (row, track) in tracklist.queue.iter().enumerate() {
            println!("{} {}", if row == self.row { ">" } else { " " }, track.title);
        }
        tracklist.queue.get(self.row).map(|track| track.queue_id)
    }
}

fn main() {
    let player = Arc::new(Player::default());
    let playback = {
        let player = Arc::clone(&player);
        thread::spawn(move || player.playback())
    };
    for title in std::env::args().skip(1) {
        player.enqueue(&title);
    }
    let mut view = QueueView { row: 0 };
    let mut selected = view.draw(&player);
    for key in io::stdin().lock().lines().map_while(Result::ok) {
        match (key.as_str(), selected) {
            ("j", _) => view.row += 1,
            ("k", _) => view.row = view.row.saturating_sub(1),
            ("d", Some(queue_id)) => {
                if let Some(removed) = player.remove(queue_id) {
                    println!("removed {}", removed.title);
                }
            }
            ("q", _) => break,
            _ => {}
        }
        selected = view.draw(&player);
    }
    player.close();
    let _ = playback.join();
}
