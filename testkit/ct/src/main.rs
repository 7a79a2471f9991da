//! One operation of the crates on one backend, on secrets that MemorySanitizer follows.
//!
//! ```text
//! ct                              prints what this CPU can run, a line each: "backend NAME", "operation NAME",
//!                                 "leak-secret NAME", "leak-public NAME"
//! ct BACKEND OPERATION secret     keys and texts are secrets; each branch and each address that
//!                                 depends on one is reported, and nothing that depends on one may
//!                                 seem public
//! ct BACKEND OPERATION public     nothing is a secret: what is reported is uninitialised memory
//! ```
//!
//! Reports go to stderr. The last line on stdout is "done" once everything has been run.
//!
//! The standard library is not instrumented: what it writes stays uninitialised to the sanitizer. So
//! this program has no `main` of Rust's, reads its arguments as C does, and leaves the library to
//! messages.

#![no_main]

mod check;
mod msan;
mod operations;
mod planted;

use core::ffi::{CStr, c_char, c_int};

use chacha20poly1305_esp::Backend;
use check::{Run, fail};

type Operation = (&'static str, fn(&Run));

/// What must give no report.
const OPERATIONS: &[Operation] = &[
    ("chacha20", operations::cipher::chacha20),
    ("chacha20, X", operations::cipher::xchacha20),
    ("chacha20, original", operations::cipher::legacy),
    ("chacha20, random numbers", operations::cipher::keystream),
    ("hchacha20", operations::cipher::hchacha20),
    ("poly1305", operations::poly1305::mac),
    ("aead, seal", operations::aead::seal),
    ("aead, open", operations::aead::open),
    ("aead, X", operations::aead::extended_nonce),
    ("aead, segments", operations::aead::segments),
    ("esp, seal", operations::esp::seal),
    ("esp, open", operations::esp::open),
];

/// What must give at least one, with secrets.
const SECRET_LEAKS: &[Operation] = &[("branch", planted::branch), ("index", planted::index)];
/// What must give at least one, without.
const PUBLIC_LEAKS: &[Operation] = &[("uninitialised", planted::uninitialised)];

#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    let argument = |i: usize| {
        if i >= count as usize {
            return None;
        }
        // SAFETY: `count` pointers to C strings, as every C program gets them.
        Some(unsafe { CStr::from_ptr(*arguments.add(i)) }.to_bytes())
    };
    match (argument(1), argument(2), argument(3)) {
        (None, None, None) => list(),
        (Some(backend), Some(operation), Some(mode)) => run(backend, operation, mode),
        _ => fail("usage: ct [BACKEND OPERATION secret|public]"),
    }
    0
}

fn list() {
    Backend::available().for_each(|backend| println!("backend {}", backend.name()));
    OPERATIONS.iter().for_each(|(name, _)| println!("operation {name}"));
    SECRET_LEAKS.iter().for_each(|(name, _)| println!("leak-secret {name}"));
    PUBLIC_LEAKS.iter().for_each(|(name, _)| println!("leak-public {name}"));
}

fn run(backend: &[u8], operation: &[u8], mode: &[u8]) {
    let mut backends = Backend::available();
    let Some(backend) = backends.find(|one| one.name().as_bytes() == backend) else {
        fail("no such backend here")
    };
    let mut operations = OPERATIONS.iter().chain(SECRET_LEAKS).chain(PUBLIC_LEAKS);
    let Some((_, run)) = operations.find(|(name, _)| name.as_bytes() == operation) else {
        fail("no such operation")
    };
    let secret = match mode {
        b"secret" => true,
        b"public" => false,
        _ => fail("secret or public"),
    };
    run(&Run { backend, secret });
    println!("done");
}
