//! Files that are written as a whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file. What was there before stays until all of the new text is on the disk.
///
/// # Errors
/// What the system says; then nothing has changed.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    // A device, a pipe or a link is written to, not replaced.
    if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
        return fs::write(path, text);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = builder().tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// With the permissions that other programs give to new files, rather than those of a secret.
fn builder() -> tempfile::Builder<'static, 'static> {
    #[allow(unused_mut)]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_and_nothing_else_appears() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for text in ["one", "", "three"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("absent/a.txt"), "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_they_could_read_otherwise() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, usual) = (folder.path().join("a"), folder.path().join("b"));
        write(&ours, "").unwrap();
        fs::write(&usual, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(ours), mode(usual));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, "text").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "text");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
