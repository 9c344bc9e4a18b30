// Source: gfx-rs/wgpu commit e357e30, repaired as there: the first raw buffer is allocated in the section that finds or makes the pool; from
// then on something of the pool is in use, and maintenance leaves it alone.
use std::collections::HashMap;
use std::thread::{self, ThreadId};

use parking_lot::Mutex;

pub type SubmissionIndex = u64;

const GROW_AMOUNT: usize = 20;

#[derive(Debug, PartialEq, Eq)]
pub enum DeviceError {
    OutOfMemory,
}

#[derive(Debug, Default)]
struct RawCommandBuffer {
    commands: Vec<String>,
}

#[derive(Debug, Default)]
struct CommandPool {
    total: usize,
    available: Vec<RawCommandBuffer>,
    pending: Vec<(RawCommandBuffer, SubmissionIndex)>,
}

impl CommandPool {
    fn maintain(&mut self, last_done_index: SubmissionIndex) {
        for i in (0..self.pending.len()).rev() {
            if self.pending[i].1 <= last_done_index {
                let (cmd_buf, _) = self.pending.swap_remove(i);
                self.recycle(cmd_buf);
            }
        }
    }

    fn recycle(&mut self, mut raw: RawCommandBuffer) {
        raw.commands.clear();
        self.available.push(raw);
    }

    fn allocate(&mut self) -> RawCommandBuffer {
        if self.available.is_empty() {
            self.total += GROW_AMOUNT;
            self.available.resize_with(GROW_AMOUNT, RawCommandBuffer::default);
        }
        self.available.pop().unwrap()
    }
}

#[derive(Debug)]
struct Inner {
    pools: HashMap<ThreadId, CommandPool>,
    max_pools: usize,
    active_submission_index: SubmissionIndex,
}

#[derive(Debug)]
struct CommandAllocator {
    inner: Mutex<Inner>,
}

impl CommandAllocator {
    fn allocate(&self) -> Result<CommandBuffer, DeviceError> {
        let thread_id = thread::current().id();
        let mut inner = self.inner.lock();
        if !inner.pools.contains_key(&thread_id) {
            if inner.pools.len() >= inner.max_pools {
                return Err(DeviceError::OutOfMemory);
            }
            inner.pools.insert(thread_id, CommandPool::default());
        }
        // The first buffer has to be allocated right here, or the pool may be cleaned up by maintenance called from another thread.
        let raw = inner.pools.entry(thread_id).or_default().allocate();
        Ok(CommandBuffer { raw: vec![raw], recorded_thread_id: thread_id })
    }

    fn extend(&self, cmd_buf: &CommandBuffer) -> RawCommandBuffer {
        let mut inner = self.inner.lock();
        inner.pools.get_mut(&cmd_buf.recorded_thread_id).unwrap().allocate()
    }

    fn discard(&self, cmd_buf: CommandBuffer) {
        let mut inner = self.inner.lock();
        let pool = inner.pools.get_mut(&cmd_buf.recorded_thread_id).unwrap();
        cmd_buf.raw.into_iter().for_each(|raw| pool.recycle(raw));
    }

    fn after_submit(&self, cmd_buf: CommandBuffer) -> SubmissionIndex {
        let mut inner = self.inner.lock();
        inner.active_submission_index += 1;
        let submit_index = inner.active_submission_index;
        let pool = inner.pools.get_mut(&cmd_buf.recorded_thread_id).unwrap();
        pool.pending.extend(cmd_buf.raw.into_iter().map(|raw| (raw, submit_index)));
        submit_index
    }

    fn maintain(&self, last_done_index: SubmissionIndex) {
        let mut inner = self.inner.lock();
        inner.pools.retain(|_, pool| {
            pool.maintain(last_done_index);
            pool.total != pool.available.len()
        });
    }
}

/// What is recorded on a thread; its raw buffers belong to that thread's pool.
#[derive(Debug)]
pub struct CommandBuffer {
    raw: Vec<RawCommandBuffer>,
    recorded_thread_id: ThreadId,
}

#[derive(Debug)]
pub struct Device {
    cmd_allocator: CommandAllocator,
}

impl Device {
    pub fn new(max_pools: usize) -> Self {
        let inner = Inner { pools: HashMap::new(), max_pools, active_submission_index: 0 };
        Device { cmd_allocator: CommandAllocator { inner: Mutex::new(inner) } }
    }

    pub fn create_command_encoder(&self, label: Option<&str>) -> Result<CommandBuffer, DeviceError> {
        let mut cmd_buf = self.cmd_allocator.allocate()?;
        let raw = cmd_buf.raw.first_mut().unwrap();
        raw.commands.extend(label.map(|label| format!("label {label}")));
        raw.commands.push("begin".to_owned());
        Ok(cmd_buf)
    }

    /// A pass has a raw buffer of its own.
    pub fn record_pass(&self, cmd_buf: &mut CommandBuffer, commands: &[&str]) {
        let mut raw = self.cmd_allocator.extend(cmd_buf);
        raw.commands.extend(commands.iter().map(|command| command.to_string()));
        cmd_buf.raw.push(raw);
    }

    pub fn submit(&self, cmd_buf: CommandBuffer) -> SubmissionIndex {
        self.cmd_allocator.after_submit(cmd_buf)
    }

    pub fn discard(&self, cmd_buf: CommandBuffer) {
        self.cmd_allocator.discard(cmd_buf);
    }

    /// The GPU has done everything up to this submission.
    pub fn poll(&self, last_done_index: SubmissionIndex) {
        self.cmd_allocator.maintain(last_done_index);
    }
}
