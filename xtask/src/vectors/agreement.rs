//! The vector files against the oracle: a mistyped vector shows here, not as a bug of a kernel.

use testkit::oracle;

use super::SUITES;
use super::ciphers::{AeadAlg, StreamAlg};
use super::data::{self, Case, Kind};

fn cases() -> Vec<Case> {
    let files = [
        include_str!("../../../vectors/rfc8439.json"),
        include_str!("../../../vectors/rfc7634.json"),
        include_str!("../../../vectors/xchacha.json"),
        include_str!("../../../vectors/primitives.json"),
    ];
    let mut cases: Vec<_> =
        files.into_iter().flat_map(|json| data::cases(json).expect("vector file")).collect();
    let linux = include_str!("../../../vectors/chacha20-1281.json");
    cases.push(data::linux_case(linux).expect("vector file"));
    cases
}

fn stream(alg: StreamAlg, key: &[u8; 32], iv: &[u8], counter: u64, data: &mut [u8]) {
    let counter32 = counter as u32;
    let array = |iv: &[u8]| iv.try_into().expect("iv");
    match alg {
        StreamAlg::ChaCha20 => oracle::xor(20, key, &array(iv), counter32, data),
        StreamAlg::ChaCha12 => oracle::xor(12, key, &array(iv), counter32, data),
        StreamAlg::ChaCha8 => oracle::xor(8, key, &array(iv), counter32, data),
        StreamAlg::XChaCha20 => xor_x(20, key, iv, counter32, data),
        StreamAlg::XChaCha12 => xor_x(12, key, iv, counter32, data),
        StreamAlg::XChaCha8 => xor_x(8, key, iv, counter32, data),
        StreamAlg::ChaCha20Legacy => {
            oracle::xor_legacy(20, key, iv.try_into().expect("iv"), counter, data);
        }
    }
}

fn xor_x(rounds: usize, key: &[u8; 32], iv: &[u8], counter: u32, data: &mut [u8]) {
    oracle::xchacha_xor(rounds, key, iv.try_into().expect("iv"), counter, data);
}

fn seal(alg: AeadAlg, key: &[u8; 32], nonce: &[u8], aad: &[u8], pt: &[u8]) -> (Vec<u8>, [u8; 16]) {
    match alg {
        AeadAlg::ChaCha20Poly1305 => oracle::seal(key, nonce.try_into().expect("nonce"), aad, pt),
        AeadAlg::XChaCha20Poly1305 => oracle::xseal(key, nonce.try_into().expect("nonce"), aad, pt),
    }
}

/// How many vectors of a case were compared; the kinds that only describe calls have none.
fn compare(case: &Case) -> usize {
    let id = &case.id;
    match &case.kind {
        Kind::Poly1305 { runs } => {
            for run in runs {
                let tag = oracle::poly1305(&run.key.array(), &run.msg);
                assert_eq!(tag, run.tag.array(), "{id}");
            }
            runs.len()
        }
        Kind::Encrypt { runs } => {
            for run in runs {
                let mut data = run.pt.0.clone();
                stream(run.alg, &run.key.array(), &run.iv, run.counter, &mut data);
                assert_eq!(data, run.ct.0, "{id}");
            }
            runs.len()
        }
        Kind::Block { runs } => {
            for run in runs {
                let mut data = vec![0; 64 * run.count as usize];
                stream(run.alg, &run.key.array(), &run.iv, u64::from(run.first), &mut data);
                assert_eq!(data, run.out.0, "{id}");
            }
            runs.len()
        }
        Kind::Hchacha { runs } => {
            for run in runs {
                let out = oracle::hchacha(run.rounds, &run.key.array(), &run.input.array());
                assert_eq!(out, run.out.array(), "{id}");
            }
            runs.len()
        }
        Kind::OneTimeKey { runs } => {
            for run in runs {
                let mut key = [0; 32];
                stream(run.alg.stream(), &run.key.array(), &run.nonce, 0, &mut key);
                assert_eq!(key, run.out.array(), "{id}");
            }
            runs.len()
        }
        Kind::Aead { runs, .. } => {
            for run in runs {
                let (ct, tag) = seal(run.alg, &run.key.array(), &run.nonce, &run.aad, &run.pt);
                assert_eq!((ct, tag), (run.ct.0.clone(), run.tag.array()), "{id}");
            }
            runs.len()
        }
        Kind::SaltedAead { runs, .. } => {
            for run in runs {
                let (key, salt) = run.keymat.split_at(32);
                let nonce = [salt, &run.iv].concat();
                let key = key.try_into().expect("key");
                let (ct, tag) = seal(AeadAlg::ChaCha20Poly1305, key, &nonce, &run.aad, &run.pt);
                assert_eq!((ct, tag), (run.ct.0.clone(), run.tag.array()), "{id}");
            }
            runs.len()
        }
        _ => 0,
    }
}

#[test]
fn vectors_agree_with_the_oracle() {
    let compared: usize = cases().iter().map(compare).sum();
    assert!(compared > 80, "only {compared} vectors compared");
}

/// Every suite loads, has entries, and no two suites share a name.
#[test]
fn suites_load() {
    let mut names = std::collections::BTreeSet::new();
    for suite in SUITES {
        assert!(names.insert(suite.name), "{} twice", suite.name);
        assert!(!suite.load().expect(suite.name).is_empty(), "{} is empty", suite.name);
    }
}
