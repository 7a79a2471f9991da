//! Proof that a program stands on our crates.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::shims::{SHIMS, patches};
use crate::workspace::cargo;

/// Checks the graph of the package in `directory`: `stands_on` is in it, and no copy of the crates
/// that we stand in for.
pub(super) fn check(directory: &Path, flags: &[&str], stands_on: &str) -> Result<()> {
    let path = directory.join("Cargo.lock");
    let lock = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    if let Some((name, version)) = originals(&lock).next() {
        bail!(
            "{name} {version} of RustCrypto is still in the graph: the patch is not used for it. If \
             it is newer than the stand-in in compat/, that needs an update"
        );
    }

    // `cargo tree -i` says what depends on it. Flags that choose targets are not for it.
    let features = flags.iter().filter(|flag| flag.contains("feature"));
    let mut command = cargo(&["tree", "--invert", stands_on, "--depth", "1"]);
    command.current_dir(directory).args(patches()).args(features);
    let output = command.output().context("cannot run cargo tree")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found = output.status.success() && text.starts_with(stands_on);
    ensure!(found, "{stands_on} is not in the graph");
    Ok(())
}

/// Packages of a lock file that have the name of a stand-in, but come from a registry.
fn originals(lock: &str) -> impl Iterator<Item = (&str, &str)> {
    lock.split("[[package]]").filter_map(|package| {
        let field = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.map(|value| value.trim_matches('"'))
        };
        let (name, version) = (field("name")?, field("version")?);
        let ours = SHIMS.iter().any(|shim| shim.name == name);
        (ours && field("source").is_some()).then_some((name, version))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_originals() {
        let lock = "version = 4\n\n[[package]]\nname = \"chacha20\"\nversion = \"0.9.1\"\n\n\
                    [[package]]\nname = \"cipher\"\nversion = \"0.4.4\"\nsource = \"registry\"\n\n\
                    [[package]]\nname = \"poly1305\"\nversion = \"0.8.0\"\nsource = \"registry\"\n";
        assert_eq!(originals(lock).collect::<Vec<_>>(), [("poly1305", "0.8.0")]);
    }
}
