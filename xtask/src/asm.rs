//! `asm`: what the compiler made of the kernels.

mod kernels;
mod listing;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::table::{Align, Table};
use crate::workspace;
use kernels::{FORBIDDEN, KERNELS, Kernel};
use listing::Function;

/// Check the machine code of the SIMD kernels.
///
/// Builds the crates as their users do (release profile, default features) and reads the kernels
/// with objdump. A kernel must exist, call nothing but other kernels (an intrinsic that is not
/// inlined costs more than it computes), use the instructions that its backend stands for, and never gather, scatter
/// or divide (whose time or cache lines depend on data).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print each kernel's instructions.
    #[arg(long)]
    show: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut columns = vec![("kernel", Align::Left), ("instructions", Align::Right)];
    columns.extend([("promised", Align::Left), ("result", Align::Left)]);
    let mut table = Table::new(columns);
    let mut faults = Vec::new();
    for package in kernels::PACKAGES {
        let functions = listing::parse(&disassemble(package)?);
        let outlined = functions.iter().filter(|function| is_outlined(&function.name));
        faults.extend(
            outlined.map(|function| format!("{package}: {} is not inlined", function.name)),
        );
        for kernel in KERNELS.iter().filter(|kernel| kernel.package == package) {
            let found: Vec<_> =
                functions.iter().filter(|function| function.name == kernel.symbol).collect();
            let bad = check(kernel, &found);
            let count: usize = found.iter().map(|function| function.instructions.len()).sum();
            let promised: Vec<_> = kernel.promised.iter().map(|p| p.count(&found)).collect();
            let verdict = if bad.is_empty() { "ok" } else { "FAILED" };
            table.row([
                kernel.symbol.to_owned(),
                count.to_string(),
                promised.join(", "),
                verdict.to_owned(),
            ]);
            faults.extend(bad.into_iter().map(|fault| format!("{}: {fault}", kernel.symbol)));
            if args.show {
                found.iter().for_each(|function| print!("{function}"));
            }
        }
    }
    print!("{table}");
    for fault in &faults {
        println!("FAILED {fault}");
    }
    println!("{} kernels, {} faults", KERNELS.len(), faults.len());
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether this is an intrinsic that was not inlined, whatever the kernels look like. Those that
/// detect the CPU run once in a process.
fn is_outlined(name: &str) -> bool {
    let detection = ["core::core_arch::x86::cpuid::", "core::core_arch::x86::xsave::"];
    name.starts_with("core::core_arch::") && !detection.iter().any(|path| name.starts_with(path))
}

/// What is wrong with a kernel.
fn check(kernel: &Kernel, found: &[&Function]) -> Vec<String> {
    if found.is_empty() {
        return vec!["not found".to_owned()];
    }
    let mut faults = Vec::new();
    for function in found {
        let is_kernel = |name: &str| {
            KERNELS.iter().any(|other| other.package == kernel.package && other.symbol == name)
        };
        let strangers = function.callees.iter().filter(|callee| !is_kernel(callee));
        faults.extend(strangers.map(|callee| format!("calls {callee}")));
        for instruction in &function.instructions {
            if FORBIDDEN.iter().any(|prefix| instruction.mnemonic.starts_with(prefix)) {
                faults.push(format!("uses {instruction}"));
            }
        }
    }
    for promise in kernel.promised {
        if promise.find(found) == 0 {
            faults.push(format!("has no {promise}"));
        }
    }
    faults.sort();
    faults.dedup();
    faults
}

/// One line of cargo's messages; other kinds have no `filenames`.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    filenames: Vec<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// The machine code of a package's library.
fn disassemble(package: &str) -> Result<String> {
    let flags = ["build", "--release", "--locked", "--lib", "--message-format", "json"];
    let mut command = workspace::cargo(&flags);
    let output = command
        .args(["--package", package])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "{} failed", workspace::shown(&command));
    let library = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok())
        .filter(|message| {
            message.target.as_ref().is_some_and(|t| t.name == package.replace('-', "_"))
        })
        .flat_map(|message| message.filenames)
        .find(|path| path.extension().is_some_and(|extension| extension == "rlib"))
        .with_context(|| format!("cargo names no library of {package}"))?;
    let flags = ["--disassemble", "--reloc", "--demangle", "--no-show-raw-insn", "-M", "intel"];
    let output = Command::new("objdump")
        .args(flags)
        .arg(&library)
        .stderr(Stdio::null())
        .output()
        .context("cannot run objdump; on Debian it is in the package binutils")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A good kernel passes, and each kind of fault is found.
    #[test]
    fn faults_are_found() {
        let kernel = Kernel {
            package: "p",
            symbol: "p::k",
            promised: &[kernels::Promise { mnemonic: "vprold", register: "zmm" }],
        };
        let faults = |text: &str| {
            let functions = listing::parse(text);
            check(&kernel, &functions.iter().collect::<Vec<_>>())
        };
        let head = "0000000000000000 <p::k>:\n";
        assert_eq!(faults(""), ["not found"]);
        assert_eq!(faults(&format!("{head}   0:\tvprold zmm0,zmm1,0x10\n")), [""; 0]);
        assert_eq!(faults(&format!("{head}   0:\tvprold ymm0,ymm1,0x10\n")), ["has no vprold zmm"]);
        let call = "   0:\tvprold zmm0,zmm1,0x10\n   7:\tcall   c <p::k+0xc>\n\t\t\t8: R_X86_64_PLT32\tmemcpy-0x4\n";
        assert_eq!(faults(&format!("{head}{call}")), ["calls memcpy"]);
        let gather = "   0:\tvprold zmm0,zmm1,0x10\n   7:\tvpgatherdd zmm0{k1},[rax+zmm1*4]\n";
        assert_eq!(faults(&format!("{head}{gather}")), ["uses vpgatherdd zmm0{k1},[rax+zmm1*4]"]);
    }
}
