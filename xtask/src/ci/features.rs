//! The product crates with each set of features that a user may ask for.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::workspace::{cargo, run as execute};

/// The crates that are published.
const PRODUCTS: [&str; 3] = ["chacha20-simd", "poly1305-simd", "chacha20poly1305-esp"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    features: std::collections::BTreeMap<String, Vec<String>>,
}

/// Checks each product without features and with each feature alone.
pub(super) fn run() -> Result<()> {
    let flags = ["metadata", "--no-deps", "--locked", "--format-version", "1"];
    let output = cargo(&flags).output().context("cannot run cargo metadata")?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    for package in metadata.packages.iter().filter(|p| PRODUCTS.contains(&p.name.as_str())) {
        check(&package.name, None)?;
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            check(&package.name, Some(feature))?;
        }
    }
    Ok(())
}

fn check(package: &str, feature: Option<&str>) -> Result<()> {
    println!("{package}: {}", feature.unwrap_or("no features"));
    // Clippy and not check: it alone can turn warnings into errors without compiling the
    // dependencies anew.
    let mut command = cargo(&["clippy", "--quiet", "--locked", "--lib", "--no-default-features"]);
    command.args(["--package", package]);
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    execute(command.args(["--", "--deny", "warnings"]))
}
