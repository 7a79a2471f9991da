//! `drop-in --api`: nothing of the originals' public interfaces is missing in the stand-ins.

mod canonical;
mod listing;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use super::package::{self, scratch};
use super::shims::{SHIMS, Shim};
use crate::table::{Align, Table};
use crate::workspace::{cargo, run as execute};
use listing::Listing;

/// What may be missing, and why it does no harm. A line that starts with the text is accepted.
const ACCEPTED: &[(&str, &str)] =
    &[("impl Drop for", "the fields have destructors of their own; nobody can call this one")];

/// Compares each stand-in with its original; the exit status is 1 if anything is missing.
pub(super) fn run() -> Result<ExitCode> {
    let mut table = Table::new([
        ("crate", Align::Left),
        ("version", Align::Left),
        ("items", Align::Right),
        ("missing", Align::Right),
        ("accepted", Align::Right),
        ("features missing", Align::Right),
    ]);
    let mut all_there = true;
    for shim in SHIMS {
        let original = package::fetch(shim.name, shim.version)?;
        let theirs = document(&original.copy()?, shim)?;
        let ours = document(&shim.directory(), shim)?;
        let (accepted, missing): (Vec<_>, Vec<_>) =
            theirs.lines.difference(&ours.lines).partition(|line| accepted(line));
        for line in &missing {
            println!("{} {}: missing: {line}", shim.name, shim.version);
        }
        let features = missing_features(&original, shim)?;
        for feature in &features {
            println!("{} {}: missing: feature {feature}", shim.name, shim.version);
        }
        all_there &= missing.is_empty() && features.is_empty();
        let counts = [theirs.lines.len(), missing.len(), accepted.len(), features.len()];
        let [items, missing, accepted, features] = counts.map(|n| n.to_string());
        let (name, version) = (shim.name.to_owned(), shim.version.to_owned());
        table.row([name, version, items, missing, accepted, features]);
    }
    print!("\n{table}");
    for (start, reason) in ACCEPTED {
        println!("accepted: \"{start} ...\": {reason}");
    }
    Ok(if all_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn accepted(line: &str) -> bool {
    ACCEPTED.iter().any(|(start, _)| line.starts_with(start))
}

fn missing_features(original: &package::Package, shim: &Shim) -> Result<Vec<String>> {
    let ours = package::local(&shim.directory())?;
    let missing = original.features().filter(|feature| !ours.features().any(|f| f == *feature));
    Ok(missing.map(str::to_owned).collect())
}

/// The public interface of the package in `directory`, with all features, as rustdoc sees it.
fn document(directory: &Path, shim: &Shim) -> Result<Listing> {
    let build = scratch().join("api");
    let mut command = cargo(&["rustdoc", "--quiet", "--lib", "--all-features"]);
    let spec = format!("{}@{}", shim.name, shim.version);
    command.current_dir(directory).args(["--package", &spec, "--"]);
    command.args(["-Zunstable-options", "--output-format=json", "--cap-lints=allow"]);
    // rustdoc's JSON is not stable yet; this lets a stable rustdoc write it.
    command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &build);
    execute(&mut command)?;
    let path = build.join("doc").join(shim.name).with_extension("json");
    let text = fs::read(&path).with_context(|| format!("{}", path.display()))?;
    let document: Value = serde_json::from_slice(&text).context("rustdoc's JSON")?;
    Listing::of(&document)
}
