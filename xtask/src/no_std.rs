//! `no-std`: the three crates in a program without `std`.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// Check that the three crates need no std.
///
/// Builds `testkit/no-std`, a library with its own panic handler, which a hidden `std` makes fail
/// on any target; then builds it with a `std` hidden on purpose and expects that failure. Where
/// the target x86_64-unknown-none is installed, builds for that, too.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Features that need no `std`, each with all before it.
const FEATURES: [&str; 4] = ["", "next", "next,aes-gcm", "next,aes-gcm,alloc,rand_core"];

/// A target that has no `std` at all.
const BARE: &str = "x86_64-unknown-none";

pub(crate) fn run(_: &Args) -> Result<ExitCode> {
    for features in FEATURES {
        workspace::run(&mut build(features, None))?;
    }
    check_that_it_can_fail()?;
    if installed(BARE) {
        for features in FEATURES {
            workspace::run(&mut build(features, Some(BARE)))?;
        }
    }
    println!("no std: {} builds passed, a hidden std is found", FEATURES.len());
    Ok(ExitCode::SUCCESS)
}

fn build(features: &str, target: Option<&str>) -> Command {
    let mut command = workspace::cargo(&["build", "--quiet", "--locked"]);
    command.current_dir(workspace::root().join("testkit/no-std"));
    command.env("CARGO_TARGET_DIR", workspace::target().join("no-std"));
    command.args(["--features", features]);
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    command
}

fn check_that_it_can_fail() -> Result<()> {
    let mut command = build("hidden-std", None);
    let output = command.output().context("cannot run cargo")?;
    ensure!(!output.status.success(), "a hidden std was not found: the check is broken");
    let text = String::from_utf8_lossy(&output.stderr);
    if !text.contains("panic_impl") {
        bail!("the build with a hidden std failed for another reason:\n{text}");
    }
    Ok(())
}

fn installed(target: &str) -> bool {
    let output = Command::new("rustup").args(["target", "list", "--installed"]).output();
    output.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line == target)
    })
}
