// What is told is told under the lock under which the services change.
use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, RwLock};

pub enum Command {
    Announce(String),
    Goodbye(String),
}

#[derive(Clone)]
pub struct Responder {
    services: Arc<RwLock<HashMap<String, u16>>>,
    commands: Sender<Command>,
}

pub struct Service {
    name: String,
    responder: Responder,
}

impl Responder {
    pub fn new(commands: Sender<Command>) -> Self {
        Responder { services: Arc::default(), commands }
    }

    pub fn register(&self, name: String, port: u16) -> Option<Service> {
        {
            let mut services = self.services.write().unwrap();
            if services.contains_key(&name) {
                return None;
            }
            services.insert(name.clone(), port);
            let _ = self.commands.send(Command::Announce(name.clone()));
        }
        Some(Service { name, responder: self.clone() })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let mut services = self.responder.services.write().unwrap();
        services.remove(&self.name);
        let _ = self.responder.commands.send(Command::Goodbye(self.name.clone()));
    }
}
