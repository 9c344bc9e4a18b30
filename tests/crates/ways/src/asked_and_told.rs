//! What an actor is asked and told in two messages: others' messages come in between.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc as threads;
use tokio::sync::{mpsc, oneshot};

pub enum Order {
    Level(oneshot::Sender<u64>),
    Fill(u64),
    Pour(u64),
}

async fn tank(mut orders: mpsc::Receiver<Order>) {
    let mut level = 0;
    while let Some(order) = orders.recv().await {
        match order {
            Order::Level(reply) => _ = reply.send(level),
            Order::Fill(to) => level = to,
            Order::Pour(more) => level += more,
        }
    }
}

/// The state is in a local of the task.
#[derive(Clone)]
pub struct Tank {
    orders: mpsc::Sender<Order>,
}

impl Tank {
    pub fn new() -> Self {
        let (orders, queue) = mpsc::channel(8);
        tokio::spawn(tank(queue));
        Tank { orders }
    }

    pub async fn level(&self) -> Option<u64> {
        let (reply, level) = oneshot::channel();
        self.orders.send(Order::Level(reply)).await.ok()?; //~
        level.await.ok()
    }

    /// Another one may have poured something in meanwhile.
    pub async fn top_up(&self, more: u64) -> Option<()> {
        let level = self.level().await?;
        self.orders.send(Order::Fill(level + more)).await.ok() //~
    }

    /// One message looks and changes.
    pub async fn pour(&self, more: u64) {
        _ = self.orders.send(Order::Pour(more)).await;
    }

    /// What it is filled to has nothing to do with what was there.
    pub async fn reset(&self, to: u64) -> Option<u64> {
        let before = self.level().await?;
        self.orders.send(Order::Fill(to)).await.ok()?;
        Some(before)
    }
}

pub enum Booking {
    Who { seat: u32, reply: oneshot::Sender<Option<String>> },
    Book { seat: u32, who: String },
    BookFree { seat: u32, who: String },
}

#[derive(Default)]
struct Hall {
    seats: HashMap<u32, String>,
    free: HashMap<u32, String>,
}

impl Hall {
    fn take(&mut self, booking: Booking) {
        match booking {
            Booking::Who { seat, reply } => _ = reply.send(self.seats.get(&seat).cloned()),
            Booking::Book { seat, who } => _ = self.seats.insert(seat, who),
            Booking::BookFree { seat, who } => _ = self.free.entry(seat).or_insert(who),
        }
    }

    async fn run(mut self, mut bookings: mpsc::Receiver<Booking>) {
        while let Some(booking) = bookings.recv().await {
            self.take(booking);
        }
    }
}

/// The state is in what a method is called of.
#[derive(Clone)]
pub struct BoxOffice {
    bookings: mpsc::Sender<Booking>,
}

impl BoxOffice {
    pub fn new() -> Self {
        let (bookings, queue) = mpsc::channel(8);
        tokio::spawn(Hall::default().run(queue));
        BoxOffice { bookings }
    }

    async fn give(&self, seat: u32, who: String) {
        _ = self.bookings.send(Booking::Book { seat, who }).await; //~
    }

    /// Two may find a seat free.
    pub async fn book(&self, seat: u32, who: String) -> bool {
        let (reply, taken) = oneshot::channel();
        _ = self.bookings.send(Booking::Who { seat, reply }).await; //~
        match taken.await {
            Ok(None) => self.give(seat, who).await,
            _ => return false,
        }
        true
    }

    /// Who has the seat is looked at again as it is given away.
    pub async fn book_free(&self, seat: u32, who: String) {
        let (reply, taken) = oneshot::channel();
        _ = self.bookings.send(Booking::Who { seat, reply }).await;
        if let Ok(None) = taken.await {
            _ = self.bookings.send(Booking::BookFree { seat, who }).await;
        }
    }
}

pub enum Visit {
    Pages(u32, threads::Sender<Option<u32>>),
    Turn(u32, u32),
}

/// Visitors have numbers of their own, by which the actor knows them.
pub struct Library {
    visits: threads::Sender<Visit>,
    next: AtomicU32,
}

impl Library {
    pub fn new() -> Self {
        let (visits, queue) = threads::channel();
        std::thread::spawn(move || {
            let mut pages = HashMap::new();
            for visit in queue {
                match visit {
                    Visit::Pages(who, reply) => _ = reply.send(pages.get(&who).copied()),
                    Visit::Turn(who, page) => _ = pages.insert(who, page),
                }
            }
        });
        Library { visits, next: AtomicU32::new(0) }
    }

    /// Nobody else has this number.
    pub fn read(&self) {
        let who = self.next.fetch_add(1, SeqCst);
        for _ in 0..10 {
            let (reply, page) = threads::channel();
            _ = self.visits.send(Visit::Pages(who, reply));
            let page = page.recv().ok().flatten().unwrap_or(0);
            _ = self.visits.send(Visit::Turn(who, page + 1));
        }
    }
}

pub enum Count {
    Get(threads::Sender<u32>),
    Put(u32),
}

/// Nobody else can send what this counter sends.
pub struct Counter {
    counts: threads::Sender<Count>,
}

impl Counter {
    pub fn new() -> Self {
        let (counts, queue) = threads::channel();
        std::thread::spawn(move || {
            let mut count = 0;
            for order in queue {
                match order {
                    Count::Get(reply) => _ = reply.send(count),
                    Count::Put(to) => count = to,
                }
            }
        });
        Counter { counts }
    }

    pub fn more(&mut self) {
        let (reply, count) = threads::channel();
        _ = self.counts.send(Count::Get(reply));
        let count = count.recv().unwrap_or(0);
        _ = self.counts.send(Count::Put(count + 1));
    }
}
