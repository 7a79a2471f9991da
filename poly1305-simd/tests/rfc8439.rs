//! The examples of RFC 8439: section 2.5.2 and all of appendix A.3.

mod common;

use common::{backends, oracle, poly};
use poly1305_simd::{Block, universal_hash::UniversalHash};

const IETF: &[u8] =
    b"Any submission to the IETF intended by the Contributor for publication as all \
or part of an IETF Internet-Draft or RFC and any statement made within the context of an IETF \
activity is considered an \"IETF Contribution\". Such statements include oral statements in IETF \
sessions, as well as written and electronic communications made at any time or place, which are \
addressed to";

const JABBERWOCKY: &[u8] = b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the \
wabe:\nAll mimsy were the borogoves,\nAnd the mome raths outgrabe.";

/// r, s, message, tag
fn examples() -> Vec<(&'static str, &'static str, Vec<u8>, &'static str)> {
    let hex = |text| hex::decode(text).unwrap();
    let zero = "00000000000000000000000000000000";
    vec![
        // 2.5.2
        (
            "85d6be7857556d337f4452fe42d506a8",
            "0103808afb0db2fd4abff6af4149f51b",
            b"Cryptographic Forum Research Group".to_vec(),
            "a8061dc1305136c6c22b8baf0c0127a9",
        ),
        // A.3, #1 to #11
        (zero, zero, vec![0; 64], zero),
        (
            zero,
            "36e5f6b5c5e06070f0efca96227a863e",
            IETF.to_vec(),
            "36e5f6b5c5e06070f0efca96227a863e",
        ),
        (
            "36e5f6b5c5e06070f0efca96227a863e",
            zero,
            IETF.to_vec(),
            "f3477e7cd95417af89a6b8794c310cf0",
        ),
        (
            "1c9240a5eb55d38af333888604f6b5f0",
            "473917c1402b80099dca5cbc207075c0",
            JABBERWOCKY.to_vec(),
            "4541669a7eaaee61e708dc7cbcc5eb62",
        ),
        (
            "02000000000000000000000000000000",
            zero,
            vec![0xff; 16],
            "03000000000000000000000000000000",
        ),
        (
            "02000000000000000000000000000000",
            "ffffffffffffffffffffffffffffffff",
            hex("02000000000000000000000000000000"),
            "03000000000000000000000000000000",
        ),
        (
            "01000000000000000000000000000000",
            zero,
            hex("fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff\
                 11000000000000000000000000000000"),
            "05000000000000000000000000000000",
        ),
        (
            "01000000000000000000000000000000",
            zero,
            hex("fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe\
                 01010101010101010101010101010101"),
            zero,
        ),
        (
            "02000000000000000000000000000000",
            zero,
            hex("fdffffffffffffffffffffffffffffff"),
            "faffffffffffffffffffffffffffffff",
        ),
        (
            "01000000000000000400000000000000",
            zero,
            hex("e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000\
                 0000000000000000000000000000000001000000000000000000000000000000"),
            "14000000000000005500000000000000",
        ),
        (
            "01000000000000000400000000000000",
            zero,
            hex("e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000\
                 00000000000000000000000000000000"),
            "13000000000000000000000000000000",
        ),
    ]
}

#[test]
fn examples_on_every_backend() {
    for backend in backends() {
        for (number, (r, s, message, tag)) in examples().into_iter().enumerate() {
            let key = hex::decode([r, s].concat()).unwrap().try_into().unwrap();
            assert_eq!(hex::encode(oracle(&key, &message)), tag, "oracle, example {number}");
            let computed = poly(&key, backend).compute_unpadded(&message);
            assert_eq!(hex::encode(computed), tag, "{backend}, example {number}");
        }
    }
}

#[test]
fn examples_block_by_block() {
    for backend in backends() {
        for (number, (r, s, message, tag)) in examples().into_iter().enumerate() {
            let key = hex::decode([r, s].concat()).unwrap().try_into().unwrap();
            let mut mac = poly(&key, backend);
            let (whole, rest) = message.split_at(message.len() / 16 * 16);
            for block in whole.chunks(16) {
                mac.update(&[*Block::from_slice(block)]);
            }
            assert_eq!(hex::encode(mac.compute_unpadded(rest)), tag, "{backend}, example {number}");
        }
    }
}
