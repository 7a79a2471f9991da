//! The programs: what is run, and how.

use super::shims::Generation;

/// A published package with a test suite.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) generation: Generation,
    pub(super) about: &'static str,
    /// Which of our crates the package must come to stand on.
    pub(super) stands_on: &'static str,
    /// What `cargo test` is told: features, and which targets.
    pub(super) flags: &'static [&'static str],
    /// Tests that do not compile as they are published, and why.
    pub(super) left_out: &'static [LeftOut],
    /// Parts of the names of tests that cannot run as they are published, and why.
    pub(super) skipped: &'static [(&'static str, &'static str)],
    /// Programs that its build runs.
    pub(super) needs: &'static [&'static str],
    pub(super) suite: Suite,
    /// Whether CI runs it on every change.
    pub(super) quick: bool,
}

/// A test function that a copy of the package does without.
pub(super) struct LeftOut {
    pub(super) file: &'static str,
    pub(super) function: &'static str,
    pub(super) reason: &'static str,
}

/// Where the tests are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Suite {
    /// The package's own, run in a copy of it.
    Own,
    /// The integration tests of a package that we stand in for, run against our stand-in: they are
    /// copied into a package of their own that depends on it.
    Replaced,
}

impl Program {
    /// Whether `name` is its name, or its name and version.
    pub(super) fn is(&self, name: &str) -> bool {
        name == self.name || name == format!("{}@{}", self.name, self.version)
    }
}

const fn upstream(
    name: &'static str,
    version: &'static str,
    generation: Generation,
    stands_on: &'static str,
) -> Program {
    let about = "RustCrypto's own suite, against the stand-in";
    let flags = &["--all-features"];
    let (needs, left_out, skipped): (&[_], &[_], &[_]) = (&[], &[], &[]);
    let suite = Suite::Replaced;
    Program {
        name,
        version,
        generation,
        about,
        stands_on,
        flags,
        needs,
        left_out,
        skipped,
        suite,
        quick: true,
    }
}

const CIPHER: &str = "chacha20-simd";
const MAC: &str = "poly1305-simd";
const AEAD: &str = "chacha20poly1305-esp";

/// A program's own suite.
macro_rules! program {
    ($name:literal $version:literal $generation:ident $stands_on:ident, $about:literal, $flags:expr) => {
        Program {
            name: $name,
            version: $version,
            generation: Generation::$generation,
            about: $about,
            stands_on: $stands_on,
            flags: &$flags,
            needs: &[],
            left_out: &[],
            skipped: &[],
            suite: Suite::Own,
            quick: false,
        }
    };
}

pub(super) const PROGRAMS: &[Program] = &[
    upstream("chacha20", "0.9.1", Generation::Old, CIPHER),
    upstream("poly1305", "0.8.0", Generation::Old, MAC),
    upstream("chacha20poly1305", "0.10.1", Generation::Old, AEAD),
    upstream("chacha20", "0.10.2", Generation::New, CIPHER),
    upstream("poly1305", "0.9.1", Generation::New, MAC),
    upstream("chacha20poly1305", "0.11.0", Generation::New, AEAD),
    Program {
        quick: true,
        ..program!(
            "snow" "0.10.0" Old AEAD,
            "the Noise protocol",
            [
                "--no-default-features",
                "--features=default-resolver,default-resolver-crypto,use-chacha20poly1305,\
                 use-xchacha20poly1305,std",
            ]
        )
    },
    program!(
        "age" "0.12.1" Old AEAD,
        "file encryption",
        ["--features=armor,async,plugin,ssh,unstable"]
    ),
    program!("crypto_secretbox" "0.1.1" Old MAC, "NaCl's secretbox", ["--all-features"]),
    program!("crypto_box" "0.9.1" Old MAC, "NaCl's box", ["--all-features"]),
    program!("rustls-rustcrypto" "0.0.2-alpha" Old AEAD, "TLS", []),
    program!(
        "russh" "0.50.4" Old MAC,
        "SSH client and server",
        // Its tests start an agent; among its fellow packages another one asks for the feature.
        ["--lib", "--features=tokio/process"]
    ),
    program!("hpke" "0.15.1" New AEAD, "hybrid public key encryption", []),
    Program {
        // Its tests compare it with libolm.
        needs: &["cmake", "c++"],
        left_out: &[LeftOut {
            file: "src/sas.rs",
            function: "calculate_mac_vodozemac_libolm",
            reason: "it calls a function that no published olm-rs has",
        }],
        skipped: &[("fuzz_corpus", "the corpus is not published")],
        ..program!("vodozemac" "0.11.1" New AEAD, "Matrix's Olm and Megolm", [])
    },
    program!("shadowsocks-crypto" "0.8.0" New AEAD, "Shadowsocks's ciphers", ["--all-features"]),
    program!("ssh-cipher" "0.3.0" New MAC, "SSH's ciphers", ["--all-features"]),
    program!("rand" "0.10.4" New CIPHER, "random numbers", []),
];
