//! Parts of the documentation that a verb writes: between two marks that name the verb.

use std::fs;

use anyhow::{Context, Result};

use crate::workspace::root;

/// Replaces what is between the marks of `name` in the file at `path`, from the root.
///
/// # Errors
/// If the file cannot be read or written, or lacks the marks.
pub(crate) fn write(path: &str, name: &str, text: &str) -> Result<()> {
    let file = root().join(path);
    let old = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
    let new = replaced(&old, name, text).with_context(|| format!("{path} has no part {name}"))?;
    fs::write(&file, new).with_context(|| format!("{}", file.display()))?;
    println!("wrote {path}: {name}");
    Ok(())
}

/// Writes a file at `path`, from the root.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn file(path: &str, text: &str) -> Result<()> {
    let file = root().join(path);
    fs::create_dir_all(file.parent().unwrap_or(root()))?;
    fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
    println!("wrote {path}");
    Ok(())
}

fn replaced(old: &str, name: &str, text: &str) -> Option<String> {
    // The first mark ends with the verb that writes the part.
    let start = old.find(&format!("<!-- {name}: begin"))?;
    let start = start + old[start..].find("-->\n")? + "-->\n".len();
    let end = start + old[start..].find(&format!("<!-- {name}: end -->"))?;
    Some(format!("{}\n{}\n\n{}", &old[..start], text.trim(), &old[end..]))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn replaces_what_is_between() {
        let old = "a\n<!-- x: begin (verb) -->\nold\n<!-- x: end -->\nb\n";
        let new = "a\n<!-- x: begin (verb) -->\n\nnew\n\n<!-- x: end -->\nb\n";
        assert_eq!(replaced(old, "x", "new\n").as_deref(), Some(new));
        assert_eq!(replaced(new, "x", "new").as_deref(), Some(new));
        assert_eq!(replaced(old, "y", "new"), None);
    }
}
