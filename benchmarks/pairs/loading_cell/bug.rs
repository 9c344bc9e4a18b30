//! On a LocalSet, `loading` is looked at before the await and set behind it: fetched twice, and appended twice.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local};
#[derive(Default)]
struct Page { loading: Cell<bool>, items: RefCell<Vec<String>>, next: Cell<u32> }
enum Input { Scrolled, Quit }
async fn fetch(page: u32) -> Vec<String> { tokio::task::yield_now().await; vec![format!("item {page}")] }
async fn more(page: Rc<Page>) {
    if page.loading.get() { //~
        return;
    }
    let number = page.next.get(); //~
    let items = fetch(number).await;
    page.loading.set(true);
    page.items.borrow_mut().extend(items);
    page.next.set(number + 1); //~
    page.loading.set(false);
    println!("{} items", page.items.borrow().len());
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (out, mut inputs) = mpsc::channel(8);
    out.send(Input::Scrolled).await.unwrap();
    out.send(Input::Quit).await.ok();
    let page = Rc::new(Page::default());
    LocalSet::new()
        .run_until(async move {
            while let Some(input) = inputs.recv().await {
                match input {
                    Input::Scrolled => { spawn_local(more(page.clone())); }
                    Input::Quit => break,
                }
            }
        })
        .await;
}
