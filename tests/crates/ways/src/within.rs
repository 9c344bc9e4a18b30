//! Futures that are declared in a function, and by a macro: none of them is the future of anybody else's.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

macro_rules! never {
    ($name:ident) => {
        #[allow(dead_code)]
        struct $name;

        impl Future for $name {
            type Output = ();
            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
                Poll::Pending
            }
        }
    };
}

pub async fn yielded() {
    struct Once(bool);
    never!(Never);
    impl Future for Once {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            if self.0 {
                return Poll::Ready(());
            }
            self.0 = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    }
    Once(false).await;
}

#[derive(Default)]
pub struct Seats {
    left: Mutex<u32>,
}

impl Seats {
    async fn sold(&self) -> bool {
        *self.left.lock().unwrap() > 0 //~
    }
    fn sell(&self) -> impl Future<Output = ()> + '_ {
        async {
            *self.left.lock().unwrap() -= 1; //~
        }
    }
    pub async fn take(&self) -> bool {
        if self.sold().await {
            yielded().await;
            self.sell().await;
            return true;
        }
        false
    }

    pub async fn take_at_once(&self) -> bool {
        let mut left = self.left.lock().unwrap();
        let any = *left > 0;
        *left -= u32::from(any); //~
        any
    }
}
