//! `ct`: no branch and no address depends on a secret, under MemorySanitizer.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::progress;
use crate::table::{Align, Table};
use crate::workspace;

/// Check that no branch and no address depends on a secret, and that nothing uninitialised is read.
///
/// Builds `testkit/ct` and the crates with MemorySanitizer, which reports branches and addresses that
/// depend on uninitialised memory. Keys, plaintexts and authenticators' messages are marked as
/// uninitialised, so it reports those that depend on secrets; a second run without secrets finds what
/// is really uninitialised. All operations run on every backend that this CPU has. Leaks planted on
/// each must be caught.
///
/// It sees the code after LLVM's optimiser, but not what code generation makes of it, and no
/// assembly: the rounds of the AVX2 backend that are written in it are replaced by Rust ones.
///
/// Needs a toolchain that comes with the sanitizer's runtime, as rustup's for Linux on x86-64 and
/// aarch64 do. The compiler's flag for it is unstable; RUSTC_BOOTSTRAP makes a stable one take it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this backend only.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
}

/// Eager checks would report a secret as soon as it is passed to a function. The standard library
/// is not instrumented, which is why the mismatch is allowed (see `testkit/ct/src/main.rs`).
const FLAGS: &[&str] = &[
    "-Zsanitizer=memory",
    "-Zsanitizer-recover=memory",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "-Cllvm-args=-msan-eager-checks=0",
    "--cfg=chacha20poly1305_ct",
];

/// What the sanitizer's runtime prints for each report, and what the program prints at its end.
const REPORT: &str = "WARNING: MemorySanitizer: ";
const DONE: &str = "done";

/// What is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Secret,
    Public,
}

impl Mode {
    const ALL: [Self; 2] = [Self::Secret, Self::Public];

    fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Public => "public",
        }
    }
}

/// What the program can do on this CPU.
#[derive(Default)]
struct Plan {
    backends: Vec<String>,
    operations: Vec<String>,
    /// With the mode in which it must be reported.
    leaks: Vec<(Mode, String)>,
}

/// How a run of the program ended.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    reports: usize,
    /// What went wrong, other than reports.
    fault: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let program = build()?;
    let mut plan = Plan::parse(&text(Command::new(&program))?)?;
    if let Some(name) = &args.backend {
        let all = plan.backends.join(", ");
        plan.backends.retain(|backend| backend == name);
        ensure!(!plan.backends.is_empty(), "this CPU has no backend {name}; it has {all}");
    }
    let columns = plan.backends.iter().map(|name| (name.as_str(), Align::Right));
    let mut table =
        Table::new(std::iter::once(("reports: on secrets, on others", Align::Left)).chain(columns));
    let mut faults = Vec::new();
    let bar = progress::bar((plan.operations.len() + plan.leaks.len()) * plan.backends.len());
    for operation in &plan.operations {
        let mut row = vec![operation.clone()];
        for backend in &plan.backends {
            bar.set_message(format!("{backend}: {operation}"));
            let mut counts = Vec::new();
            for mode in Mode::ALL {
                let outcome = execute(&program, backend, operation, mode)?;
                counts.push(outcome.reports.to_string());
                if outcome.reports != 0 || outcome.fault.is_some() {
                    let details = details(&program, backend, operation, mode)?;
                    faults.push(format!("{backend}: {operation}, {}: {details}", mode.name()));
                }
            }
            row.push(counts.join(", "));
            bar.inc(1);
        }
        table.row(row);
    }
    for (mode, leak) in &plan.leaks {
        let mut row = vec![format!("planted: {leak}")];
        for backend in &plan.backends {
            let outcome = execute(&program, backend, leak, *mode)?;
            let caught = outcome.reports != 0 && outcome.fault.is_none();
            row.push(if caught { "caught" } else { "MISSED" }.to_owned());
            if !caught {
                let why = outcome.fault.unwrap_or_else(|| "no report".to_owned());
                faults.push(format!("{backend}: the planted leak ({leak}) is not caught: {why}"));
            }
            bar.inc(1);
        }
        table.row(row);
    }
    bar.finish_and_clear();
    print!("{table}");
    faults.iter().for_each(|fault| println!("FAILED {fault}"));
    let operations = plan.operations.len();
    println!("{operations} operations, {} backends, {} faults", plan.backends.len(), faults.len());
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Plan {
    fn parse(text: &str) -> Result<Self> {
        let mut plan = Self::default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("backend", name)) => plan.backends.push(name.to_owned()),
                Some(("operation", name)) => plan.operations.push(name.to_owned()),
                Some(("leak-secret", name)) => plan.leaks.push((Mode::Secret, name.to_owned())),
                Some(("leak-public", name)) => plan.leaks.push((Mode::Public, name.to_owned())),
                _ => bail!("testkit/ct says {line:?}"),
            }
        }
        let planted = |mode| plan.leaks.iter().any(|(leak, _)| *leak == mode);
        ensure!(!plan.backends.is_empty() && !plan.operations.is_empty(), "nothing to check");
        ensure!(Mode::ALL.into_iter().all(planted), "a check without a planted leak");
        Ok(plan)
    }
}

/// Builds the program; its path.
fn build() -> Result<PathBuf> {
    let rustc = || Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let mut command = rustc();
    command.args(["--version", "--verbose"]);
    let version = text(command)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    let mut command = rustc();
    command.args(["--print", "target-libdir"]);
    let libraries = text(command)?;
    ensure!(
        has_runtime(Path::new(libraries.trim()))?,
        "this toolchain has no MemorySanitizer for {host}; rustup's for x86_64-unknown-linux-gnu and \
         aarch64-unknown-linux-gnu have"
    );

    let directory = workspace::target().join("ct");
    // With a target, the flags are for it alone, not for build scripts.
    let flags = ["build", "--release", "--locked", "--target", host];
    let mut command = workspace::cargo(&flags);
    command.current_dir(workspace::root().join("testkit/ct"));
    command.env("CARGO_TARGET_DIR", &directory).env("RUSTC_BOOTSTRAP", "1");
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", FLAGS.join(" "));
    workspace::run(&mut command)?;
    Ok(directory.join(host).join("release/ct"))
}

fn has_runtime(libraries: &Path) -> Result<bool> {
    let files = libraries.read_dir().with_context(|| libraries.display().to_string())?;
    for file in files {
        if file?.file_name().to_string_lossy().ends_with("_rt.msan.a") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a command prints.
fn text(mut command: Command) -> Result<String> {
    let output = command.output().with_context(|| workspace::shown(&command))?;
    ensure!(
        output.status.success(),
        "{} failed ({})\n{}",
        workspace::shown(&command),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

fn start(program: &Path, backend: &str, operation: &str, mode: Mode, options: &str) -> Command {
    let mut command = Command::new(program);
    command.args([backend, operation, mode.name()]).env("MSAN_OPTIONS", options);
    command
}

/// One run of the program, which goes on after a report.
fn execute(program: &Path, backend: &str, operation: &str, mode: Mode) -> Result<Outcome> {
    let output = start(program, backend, operation, mode, "symbolize=0")
        .output()
        .with_context(|| program.display().to_string())?;
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ok(judge(&stdout, &stderr, output.status.success()))
}

/// The status is a failure after reports, too, so it means something without any only.
fn judge(stdout: &str, stderr: &str, success: bool) -> Outcome {
    let reports = stderr.lines().filter(|line| line.contains(REPORT)).count();
    let ended = stdout.lines().last() == Some(DONE) && (success || reports != 0);
    let last = stderr.lines().last().unwrap_or("no message");
    Outcome { reports, fault: (!ended).then(|| format!("did not end well: {last}")) }
}

/// What the program says up to its first report, with the names of functions where there is a
/// symboliser.
fn details(program: &Path, backend: &str, operation: &str, mode: Mode) -> Result<String> {
    let options = "halt_on_error=1:allow_addr2line=1";
    let output = start(program, backend, operation, mode, options).output()?;
    Ok(String::from_utf8_lossy(&output.stderr).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes() {
        let report = format!("==7=={REPORT}use-of-uninitialized-value\n    #0 in main\n");
        let clean = Outcome { reports: 0, fault: None };
        assert_eq!(judge("done\n", "", true), clean);
        assert_eq!(judge("the bit is set\ndone\n", "", true), clean);
        assert_eq!(judge("done\n", &report.repeat(2), false), Outcome { reports: 2, fault: None });
        let lost = judge("", "ct: ciphertext: lost track of the secrets\n", false);
        assert_eq!(lost.reports, 0);
        assert!(lost.fault.unwrap().ends_with("lost track of the secrets"));
        assert!(judge("done\n", "", false).fault.is_some());
        assert!(judge("", "", true).fault.is_some());
        assert!(judge("", &report, false).fault.is_some());
    }

    #[test]
    fn plans() {
        let text = "backend soft\noperation a, b\nleak-secret index\nleak-public read\n";
        let plan = Plan::parse(text).unwrap();
        assert_eq!((plan.backends, plan.operations), (vec!["soft".into()], vec!["a, b".into()]));
        for missing in text.lines() {
            assert!(Plan::parse(&text.replace(&format!("{missing}\n"), "")).is_err(), "{missing}");
        }
        assert!(Plan::parse("Segmentation fault").is_err());
    }
}
