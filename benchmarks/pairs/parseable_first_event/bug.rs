// Source: parseablehq/parseable pull request #142 (Lock metadata on first event)
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, RwLock};

use anyhow::{anyhow, bail, ensure, Result};
use async_trait::async_trait;
use once_cell::sync::Lazy;

pub type Schema = BTreeSet<String>;
pub type RecordBatch = Vec<(String, String)>;

#[async_trait]
pub trait ObjectStorage: Send + Sync + 'static {
    async fn put_schema(&self, stream_name: String, schema: &Schema) -> Result<()>;
}

#[derive(Default)]
pub struct LogStreamMetadata {
    pub schema: Option<Schema>,
}

// A read-write lock to allow multiple reads while and isolated write
pub static STREAM_INFO: Lazy<RwLock<HashMap<String, LogStreamMetadata>>> = Lazy::new(Default::default);
pub static STREAM_WRITERS: Lazy<Mutex<HashMap<String, Vec<RecordBatch>>>> = Lazy::new(Default::default);

// It is very unlikely that panic will occur when dealing with metadata.
pub const LOCK_EXPECT: &str = "no method in metadata should panic while holding a lock";

pub fn add_stream(stream_name: String) {
    let mut map = STREAM_INFO.write().expect(LOCK_EXPECT);
    map.entry(stream_name).or_default();
}

pub fn stream_schema(stream_name: &str) -> Result<Option<Schema>> {
    let map = STREAM_INFO.read().expect(LOCK_EXPECT);
    map.get(stream_name)
        .ok_or_else(|| anyhow!("stream {stream_name} not found"))
        .map(|metadata| metadata.schema.to_owned())
}

pub fn set_schema(stream_name: &str, schema: Schema) -> Result<()> {
    let mut map = STREAM_INFO.write().expect(LOCK_EXPECT);
    map.get_mut(stream_name)
        .ok_or_else(|| anyhow!("stream {stream_name} not found"))
        .map(|metadata| {
            metadata.schema.replace(schema);
        })
}

pub fn records(stream_name: &str) -> usize {
    let writers = STREAM_WRITERS.lock().expect(LOCK_EXPECT);
    writers.get(stream_name).map_or(0, |writer| writer.len())
}

// append to a existing stream
fn append_to_local(stream_name: &str, record: RecordBatch) -> Result<()> {
    let mut writers = STREAM_WRITERS.lock().expect(LOCK_EXPECT);
    writers.entry(stream_name.to_string()).or_default().push(record);
    Ok(())
}

// create a new entry with new stream_writer
fn create_entry(stream_name: String, record: RecordBatch) -> Result<()> {
    let mut writers = STREAM_WRITERS.lock().expect(LOCK_EXPECT);
    if writers.contains_key(&stream_name) {
        bail!("the file of {stream_name} exists");
    }
    writers.insert(stream_name, vec![record]);
    Ok(())
}

pub struct Event {
    pub body: RecordBatch,
    pub stream_name: String,
}

impl Event {
    pub async fn process(&self, storage: &Arc<dyn ObjectStorage>) -> Result<u64> {
        let inferred_schema: Schema = self.body.iter().map(|(name, _)| name.clone()).collect();

        if let Some(existing_schema) = stream_schema(&self.stream_name)? {
            // validate schema before processing the event
            ensure!(existing_schema == inferred_schema, "schema mismatch");
            self.process_event()
        } else {
            // if stream schema is none then it is first event,
            // process first event and store schema in obect store
            self.process_first_event(inferred_schema, storage).await
        }
    }

    // This is called when the first event of a log stream is received. The first event is
    // special because we parse this event to generate the schema for the log stream. This
    // schema is then enforced on rest of the events sent to this log stream.
    async fn process_first_event(&self, schema: Schema, storage: &Arc<dyn ObjectStorage>) -> Result<u64> {
        let stream_name = &self.stream_name;

        // Store record batch on local cache
        create_entry(stream_name.clone(), self.body.clone()).unwrap(); //~

        // Put the inferred schema to object store
        storage.put_schema(stream_name.clone(), &schema).await?;

        // set the schema in memory for this stream
        set_schema(stream_name, schema)?; //~

        Ok(0)
    }

    // event process all events after the 1st event.
    fn process_event(&self) -> Result<u64> {
        append_to_local(&self.stream_name, self.body.clone())?;
        Ok(0)
    }
}
