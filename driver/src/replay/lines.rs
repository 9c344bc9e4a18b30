//! Which code belongs to which place in the source: rows of the line table.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use robust_analyzer::ir::SourcePlace;
use robust_runtime::worker::CodeRange;

/// A row: code from an address up to another one, and where in the source it comes from.
#[derive(Clone, Debug)]
pub struct Row {
    pub low: u64,
    pub high: u64,
    /// Index into [`Rows::files`].
    pub file: usize,
    pub line: u32,
    pub column: u32,
}

/// The line table of an executable, for the files of interest.
pub struct Rows {
    pub files: Vec<PathBuf>,
    pub rows: Vec<Row>,
}

type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;

impl Rows {
    /// Reads the rows of files that are below a folder.
    pub fn read(executable: &Path, below: &Path) -> Option<Rows> {
        let data = fs::read(executable).ok()?;
        let object = object::File::parse(&*data).ok()?;
        let section = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let found = object.section_by_name(id.name()).and_then(|section| section.data().ok());
            Ok(Reader::new(found.unwrap_or_default().into(), gimli::LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(section).ok()?;
        let mut all = Rows { files: Vec::new(), rows: Vec::new() };
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Ok(unit) = dwarf.unit(header) {
                let _ = all.unit(&dwarf, &unit, below);
            }
        }
        Some(all)
    }

    fn unit(
        &mut self,
        dwarf: &gimli::Dwarf<Reader>,
        unit: &gimli::Unit<Reader>,
        below: &Path,
    ) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let folder = unit.comp_dir.as_ref().map(text).unwrap_or_default();
        let mut names: HashMap<u64, Option<usize>> = HashMap::new();
        let mut last: Option<Row> = None;
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            if let Some(before) = last.take().filter(|before| row.address() > before.low) {
                self.rows.push(Row { high: row.address(), ..before });
            }
            if row.end_sequence() {
                continue;
            }
            let file = match names.get(&row.file_index()) {
                Some(&known) => known,
                None => {
                    let path = row.file(header).and_then(|file| {
                        let mut path = PathBuf::from(&folder);
                        if let Some(directory) = file.directory(header) {
                            path.push(text(&dwarf.attr_string(unit, directory).ok()?));
                        }
                        path.push(text(&dwarf.attr_string(unit, file.path_name()).ok()?));
                        Some(path)
                    });
                    let known = path.filter(|path| path.starts_with(below)).map(|path| self.file(path));
                    names.insert(row.file_index(), known);
                    known
                }
            };
            let column = match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(column) => column.get() as u32,
            };
            let line = row.line().map_or(0, |line| line.get() as u32);
            last = file.map(|file| Row { low: row.address(), high: 0, file, line, column });
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf) -> usize {
        self.files.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.files.push(path);
            self.files.len() - 1
        })
    }

    /// The code of these places; a row belongs to the smallest place that has it.
    pub fn ranges(&self, root: &Path, places: &[SourcePlace]) -> Vec<CodeRange> {
        let files: Vec<Option<usize>> = places
            .iter()
            .map(|place| {
                let path = root.join(&place.file);
                self.files.iter().position(|file| *file == path)
            })
            .collect();
        let mut ranges = Vec::new();
        for row in &self.rows {
            let has = |(at, place): &(usize, &SourcePlace)| {
                files[*at] == Some(row.file)
                    && (place.line, place.column) <= (row.line, row.column)
                    && (row.line, row.column) < (place.end_line, place.end_column)
            };
            let size = |place: &SourcePlace| {
                (
                    place.end_line - place.line,
                    if place.end_line == place.line { place.end_column - place.column } else { 0 },
                )
            };
            let best = places.iter().enumerate().filter(has).min_by_key(|(_, place)| size(place));
            if let Some((at, _)) = best {
                ranges.push(CodeRange { low: row.low, high: row.high, place: at as u32 });
            }
        }
        ranges
    }

    /// Every line of these files, a place each.
    pub fn all_lines(&self, wanted: impl Fn(&Path, u32) -> bool) -> (Vec<CodeRange>, Vec<(PathBuf, u32)>) {
        let mut places: Vec<(usize, u32)> = Vec::new();
        let mut known: HashMap<(usize, u32), u32> = HashMap::new();
        let mut ranges = Vec::new();
        for row in self.rows.iter().filter(|row| wanted(&self.files[row.file], row.line)) {
            let place = *known.entry((row.file, row.line)).or_insert_with(|| {
                places.push((row.file, row.line));
                places.len() as u32 - 1
            });
            ranges.push(CodeRange { low: row.low, high: row.high, place });
        }
        (ranges, places.into_iter().map(|(file, line)| (self.files[file].clone(), line)).collect())
    }
}

fn text(reader: &Reader) -> String {
    use gimli::Reader as _;
    reader.to_string_lossy().map(|text| text.into_owned()).unwrap_or_default()
}
