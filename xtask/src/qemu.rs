//! `qemu`: the tests on older CPUs, by emulation.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::table::{Align, Table};
use crate::workspace;

/// Run the tests on CPUs without the best instructions, under qemu-x86_64.
///
/// On each model the tests must exercise exactly the backends that the model can run: a test that
/// skips one fails (`EXPECT_BACKENDS`), and a crate in which no test says what it exercised fails,
/// too. AVX-512 has no emulation here; it is tested where a CPU has it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this model only: qemu64, core2duo or Haswell.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Run the tests of this package only.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
}

/// A CPU and what each crate can run on it. `Poly1305` has no use for SSSE3.
struct Model {
    name: &'static str,
    /// For the emulator's `-cpu`: without what it would warn that it lacks.
    cpu: &'static str,
    chacha20: &'static str,
    poly1305: &'static str,
}

const MODELS: [Model; 3] = [
    Model { name: "qemu64", cpu: "qemu64", chacha20: "soft,sse2", poly1305: "soft,sse2" },
    Model { name: "core2duo", cpu: "core2duo", chacha20: "soft,sse2,ssse3", poly1305: "soft,sse2" },
    Model {
        name: "Haswell",
        cpu: "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid",
        chacha20: "soft,sse2,ssse3,avx2",
        poly1305: "soft,sse2,avx2",
    },
];

/// A package whose tests run kernels, and which of them.
struct Package {
    name: &'static str,
    filter: &'static str,
    /// One of so many lengths is tested, for [`testkit::lengths`].
    stride: &'static str,
}

/// `xtask` carries the published vectors. The AEAD has thousands of lengths with each of 15 lengths of
/// associated data, and a message of 64 MiB: minutes under emulation, and the kernels below it are
/// tested at every length.
const PACKAGES: [Package; 4] = [
    Package { name: "chacha20-simd", filter: "package(chacha20-simd)", stride: "1" },
    Package { name: "poly1305-simd", filter: "package(poly1305-simd)", stride: "1" },
    Package {
        name: "chacha20poly1305-esp",
        filter: "package(chacha20poly1305-esp) - test(beyond_64_mib)",
        stride: "5",
    },
    Package { name: "xtask", filter: "package(xtask) & test(/^vectors::/)", stride: "1" },
];

const EMULATOR: &str = "qemu-x86_64";

/// What [`testkit::backends::expect`] prints.
const SAYS: &str = "backends exercised: ";

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let present = Command::new(EMULATOR).arg("--version").stdout(Stdio::null()).status();
    ensure!(
        present.is_ok_and(|status| status.success()),
        "{EMULATOR} is missing; on Debian it is in the package qemu-user"
    );
    let models = select(&MODELS, |model| model.name, args.model.as_deref())?;
    let packages = select(&PACKAGES, |package| package.name, args.package.as_deref())?;

    let mut columns = vec![("package", Align::Left)];
    columns.extend(models.iter().map(|model| (model.name, Align::Left)));
    let mut table = Table::new(columns);
    let mut failed = 0;
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for model in &models {
        for package in &packages {
            let name = package.name;
            println!("==> {name} on {}", model.name);
            let exercised = test(package, model).unwrap_or_else(|error| {
                println!("==> {name} on {}: {error:#}", model.name);
                failed += 1;
                "FAILED".to_owned()
            });
            rows.entry(name).or_default().push(exercised);
        }
    }
    for (package, cells) in rows {
        table.row(std::iter::once(package.to_owned()).chain(cells));
    }
    print!("\n{table}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All, or the one called `name`.
fn select<'a, T>(
    all: &'a [T],
    name_of: impl Fn(&T) -> &str,
    name: Option<&str>,
) -> Result<Vec<&'a T>> {
    let chosen: Vec<_> =
        all.iter().filter(|item| name.is_none_or(|name| name_of(item) == name)).collect();
    if let (Some(name), true) = (name, chosen.is_empty()) {
        let names: Vec<_> = all.iter().map(&name_of).collect();
        bail!("there is no {name}; there are {}", names.join(", "));
    }
    Ok(chosen)
}

/// Runs a package's tests on a model; the backends that they said they exercised.
fn test(package: &Package, model: &Model) -> Result<String> {
    let name = package.name;
    let expected = if name == "poly1305-simd" { model.poly1305 } else { model.chacha20 };
    // The build of the step before it in CI, whose assertions are on.
    let flags = ["nextest", "run", "--locked", "--workspace", "--all-features", "--no-fail-fast"];
    let runner = format!("{EMULATOR} -cpu {}", model.cpu);
    let mut command = workspace::cargo(&flags);
    command
        .args(["--filterset", package.filter, "--success-output", "immediate"])
        .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner)
        .env(testkit::lengths::VARIABLE, package.stride)
        .env(testkit::backends::VARIABLE, expected);
    let exercised = watch(&mut command)?;
    let said: Vec<_> = exercised.iter().map(String::as_str).collect();
    match said[..] {
        [one] => Ok(one.to_owned()),
        [] => bail!("no test of {name} said which backends it exercised"),
        _ => bail!("the tests of {name} disagree: {}", said.join("; ")),
    }
}

/// Runs a command, shows what it prints of failed tests, and collects what the tests say.
fn watch(command: &mut Command) -> Result<BTreeSet<String>> {
    let shown = workspace::shown(command);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {shown}"))?;
    let lines = BufReader::new(child.stderr.take().expect("piped above")).lines();
    let (mut exercised, mut in_failure) = (BTreeSet::new(), false);
    for line in lines {
        let line = line?;
        if let Some((_, names)) = line.split_once(SAYS) {
            exercised.insert(names.trim().to_owned());
        }
        let starts = |words: &[&str]| words.iter().any(|word| line.trim_start().starts_with(word));
        in_failure = starts(&["FAIL [", "SIG", "ABORT"]) || (in_failure && !starts(&["PASS ["]));
        if in_failure || starts(&["Summary", "error"]) {
            writeln!(std::io::stderr(), "{line}")?;
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "{shown} failed ({status})");
    Ok(exercised)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_run_what_the_crates_name() {
        for model in &MODELS {
            let known =
                |names: &str, all: &[&str]| names.split(',').all(|name| all.contains(&name));
            assert!(known(model.chacha20, &chacha20_simd::Backend::NAMES));
            assert!(known(model.poly1305, &poly1305_simd::Backend::NAMES));
        }
    }

    #[test]
    fn selection_names_what_there_is() {
        assert_eq!(select(&PACKAGES, |package| package.name, None).unwrap().len(), PACKAGES.len());
        let error =
            select(&PACKAGES, |package| package.name, Some("no")).err().unwrap().to_string();
        assert!(error.starts_with("there is no no; there are chacha20-simd,"));
    }
}
