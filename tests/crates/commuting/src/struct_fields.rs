//! Fields of what is in a map: who has to do with one of them does nothing to another one.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    Raw,
    Baking,
    Done(u64),
    Burnt,
}

#[derive(Debug)]
pub struct Cake {
    recipe: String,
    stage: Stage,
}

/// It is done only if it is still baking; nobody changes the recipe.
#[derive(Debug, Default)]
pub struct Oven {
    cakes: Mutex<HashMap<u64, Cake>>,
}

impl Oven {
    pub fn bake(&self, number: u64) {
        let recipe = {
            let mut cakes = self.cakes.lock().unwrap();
            let Some(cake) = cakes.get_mut(&number) else { return };
            if cake.stage != Stage::Raw {
                return;
            }
            cake.stage = Stage::Baking;
            cake.recipe.clone()
        };
        let weight = std::fs::read_to_string(recipe).map_or(0, |text| text.len() as u64);
        let mut cakes = self.cakes.lock().unwrap();
        if let Some(cake) = cakes.get_mut(&number)
            && cake.stage == Stage::Baking
        {
            cake.stage = Stage::Done(weight);
        }
    }

    pub fn forget(&self, number: u64) {
        if let Some(cake) = self.cakes.lock().unwrap().get_mut(&number) {
            cake.stage = Stage::Burnt;
        }
    }
}

/// What was read has been changed by others meanwhile, and is written.
#[derive(Debug, Default)]
pub struct Stove {
    cakes: Mutex<HashMap<u64, Cake>>,
}

impl Stove {
    pub fn season(&self, number: u64) {
        let Some(recipe) = self.cakes.lock().unwrap().get(&number).map(|cake| cake.recipe.clone()) else { //~
            return;
        };
        let seasoned = format!("{recipe} and salt");
        if let Some(cake) = self.cakes.lock().unwrap().get_mut(&number) { //~
            cake.recipe = seasoned;
        }
    }

    pub fn write_down(&self, number: u64, recipe: String) {
        if let Some(cake) = self.cakes.lock().unwrap().get_mut(&number) {
            cake.recipe = recipe; //~
        }
    }
}
