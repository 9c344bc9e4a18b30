//! Tasks that go on when their owners are gone, and those that end with them.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

const PAUSE: Duration = Duration::from_millis(20);

async fn ask_again(host: &str) {
    println!("{host}");
}

/// Dropping the handle detaches the task.
struct Probe {
    beat: JoinHandle<()>,
}

impl Probe {
    fn open(host: String) -> Probe {
        Probe {
            beat: tokio::spawn(async move { //~ outlives-owner
                loop {
                    ask_again(&host).await;
                    sleep(PAUSE).await;
                }
            }),
        }
    }
}

struct GuardedProbe {
    beat: AbortOnDropHandle<()>,
}

impl GuardedProbe {
    fn open(host: String) -> Self {
        let beat = tokio::spawn(async move {
            loop {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
        GuardedProbe { beat: AbortOnDropHandle::new(beat) }
    }
}

struct DroppedProbe {
    beat: JoinHandle<()>,
}

impl DroppedProbe {
    fn open(host: String) -> Self {
        let beat = tokio::spawn(async move {
            loop {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
        DroppedProbe { beat }
    }
}

impl Drop for DroppedProbe {
    fn drop(&mut self) {
        self.beat.abort();
    }
}

struct ProbesInASet {
    beats: JoinSet<()>,
}

impl ProbesInASet {
    fn open(hosts: Vec<String>) -> Self {
        let mut beats = JoinSet::new();
        for host in hosts {
            beats.spawn(async move {
                loop {
                    ask_again(&host).await;
                    sleep(PAUSE).await;
                }
            });
        }
        ProbesInASet { beats }
    }
}

struct ToldProbe {
    stop: CancellationToken,
    beat: JoinHandle<()>,
}

impl ToldProbe {
    fn open(host: String) -> Self {
        let stop = CancellationToken::new();
        let told = stop.clone();
        let beat = tokio::spawn(async move {
            while !told.is_cancelled() {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
        ToldProbe { stop, beat }
    }
}

impl Drop for ToldProbe {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A thread without an end.
struct Meter {
    count: Arc<AtomicU64>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Meter {
    fn start() -> Self {
        let count = Arc::new(AtomicU64::new(0));
        let own = Arc::clone(&count);
        let thread = thread::spawn(move || loop { //~ outlives-owner
            own.fetch_add(1, Ordering::Relaxed);
            thread::sleep(PAUSE);
        });
        Meter { count, thread: Some(thread) }
    }
}

struct StoppedMeter {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl StoppedMeter {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !own.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
            }
        });
        StoppedMeter { stop, thread: Some(thread) }
    }
}

impl Drop for StoppedMeter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// It can tell its thread to end, and waits for it then: who forgets to have it do so leaves the thread alone.
struct FinishedMeter {
    finished: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl FinishedMeter {
    fn start() -> Self {
        let finished = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&finished);
        let thread = thread::spawn(move || { //~ outlives-owner warn
            while !own.load(Ordering::Relaxed) {
                println!("still counting");
                thread::sleep(PAUSE);
            }
        });
        FinishedMeter { finished, thread: Some(thread) }
    }
    fn finish(mut self) {
        self.finished.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Its thread ends by itself, too, when there is no more to do.
struct ShortMeter {
    finished: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl ShortMeter {
    fn start() -> Self {
        let finished = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&finished);
        let thread = thread::spawn(move || {
            for _ in 0..10 {
                if own.load(Ordering::Relaxed) {
                    break;
                }
                println!("still counting");
                thread::sleep(PAUSE);
            }
        });
        ShortMeter { finished, thread: Some(thread) }
    }
    fn finish(mut self) {
        self.finished.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The task shares the table, and nothing tells it to end.
struct Table {
    rows: Arc<Mutex<Vec<String>>>,
}

impl Table {
    fn new() -> Table {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let swept = Arc::clone(&rows);
        tokio::spawn(async move { //~ outlives-owner warn
            loop {
                sleep(PAUSE).await;
                swept.lock().unwrap().clear();
            }
        });
        Table { rows }
    }
}

struct WeakTable {
    rows: Arc<Mutex<Vec<String>>>,
}

impl WeakTable {
    fn new() -> WeakTable {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let swept = Arc::downgrade(&rows);
        tokio::spawn(async move {
            while let Some(rows) = swept.upgrade() {
                rows.lock().unwrap().clear();
                drop(rows);
                sleep(PAUSE).await;
            }
        });
        WeakTable { rows }
    }
}

/// The task ends when the room's sender is gone, and keeps the room.
struct Room {
    said: broadcast::Sender<String>,
    log: Mutex<Vec<String>>,
}

impl Room {
    fn listen(self: Arc<Room>) {
        let mut heard = self.said.subscribe();
        tokio::spawn(async move { //~ outlives-owner
            while let Ok(line) = heard.recv().await {
                self.log.lock().unwrap().push(line);
            }
        });
    }
}

struct Hall {
    said: broadcast::Sender<String>,
    log: Mutex<Vec<String>>,
}

impl Hall {
    fn listen(self: Arc<Hall>) {
        let mut heard = self.said.subscribe();
        let hall = Arc::downgrade(&self);
        tokio::spawn(async move {
            while let Ok(line) = heard.recv().await {
                let Some(hall) = hall.upgrade() else { return };
                hall.log.lock().unwrap().push(line);
            }
        });
    }
}

/// The only one lives as long as the program.
struct Clock {
    beat: JoinHandle<()>,
}

impl Clock {
    fn start() -> Self {
        let beat = tokio::spawn(async {
            loop {
                sleep(PAUSE).await;
            }
        });
        Clock { beat }
    }
}

async fn beat() {
    loop {
        ask_again("beat").await;
        sleep(PAUSE).await;
    }
}

/// The loop is polled in turn with what ends it.
struct RacedProbe {
    stop: CancellationToken,
    beat: JoinHandle<()>,
}

impl RacedProbe {
    fn open() -> Self {
        let stop = CancellationToken::new();
        let told = stop.clone();
        let beat = tokio::spawn(async move {
            tokio::select! {
                () = told.cancelled() => {}
                () = beat() => {}
            }
        });
        RacedProbe { stop, beat }
    }
}

impl Drop for RacedProbe {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Each of the two is endless.
struct TwiceProbe {
    beat: JoinHandle<()>,
}

impl TwiceProbe {
    fn open() -> Self {
        let beat = tokio::spawn(async { //~ outlives-owner
            tokio::select! {
                () = beat() => {}
                () = beat() => {}
            }
        });
        TwiceProbe { beat }
    }
}

/// Another library's future ends it.
struct BriefProbe {
    beat: JoinHandle<()>,
}

impl BriefProbe {
    fn open() -> Self {
        let beat = tokio::spawn(async {
            let _ = tokio::time::timeout(PAUSE, beat()).await;
        });
        BriefProbe { beat }
    }
}

struct ListedProbes {
    beats: Vec<JoinHandle<()>>,
}

impl ListedProbes {
    fn open() -> Self {
        ListedProbes { beats: (0..2).map(|_| tokio::spawn(beat())).collect() }
    }
}

impl Drop for ListedProbes {
    fn drop(&mut self) {
        self.beats.iter().for_each(JoinHandle::abort);
    }
}

/// Looks at each, and ends none.
struct CountedProbes {
    beats: Vec<JoinHandle<()>>,
}

impl CountedProbes {
    fn open() -> Self {
        CountedProbes { beats: (0..2).map(|_| tokio::spawn(beat())).collect() } //~ outlives-owner
    }
}

impl Drop for CountedProbes {
    fn drop(&mut self) {
        println!("{}", self.beats.iter().all(JoinHandle::is_finished));
    }
}

/// Keeps what ends the task apart from its handle.
struct SplitProbe {
    stop: AbortHandle,
    beat: JoinHandle<()>,
}

impl SplitProbe {
    fn open() -> Self {
        let beat = tokio::spawn(beat());
        SplitProbe { stop: beat.abort_handle(), beat }
    }
}

impl Drop for SplitProbe {
    fn drop(&mut self) {
        self.stop.abort();
    }
}

/// Handles that are kept behind a lock of tokio. Taking the lock is not waiting for them.
#[derive(Default)]
struct Pages {
    watched: tokio::sync::Mutex<Vec<JoinHandle<()>>>,
}

impl Pages {
    async fn watch(&self, host: String) {
        let watch = tokio::spawn(async move { //~ outlives-owner
            loop {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
        self.watched.lock().await.push(watch);
    }
}

#[derive(Default)]
struct EndedPages {
    watched: tokio::sync::Mutex<Vec<JoinHandle<()>>>,
}

impl EndedPages {
    async fn watch(&self, host: String) {
        let watch = tokio::spawn(async move {
            loop {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
        self.watched.lock().await.push(watch);
    }
}

impl Drop for EndedPages {
    fn drop(&mut self) {
        for watch in self.watched.get_mut() {
            watch.abort();
        }
    }
}

/// A tracker ends nothing.
struct Mirror {
    tasks: TaskTracker,
}

impl Mirror {
    fn follow(&self, host: String) {
        self.tasks.spawn(async move { //~ outlives-owner
            loop {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
    }
}

struct ToldMirror {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl ToldMirror {
    fn follow(&self, host: String) {
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            while !stop.is_cancelled() {
                ask_again(&host).await;
                sleep(PAUSE).await;
            }
        });
    }

    async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn serve(round: usize) {
    let (pages, ended) = (Pages::default(), EndedPages::default());
    pages.watch(format!("p{round}")).await;
    ended.watch(format!("q{round}")).await;
    let mirror = Mirror { tasks: TaskTracker::new() };
    mirror.follow(format!("m{round}"));
    let following = ToldMirror { tasks: TaskTracker::new(), stop: CancellationToken::new() };
    following.follow(format!("n{round}"));
    following.end().await;
    let probe = Probe::open(format!("a{round}"));
    let guarded = GuardedProbe::open(format!("b{round}"));
    let dropped = DroppedProbe::open(format!("c{round}"));
    let mut several = ProbesInASet::open(vec![format!("d{round}")]);
    let told = ToldProbe::open(format!("e{round}"));
    let meter = Meter::start();
    let stopped = StoppedMeter::start();
    let finished = FinishedMeter::start();
    let short = ShortMeter::start();
    if round > 1 {
        finished.finish();
        short.finish();
    }
    let table = Table::new();
    let weak = WeakTable::new();
    table.rows.lock().unwrap().push("one".into());
    weak.rows.lock().unwrap().push("two".into());
    let room = Arc::new(Room { said: broadcast::channel(4).0, log: Mutex::new(Vec::new()) });
    Arc::clone(&room).listen();
    let hall = Arc::new(Hall { said: broadcast::channel(4).0, log: Mutex::new(Vec::new()) });
    Arc::clone(&hall).listen();
    let (raced, twice, brief) = (RacedProbe::open(), TwiceProbe::open(), BriefProbe::open());
    let (listed, counted, split) = (ListedProbes::open(), CountedProbes::open(), SplitProbe::open());
    let _ = room.said.send("hello".into());
    let _ = hall.said.send("hello".into());
    sleep(PAUSE).await;
    println!("{} {}", probe.beat.is_finished(), guarded.beat.is_finished());
    println!("{} {}", dropped.beat.is_finished(), told.beat.is_finished());
    println!("{} {} {}", raced.beat.is_finished(), twice.beat.is_finished(), brief.beat.is_finished());
    println!("{} {} {}", listed.beats.len(), counted.beats.len(), split.beat.is_finished());
    println!("{:?}", several.beats.try_join_next());
    println!("{} {:?}", meter.count.load(Ordering::Relaxed), meter.thread.is_some());
    println!("{} {}", stopped.thread.is_some(), room.log.lock().unwrap().len());
    println!("{}", hall.log.lock().unwrap().len());
}

#[tokio::main]
async fn main() {
    let clock = Clock::start();
    for round in 0..2 {
        serve(round).await;
    }
    println!("{}", clock.beat.is_finished());
}
