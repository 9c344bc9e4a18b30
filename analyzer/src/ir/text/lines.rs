//! Byte offsets to lines and columns.

/// Where the lines of a text begin.
pub(super) struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
    /// The bytes that begin no character, so that a place in a long line is found without going through the line.
    inner: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub fn new(source: &'s str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let inner = (0..source.len()).filter(|&i| !source.is_char_boundary(i)).collect();
        Lines { source, starts, inner }
    }

    /// How many characters there are before a byte offset.
    fn characters(&self, offset: usize) -> usize {
        offset - self.inner.partition_point(|&i| i < offset)
    }

    /// Line and column (in characters), both from 1, of a byte offset.
    pub fn place(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.source.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let column = self.characters(offset) - self.characters(self.starts[line - 1]) + 1;
        (line as u32, column as u32)
    }

    /// The byte offset of a line and column; the inverse of [`Lines::place`].
    pub fn offset(&self, line: u32, column: u32) -> usize {
        let start = self.starts[line as usize - 1];
        let rest = &self.source[start..];
        start + rest.char_indices().nth(column as usize - 1).map_or(rest.len(), |(i, _)| i)
    }
}
