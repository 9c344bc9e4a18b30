// Source: embassy-rs/embassy PR #6964 (wake the next waiter when a FairSemaphore acquire is canceled): the head of the queue, which wants
// more than there is, holds back those behind it; when its future is dropped, nobody wakes the new head, which waits though there is
// enough for it.
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

struct FairSemaphoreState {
    permits: usize,
    // Ticket `n` is at `wakers[n - next_ticket]`; a canceled one leaves `None` there.
    next_ticket: usize,
    wakers: VecDeque<Option<Waker>>,
}

impl FairSemaphoreState {
    fn register(&mut self, ticket: &mut Option<usize>, waker: &Waker) {
        match *ticket {
            Some(n) => self.set_waker(n, Some(waker.clone())),
            None => {
                *ticket = Some(self.next_ticket + self.wakers.len());
                self.wakers.push_back(Some(waker.clone()));
            }
        }
    }

    fn set_waker(&mut self, ticket: usize, waker: Option<Waker>) {
        if let Some(slot) = ticket.checked_sub(self.next_ticket).and_then(|i| self.wakers.get_mut(i)) {
            *slot = waker;
        }
    }

    fn skip_canceled(&mut self) {
        while let Some(None) = self.wakers.front() {
            self.wakers.pop_front();
            self.next_ticket += 1;
        }
    }

    fn head(&mut self) -> Option<Waker> {
        self.skip_canceled();
        self.wakers.front().cloned().flatten()
    }

    /// Takes the permits if it is the ticket's turn; tells whom to wake next.
    fn take(&mut self, ticket: Option<usize>, permits: usize) -> Option<Option<Waker>> {
        self.skip_canceled();
        if self.permits < permits {
            return None;
        }
        match ticket {
            Some(n) if n != self.next_ticket => return None,
            None if !self.wakers.is_empty() => return None,
            Some(_) => {
                self.wakers.pop_front();
                self.next_ticket += 1;
            }
            None => {}
        }
        self.permits -= permits;
        Some(self.head())
    }

    fn cancel(&mut self, ticket: usize) {
        self.set_waker(ticket, None); //~
    }
}

/// A semaphore whose permits are given out in the order of the requests.
pub struct FairSemaphore {
    state: Mutex<FairSemaphoreState>,
}

impl FairSemaphore {
    pub fn new(permits: usize) -> Self {
        FairSemaphore {
            state: Mutex::new(FairSemaphoreState { permits, next_ticket: 0, wakers: VecDeque::new() }),
        }
    }

    fn with_state<R>(&self, f: impl FnOnce(&mut FairSemaphoreState) -> R) -> R {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn acquire(&self, permits: usize) -> FairAcquire<'_> {
        FairAcquire { sema: self, permits, ticket: None }
    }

    pub fn try_acquire(&self, permits: usize) -> Option<FairPermit<'_>> {
        let next = self.with_state(|state| state.take(None, permits))?;
        next.into_iter().for_each(Waker::wake);
        Some(FairPermit { sema: self, permits })
    }

    pub fn release(&self, permits: usize) {
        let head = self.with_state(|state| {
            state.permits += permits;
            state.head()
        });
        head.into_iter().for_each(Waker::wake);
    }
}

pub struct FairAcquire<'a> {
    sema: &'a FairSemaphore,
    permits: usize,
    ticket: Option<usize>,
}

impl<'a> Future for FairAcquire<'a> {
    type Output = FairPermit<'a>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let FairAcquire { sema, permits, ref mut ticket } = *self;
        let taken = sema.with_state(|state| {
            let taken = state.take(*ticket, permits);
            match taken {
                Some(_) => *ticket = None,
                None => state.register(ticket, cx.waker()),
            }
            taken
        });
        match taken {
            Some(next) => {
                next.into_iter().for_each(Waker::wake);
                Poll::Ready(FairPermit { sema, permits })
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for FairAcquire<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.sema.with_state(|state| state.cancel(ticket)); //~
        }
    }
}

pub struct FairPermit<'a> {
    sema: &'a FairSemaphore,
    permits: usize,
}

impl Drop for FairPermit<'_> {
    fn drop(&mut self) {
        self.sema.release(self.permits);
    }
}
