//! `drop-in --features`: the stand-ins compile with every set of their features.

use std::process::ExitCode;

use anyhow::Result;

use super::package::{self, scratch};
use super::shims::{SHIMS, Shim};
use crate::workspace::{cargo, run as execute};

/// Checks all sets of features of all stand-ins, warnings denied.
pub(super) fn run() -> Result<ExitCode> {
    for shim in SHIMS {
        let package = package::local(&shim.directory())?;
        let features: Vec<_> = package.features().filter(|name| *name != "default").collect();
        let sets = 1 << features.len();
        println!("{} {}: {sets} sets of {} features", shim.name, shim.version, features.len());
        for set in 0..sets {
            let chosen = features.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            let chosen: Vec<_> = chosen.map(|(_, &name)| name).collect();
            check(shim, &chosen.join(","))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check(shim: &Shim, features: &str) -> Result<()> {
    let spec = format!("{}@{}", shim.name, shim.version);
    let mut command = cargo(&["check", "--quiet", "--lib", "--no-default-features"]);
    command
        .current_dir(shim.directory())
        .args(["--package", &spec, "--features", features])
        .env("CARGO_TARGET_DIR", scratch().join("features"))
        .env("RUSTFLAGS", "--deny warnings");
    execute(&mut command)
}
