//! The published vectors: suites of entries, each of which runs on one set of kernels.

pub(crate) mod aead;
pub(crate) mod ciphers;
pub(crate) mod data;
pub(crate) mod esp;
pub(crate) mod forced;
pub(crate) mod mac;
pub(crate) mod stream;
pub(crate) mod tally;
pub(crate) mod wycheproof;

#[cfg(test)]
mod agreement;

use anyhow::{Context, Result};
use chacha20poly1305_esp as esp_crate;
use tally::Tally;

/// The kernels that one column of the table runs on.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    pub(crate) chacha20: chacha20_simd::Backend,
    pub(crate) poly1305: poly1305_simd::Backend,
    pub(crate) aead: esp_crate::Backend,
}

impl Kernels {
    /// The names of all columns, worst to best.
    pub(crate) const NAMES: [&'static str; 5] = esp_crate::Backend::NAMES;

    /// Those that the crates pick here.
    pub(crate) fn detect() -> Self {
        let aead = esp_crate::Backend::detect();
        Self { chacha20: aead.chacha20, poly1305: aead.poly1305, aead }
    }

    /// `None`: no such name, not built, or this CPU lacks it.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let aead = esp_crate::Backend::by_name(name)?;
        Some(Self { chacha20: aead.chacha20, poly1305: aead.poly1305, aead })
    }
}

type Runner = Box<dyn Fn(&Kernels, &mut Tally) + Send + Sync>;

/// One vector, or one case with all its runs.
pub(crate) struct Entry {
    pub(crate) id: String,
    /// The part of the entry that no interface of the crates reaches yet.
    pub(crate) not_yet: Option<&'static str>,
    pub(crate) run: Runner,
}

impl Entry {
    pub(crate) fn new(
        id: impl Into<String>,
        run: impl Fn(&Kernels, &mut Tally) + Send + Sync + 'static,
    ) -> Self {
        Self { id: id.into(), not_yet: None, run: Box::new(run) }
    }
}

/// Vectors of one source.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    load: fn() -> Result<Vec<Entry>>,
}

impl Suite {
    pub(crate) fn load(&self) -> Result<Vec<Entry>> {
        (self.load)().with_context(|| format!("suite {}", self.name))
    }
}

/// All suites, in the order of the table.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "rfc8439",
        about: "RFC 8439: section 2 and appendix A",
        load: || data::entries(include_str!("../../vectors/rfc8439.json")),
    },
    Suite {
        name: "rfc7634",
        about: "RFC 7634: appendices A and B",
        load: || data::entries(include_str!("../../vectors/rfc7634.json")),
    },
    Suite {
        name: "xchacha",
        about: "draft-irtf-cfrg-xchacha-03",
        load: || data::entries(include_str!("../../vectors/xchacha.json")),
    },
    Suite {
        name: "linux",
        about: "Linux testmgr: 1281 bytes of ChaCha20",
        load: || data::linux(include_str!("../../vectors/chacha20-1281.json")),
    },
    Suite {
        name: "wycheproof",
        about: "Wycheproof: ChaCha20-Poly1305",
        load: wycheproof::chacha20poly1305,
    },
    Suite {
        name: "wycheproof-x",
        about: "Wycheproof: XChaCha20-Poly1305",
        load: wycheproof::xchacha20poly1305,
    },
    Suite {
        name: "primitives",
        about: "public bug reports: ChaCha20, Poly1305, AEAD",
        load: || data::entries(include_str!("../../vectors/primitives.json")),
    },
    Suite {
        name: "esp",
        about: "public bug reports: ESP",
        load: || esp::entries(include_str!("../../vectors/esp.json")),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// One test a suite, so that the test runner spreads them over the cores.
    fn run(name: &str) {
        let suite = SUITES.iter().find(|suite| suite.name == name).expect("suite");
        let mut exercised = Vec::new();
        for name in Kernels::NAMES {
            let Some(kernels) = Kernels::by_name(name) else { continue };
            exercised.push(name);
            let mut tally = Tally::default();
            for entry in suite.load().expect("vectors") {
                tally.enter(&entry.id);
                (entry.run)(&kernels, &mut tally);
            }
            for failure in &tally.failures {
                println!("{name}: {failure}");
            }
            assert!(tally.failures.is_empty(), "{name}: {} failed", tally.failures.len());
            assert!(tally.passed > 0, "{name}: nothing checked");
        }
        testkit::backends::expect(&exercised);
    }

    #[test]
    fn rfc8439() {
        run("rfc8439");
    }

    #[test]
    fn rfc7634() {
        run("rfc7634");
    }

    #[test]
    fn xchacha() {
        run("xchacha");
    }

    #[test]
    fn linux() {
        run("linux");
    }

    #[test]
    fn wycheproof() {
        run("wycheproof");
    }

    #[test]
    fn wycheproof_x() {
        run("wycheproof-x");
    }

    #[test]
    fn primitives() {
        run("primitives");
    }

    #[test]
    fn esp() {
        run("esp");
    }
}
