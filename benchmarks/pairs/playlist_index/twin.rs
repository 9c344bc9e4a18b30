// A playlist: the length is asked in one section, the index is used in the next; `skip` shortens it.
use std::collections::VecDeque;
use std::sync::Mutex;

pub struct Track(pub String);

#[derive(Default)]
pub struct Playlist { queue: Mutex<VecDeque<Track>> }

impl Playlist {
    pub fn add(&self, track: Track) { self.queue.lock().unwrap().push_back(track); }
    pub fn skip(&self) -> Option<Track> { self.queue.lock().unwrap().pop_front() }
    pub fn len(&self) -> usize { self.queue.lock().unwrap().len() }
    pub fn play_next(&self, position: usize) -> bool {
        let mut queue = self.queue.lock().unwrap();
        if position >= queue.len() {
            return false;
        }
        queue.swap(0, position);
        true
    }
}
