//! `ci`: everything that CI runs, in order.

mod features;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::table::{Align, Table};
use crate::workspace::{cargo, root, run as execute, target};

/// Run everything that CI runs, in order, each step timed.
///
/// A failed step does not stop the later ones; the exit status is 1 if any failed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this step only (may be given more than once); see --list.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// List the steps and run nothing.
    #[arg(long)]
    list: bool,
}

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<()>,
}

/// In this order: what fails fastest first. The emulated tests are the tests' own build; vectors,
/// machine code, example and benches share the release profile with this program.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "the sources are formatted",
        run: || execute(&mut cargo(&["fmt", "--all", "--check"])),
    },
    Step {
        name: "clippy",
        about: "no lint warns, in any target, with all features",
        run: || {
            let flags = ["--workspace", "--all-targets", "--all-features", "--locked"];
            execute(cargo(&["clippy"]).args(flags).args(["--", "--deny", "warnings"]))
        },
    },
    Step {
        name: "doc",
        about: "the documentation builds without a warning",
        run: || {
            let flags = ["doc", "--workspace", "--no-deps", "--all-features", "--locked"];
            execute(cargo(&flags).env("RUSTDOCFLAGS", "--deny warnings"))
        },
    },
    Step { name: "test", about: "unit and integration tests, by cargo-nextest", run: nextest },
    Step {
        name: "doctest",
        about: "the examples in the documentation",
        run: || {
            let flags = ["test", "--doc", "--workspace", "--all-features", "--locked"];
            execute(&mut cargo(&flags))
        },
    },
    Step {
        name: "features",
        about: "each crate compiles without features, and with each feature alone",
        run: features::run,
    },
    Step { name: "no-std", about: "no crate needs std", run: || this(&["no-std"]) },
    Step {
        name: "vectors",
        about: "the published vectors on every backend",
        run: || this(&["test-vectors", "--backend", "all"]),
    },
    Step {
        name: "traces",
        about: "optimised code leaves no secret on the stack or in registers",
        run: || {
            // Link-time optimisation inlines more, and so moves what is spilled.
            for lto in ["false", "fat"] {
                let flags = ["test", "--release", "--locked", "--package", "chacha20poly1305-esp"];
                let mut command = cargo(&flags);
                command.args(["--test", "painted_stack"]);
                command.env("CARGO_PROFILE_RELEASE_LTO", lto);
                execute(command.env("CARGO_TARGET_DIR", target().join("traces")))?;
            }
            Ok(())
        },
    },
    Step {
        name: "asm",
        about: "the kernels' machine code keeps its promises",
        run: || this(&["asm"]),
    },
    Step {
        name: "ct",
        about: "no branch and no address depends on a secret, under MemorySanitizer",
        run: || this(&["ct"]),
    },
    Step {
        name: "qemu",
        about: "the tests on CPUs without AVX2 and without SSSE3",
        run: || this(&["qemu"]),
    },
    Step {
        name: "example",
        about: "the ESP example on its own capture",
        run: || {
            let flags = ["run", "--release", "--locked", "--package", "chacha20poly1305-esp"];
            execute(cargo(&flags).args(["--example", "esp_pcap"]))
        },
    },
    Step {
        name: "interop",
        about: "scapy opens what we seal, and we open what it seals",
        run: || this(&["interop", "scapy"]),
    },
    Step {
        name: "compat",
        about: "the stand-ins beside RustCrypto's crates, call by call",
        run: || {
            let mut command = cargo(&["test", "--quiet"]);
            command.current_dir(root().join("compat/tests"));
            execute(command.env("CARGO_TARGET_DIR", target().join("compat")))
        },
    },
    Step {
        name: "drop-in",
        about: "RustCrypto's own tests, and snow's, on the stand-ins",
        run: || this(&["drop-in", "--quick"]),
    },
    Step {
        name: "bench",
        about: "the benches compile, and each runs once",
        run: || {
            // With release's profile, whose dependencies are there already.
            let flags = ["bench", "--locked", "--profile", "release", "--package", "benches"];
            execute(cargo(&flags).args(["--", "--test"]))
        },
    },
];

/// A verb of this program, as its users start it.
fn this(arguments: &[&str]) -> Result<()> {
    execute(Command::new(std::env::current_exe()?).args(arguments))
}

fn nextest() -> Result<()> {
    let present = cargo(&["nextest", "--version"]).output();
    ensure!(
        present.is_ok_and(|output| output.status.success()),
        "cargo-nextest is missing; `cargo install --locked cargo-nextest` or https://nexte.st"
    );
    let flags = ["nextest", "run", "--workspace", "--all-features", "--locked"];
    execute(&mut cargo(&flags))
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.list {
        let mut table = Table::new([("step", Align::Left), ("what it checks", Align::Left)]);
        for step in STEPS {
            table.row([step.name.to_owned(), step.about.to_owned()]);
        }
        print!("{table}");
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = args.only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step {name}; there are {}", names.join(", "));
    }
    let wanted =
        |step: &&Step| args.only.is_empty() || args.only.iter().any(|name| name == step.name);

    let columns = [("step", Align::Left), ("result", Align::Left), ("seconds", Align::Right)];
    let mut table = Table::new(columns);
    let (mut total, mut failed) = (Duration::ZERO, 0);
    for step in STEPS.iter().filter(wanted) {
        println!("==> {}: {}", step.name, step.about);
        let start = Instant::now();
        let result = (step.run)();
        let time = start.elapsed();
        if let Err(error) = &result {
            println!("==> {}: {error:#}", step.name);
            failed += 1;
        }
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        table.row([step.name.to_owned(), verdict.to_owned(), seconds(time)]);
        total += time;
    }
    let verdict = if failed == 0 { "ok".to_owned() } else { format!("{failed} FAILED") };
    table.row(["total".to_owned(), verdict, seconds(total)]);
    print!("\n{table}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}
