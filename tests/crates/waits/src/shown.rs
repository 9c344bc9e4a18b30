//! What is printed through a guard is read, and seen.
use std::cell::RefCell;
use std::rc::Rc;
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local, yield_now};

#[derive(Default)]
struct Panel {
    title: RefCell<String>,
    body: RefCell<Vec<String>>,
}

fn open(panel: Rc<Panel>, page: String) {
    panel.title.replace(page.clone()); //~
    spawn_local(async move {
        yield_now().await;
        panel.body.borrow_mut().insert(0, page);
        println!("{:?}: {:?}", panel.title.borrow(), panel.body.borrow()); //~
    });
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (_opener, mut pages) = mpsc::channel::<String>(4);
    let panel = Rc::new(Panel::default());
    let read = async move {
        while let Some(page) = pages.recv().await {
            open(panel.clone(), page);
        }
    };
    LocalSet::new().run_until(read).await;
}
