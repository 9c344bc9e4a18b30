// A handle is a place and a generation; the place may be given to another between the look and the change.
use parking_lot::RwLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle { index: usize, generation: u32 }

struct Slot { generation: u32, sprite: Option<String> }

#[derive(Default)]
pub struct Scene { slots: RwLock<Vec<Slot>> }

impl Scene {
    pub fn spawn(&self, sprite: &str) -> Handle {
        let mut slots = self.slots.write();
        for (index, slot) in slots.iter_mut().enumerate() {
            if slot.sprite.is_none() {
                slot.sprite = Some(sprite.to_string());
                return Handle { index, generation: slot.generation };
            }
        }
        slots.push(Slot { generation: 0, sprite: Some(sprite.to_string()) });
        Handle { index: slots.len() - 1, generation: 0 }
    }
    pub fn despawn(&self, handle: Handle) {
        if let Some(slot) = self.slots.write().get_mut(handle.index) {
            if slot.generation == handle.generation && slot.sprite.take().is_some() { slot.generation += 1; }
        }
    }
    pub fn alive(&self, handle: Handle) -> bool {
        self.slots.read().get(handle.index).is_some_and(|slot| slot.generation == handle.generation) //~
    }
    pub fn repaint(&self, handle: Handle, sprite: &str) -> bool {
        if !self.alive(handle) { return false; }
        match self.slots.write().get_mut(handle.index) {
            Some(slot) => { slot.sprite = Some(sprite.to_string()); true } //~
            None => false,
        }
    }
}
