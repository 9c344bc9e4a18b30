//! A RefCell is borrowed while the task sleeps, and another task borrows it.
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::LocalSet;
#[derive(Default)]
struct Scene { shapes: Vec<f32>, frames: u32 }
#[derive(Clone, Default)]
struct App { scene: Rc<RefCell<Scene>> }
impl App {
    async fn animate(self) {
        loop {
            let mut scene = self.scene.borrow_mut(); //~
            tokio::time::sleep(Duration::from_millis(16)).await;
            scene.shapes.iter_mut().for_each(|x| *x += 1.0);
            scene.frames += 1;
        }
    }
    async fn edit(self) {
        for x in 0..100u8 {
            self.scene.borrow_mut().shapes.push(f32::from(x));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let local = LocalSet::new();
    let app = App::default();
    local.spawn_local(app.clone().animate());
    local.spawn_local(app.edit());
    local.await;
}
