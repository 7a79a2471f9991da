//! Running programs at the workspace's root.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    let directory = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(directory)
}

/// The cargo that runs this program, at the root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(arguments);
    command
}

/// Runs a command to its end.
///
/// # Errors
/// If it does not start or does not end with success.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(status.success(), "{} failed ({status})", shown(command));
    Ok(())
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={:?}", name.display(), value?)));
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    variables.chain(words.map(|word| word.display().to_string())).collect::<Vec<_>>().join(" ")
}
