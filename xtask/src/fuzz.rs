//! `fuzz`: the fuzz targets, each for a while.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::table::{Align, Table};
use crate::workspace;

/// Run the fuzz targets of `fuzz/`, each for some seconds.
///
/// They need cargo-fuzz and a nightly toolchain, for the sanitizers. What crashes a target is left
/// in `fuzz/artifacts`, what the targets learn in `fuzz/corpus`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long each target runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Run this target only.
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
}

/// The longest input: two packets of an ordinary MTU, or sixteen passes of the widest kernel.
const MAX_LEN: usize = 4096;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let directory = workspace::root().join("fuzz");
    ensure!(
        fuzz(&directory).arg("--version").stdout(Stdio::null()).status()?.success(),
        "cargo-fuzz or the nightly toolchain is missing; `cargo install --locked cargo-fuzz` and \
         `rustup toolchain install nightly`"
    );
    let mut targets = targets(&directory)?;
    if let Some(name) = &args.target {
        let all = targets.join(", ");
        targets.retain(|target| target == name);
        if targets.is_empty() {
            bail!("there is no target {name}; there are {all}");
        }
    }
    let mut table = Table::new([("target", Align::Left), ("result", Align::Left)]);
    let mut failed = 0;
    for target in &targets {
        println!("==> {target}, {} s", args.seconds);
        let mut command = fuzz(&directory);
        command.args(["run", target, "--"]);
        command.arg(format!("-max_total_time={}", args.seconds));
        command.args([format!("-max_len={MAX_LEN}"), "-print_final_stats=1".into()]);
        let clean = command.status()?.success();
        failed += usize::from(!clean);
        table.row([target.clone(), if clean { "clean" } else { "FAILED" }.to_owned()]);
    }
    print!("\n{table}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `cargo +nightly fuzz`. What the cargo that runs this program has set would override the
/// toolchain.
fn fuzz(directory: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "fuzz"]).current_dir(directory.parent().expect("the root"));
    for name in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC"] {
        command.env_remove(name);
    }
    command
}

/// The names of the targets: one a file.
fn targets(directory: &Path) -> Result<Vec<String>> {
    let files = directory.join("fuzz_targets");
    let mut names = Vec::new();
    for entry in files.read_dir().with_context(|| format!("{}", files.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_declared() {
        let directory = workspace::root().join("fuzz");
        let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        let targets = targets(&directory).unwrap();
        assert!(!targets.is_empty());
        for target in targets {
            assert!(manifest.contains(&format!("fuzz_targets/{target}.rs")), "{target}");
        }
    }
}
