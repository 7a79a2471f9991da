//! Every kernel, forced by name, against a plain implementation of the same construction.

use chacha20_simd::Backend;
use chacha20_simd::engine::{
    Beside, Block, CounterWidth, Keystream, RoundCount, Scratch, State, XorBuf, block,
    bytes_per_pass, has_beside, keystream, xor, xor_beside, xor_first,
};
use testkit::guard::Guarded;
use testkit::lengths;
use testkit::oracle;
use testkit::rng::Rng;

const ROUNDS: [(RoundCount, usize); 3] =
    [(RoundCount::R8, 8), (RoundCount::R12, 12), (RoundCount::R20, 20)];

/// Runs `test` on each backend that this CPU has, and says which these are.
fn on_each_backend(mut test: impl FnMut(Backend)) {
    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    testkit::backends::expect(&names);
    Backend::available().for_each(&mut test);
}

/// `len` bytes of keystream by the plain implementation; the original layout for `W64`.
fn expected(rounds: usize, width: CounterWidth, counter: u64, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 64);
    for i in 0..len.div_ceil(64) as u64 {
        let number = counter.wrapping_add(i);
        out.extend(match width {
            CounterWidth::W32 => oracle::block(rounds, &KEY, &NONCE, number as u32),
            CounterWidth::W64 => {
                oracle::block_legacy(rounds, &KEY, NONCE[4..].try_into().unwrap(), number)
            }
        });
    }
    out.truncate(len);
    out
}

const KEY: [u8; 32] = *b"expand 16-byte k is not this key";
const NONCE: [u8; 12] = [0xf1, 2, 3, 0xf4, 5, 6, 7, 0x88, 9, 10, 11, 0x9c];

fn state(width: CounterWidth, counter: u64) -> State {
    let mut state = State::ietf(&KEY, &NONCE, counter as u32);
    if width == CounterWidth::W64 {
        state.set_counter64(counter);
    }
    state
}

fn counter(width: CounterWidth, state: &State) -> u64 {
    match width {
        CounterWidth::W32 => state.counter32().into(),
        CounterWidth::W64 => state.counter64(),
    }
}

/// One call of `xor` over `buf`, whose source is `text`; checks the counter and the last block.
fn check_xor(
    backend: Backend,
    (count, rounds): (RoundCount, usize),
    width: CounterWidth,
    first: u64,
    keystream: &[u8],
    text: &[u8],
    mut buf: XorBuf<'_>,
) {
    let len = buf.len();
    let mut state = state(width, first);
    let mut last = Block([0xee; 64]);
    xor(backend, count, width, &mut state, buf.reborrow(), &mut last);
    let wanted: Vec<u8> = text.iter().zip(keystream).map(|(a, b)| a ^ b).collect();
    let got = buf.dst_mut();
    if *got != wanted[..] {
        let at = got.iter().zip(&wanted).position(|(a, b)| a != b);
        panic!(
            "{backend} rounds {rounds} {width:?} counter {first:#x} length {len} differs at {at:?}"
        );
    }
    let modulus = if width == CounterWidth::W32 { u32::MAX.into() } else { u64::MAX };
    let next = first.wrapping_add(len.div_ceil(64) as u64) & modulus;
    assert_eq!(counter(width, &state), next, "{backend} length {len}: the counter");
    let partial = if len % 64 == 0 { [0xee; 64] } else { keystream_block(keystream, len / 64) };
    assert_eq!(last.0, partial, "{backend} length {len}: the last block");
}

fn keystream_block(keystream: &[u8], index: usize) -> [u8; 64] {
    keystream[64 * index..64 * index + 64].try_into().unwrap()
}

/// All lengths, in place and between buffers, at changing offsets, against guard pages at both
/// ends.
#[test]
fn all_lengths() {
    let keystream = expected(20, CounterWidth::W32, 7, 4096 + 64);
    let text = Rng::new(1).bytes(4096 + 64);
    on_each_backend(|backend| {
        let (mut a, mut b) = (Guarded::new(4096 + 64), Guarded::new(4096 + 64));
        for len in lengths::up_to(4096) {
            let rounds = (RoundCount::R20, 20);
            let text = &text[..len];
            let check = |src: Option<&[u8]>, dst: &mut [u8]| match src {
                Some(src) => {
                    let buf = XorBuf::between(src, dst);
                    check_xor(backend, rounds, CounterWidth::W32, 7, &keystream, text, buf);
                }
                None => {
                    dst.copy_from_slice(text);
                    let buf = XorBuf::in_place(dst);
                    check_xor(backend, rounds, CounterWidth::W32, 7, &keystream, text, buf);
                }
            };
            check(None, a.at_end(len));
            check(None, a.at_start(len));
            let offset = len % 61;
            check(None, &mut a.all()[offset..offset + len]);
            let src = b.at_end(len);
            src.copy_from_slice(text);
            check(Some(src), a.at_end(len));
            let offset = (len * 7) % 59;
            let src = b.at_start(len);
            src.copy_from_slice(text);
            check(Some(src), &mut a.all()[offset..offset + len]);
        }
    });
}

/// The first pass of messages of all lengths up to more than a pass: the block before the text, the
/// text, the counter; between guard pages, across both ends of the counter.
#[test]
fn first_passes() {
    on_each_backend(|backend| {
        let (mut a, mut b) = (Guarded::new(2300), Guarded::new(2300));
        for len in lengths::up_to(2300) {
            let width = [CounterWidth::W32, CounterWidth::W64][len % 2];
            let (count, rounds) = ROUNDS[len % 3];
            let first = [0, 0x7fff_fffe, 0xffff_fff8, 0xffff_ffe9][len % 5 % 4];
            let keystream = expected(rounds, width, first, 64 + 2300 + 64);
            let text = Rng::new(len as u64).bytes(len);
            for between in [false, true] {
                let (src, dst) = (b.at_end(len), a.at_end(len));
                src.copy_from_slice(&text);
                dst.copy_from_slice(&text);
                let mut buf =
                    if between { XorBuf::between(src, dst) } else { XorBuf::in_place(dst) };
                let mut state = state(width, first);
                let mut key = Block([0xee; 64]);
                let done = xor_first(backend, count, width, &mut state, &mut key, &mut buf);
                let what = format!("{backend} rounds {rounds} {width:?} length {len}");
                // AVX-512 makes the first block beside a whole pass, AVX2 if that saves one.
                let most = bytes_per_pass(backend);
                let saves = match backend.name() {
                    "avx2" => len.div_ceil(64).is_multiple_of(8),
                    name => name == "avx512",
                };
                let beside = saves && len > most - 64;
                assert_eq!(done, len.min(if beside { most } else { most - 64 }), "{what}");
                assert_eq!(key.0, keystream[..64], "{what}: the first block");
                let wanted: Vec<u8> =
                    text.iter().zip(&keystream[64..]).map(|(a, b)| a ^ b).collect();
                assert!(dst[..done] == wanted[..done], "{what}: the text");
                assert!(dst[done..] == text[done..], "{what}: the rest of the text");
                let modulus = if width == CounterWidth::W32 { u32::MAX.into() } else { u64::MAX };
                let next = first.wrapping_add(1 + done.div_ceil(64) as u64) & modulus;
                assert_eq!(counter(width, &state), next, "{what}: the counter");
            }
        }
    });
}

/// Bytes outside the buffer stay as they are.
#[test]
fn canaries() {
    on_each_backend(|backend| {
        for len in lengths::up_to(1100).chain([2047, 2048, 2049]) {
            let mut memory = vec![0xa5; len + 128];
            let mut state = state(CounterWidth::W32, 0);
            let buf = XorBuf::in_place(&mut memory[64..64 + len]);
            let mut last = Block::ZERO;
            xor(backend, RoundCount::R8, CounterWidth::W32, &mut state, buf, &mut last);
            let outside = memory[..64].iter().chain(&memory[64 + len..]);
            assert!(outside.into_iter().all(|&byte| byte == 0xa5), "{backend} length {len}");
        }
    });
}

/// Every shape of kernel over the places where a 32-bit counter changes its sign and wraps around,
/// and where a 64-bit counter carries: at every offset from the edge that a batch can have.
#[test]
fn counters() {
    let edges = [
        (CounterWidth::W32, 1 << 31),
        (CounterWidth::W32, 1 << 32),
        (CounterWidth::W64, 1 << 31),
        (CounterWidth::W64, 1 << 32),
        (CounterWidth::W64, 5 << 32),
        (CounterWidth::W64, 1 << 63),
        (CounterWidth::W64, 0),
    ];
    for (width, edge) in edges {
        for before in 0..=33u64 {
            let first = u64::wrapping_sub(edge, before);
            let keystream = expected(8, width, first, 64 * 50);
            on_each_backend(|backend| {
                // Up to 32 blocks are one pass of each shape; 49 is full passes and a last one.
                for blocks in (1..=17).chain([24, 25, 32, 33, 49]) {
                    let text = vec![0; 64 * blocks - 5];
                    let mut data = text.clone();
                    let buf = XorBuf::in_place(&mut data);
                    let rounds = (RoundCount::R8, 8);
                    check_xor(backend, rounds, width, first, &keystream, &text, buf);
                }
            });
        }
    }
}

/// 8, 12 and 20 rounds, both layouts, every shape.
#[test]
fn rounds() {
    on_each_backend(|backend| {
        for rounds in ROUNDS {
            for width in [CounterWidth::W32, CounterWidth::W64] {
                let keystream = expected(rounds.1, width, 3, 64 * 50);
                for len in (0..64 * 34).step_by(37) {
                    let text = vec![0x5a; len];
                    let mut data = text.clone();
                    let buf = XorBuf::in_place(&mut data);
                    check_xor(backend, rounds, width, 3, &keystream, &text, buf);
                }
            }
        }
    });
}

/// The keystream by the block and by the pass, and extended past the first one.
#[test]
fn blocks_and_keystreams() {
    on_each_backend(|backend| {
        for (count, rounds) in ROUNDS {
            for first in [0, 1, 0x7fff_fffe, 0xffff_fff9, u32::MAX] {
                let expected = expected(rounds, CounterWidth::W32, first.into(), 64 * 60);
                let start = State::ietf(&KEY, &NONCE, first);
                assert_eq!(block(backend, count, &start).0[..], expected[..64]);
                for wanted in lengths::up_to(50) {
                    let (mut state, width) = (start.clone(), CounterWidth::W32);
                    let mut scratch = Scratch::<4096>::uninit();
                    let mut keystream =
                        Keystream::new(&mut scratch, backend, count, width, &mut state, wanted);
                    let mut made = keystream.bytes().len() / 64;
                    assert!(made >= 1 && made <= wanted.max(1));
                    if made < wanted {
                        let extra = wanted - made;
                        let steps = keystream.extend(count, width, &mut state, extra, Steps(0)).0;
                        assert_eq!(steps > 0, has_beside(backend), "{backend}");
                        made = wanted;
                    }
                    assert!(keystream.bytes() == &expected[..64 * made], "{backend} {wanted}");
                    assert_eq!(state.counter32(), first.wrapping_add(made as u32));

                    for from in [0, 1, 32, 64] {
                        for len in [0, 5, 31, 64 * made - from, 64 * made + 3] {
                            let mut data = vec![0; len];
                            let rest = keystream.xor(from, XorBuf::in_place(&mut data)).len();
                            let reached = len.min(64 * made - from);
                            assert_eq!(rest, len - reached);
                            assert_eq!(data[..reached], expected[from..from + reached]);
                            assert!(data[reached..].iter().all(|&byte| byte == 0));
                        }
                    }
                }
            }
        }
    });
}

/// Keystream over what a buffer held, with nothing written beside it.
#[test]
fn keystreams_in_place() {
    on_each_backend(|backend| {
        for (count, rounds) in ROUNDS {
            for width in [CounterWidth::W32, CounterWidth::W64] {
                let expected = expected(rounds, width, 0xffff_ffe1, 64 * 75);
                for (skip, blocks) in [0, 8, 24].into_iter().flat_map(|skip| {
                    // The low word wraps in each part of a pass.
                    (0..=50).map(move |blocks| (skip, blocks))
                }) {
                    let first = 0xffff_ffe1 + skip as u64;
                    let expected = &expected[64 * skip..];
                    let mut state = state(width, first);
                    let mut data = vec![0x5a; 64 * (blocks + 20)];
                    let (buf, beyond) = data.split_at_mut(64 * blocks);
                    keystream(backend, count, width, &mut state, XorBuf::in_place(buf));
                    assert!(*buf == expected[..64 * blocks], "{backend} {blocks}");
                    assert!(beyond.iter().all(|&byte| byte == 0x5a), "{backend} {blocks}");
                    let wide = first + blocks as u64;
                    let next =
                        if width == CounterWidth::W32 { u64::from(wide as u32) } else { wide };
                    assert_eq!(counter(width, &state), next);
                }
            }
        }
    });
}

/// Only whole blocks: a part of one would be lost.
#[test]
#[should_panic = "whole blocks"]
fn keystreams_of_whole_blocks() {
    let mut state = State::ietf(&KEY, &NONCE, 0);
    let (count, width) = (RoundCount::R20, CounterWidth::W32);
    keystream(Backend::Soft, count, width, &mut state, XorBuf::in_place(&mut [0; 65]));
}

/// Counts how often it is called.
struct Steps(usize);

impl Beside for Steps {
    fn step(&mut self) {
        self.0 += 1;
    }
}

/// Work beside the rounds changes nothing of the result, and is done.
#[test]
fn beside() {
    let expected = expected(20, CounterWidth::W32, 9, 64 * 50);
    on_each_backend(|backend| {
        for len in lengths::up_to(3000) {
            let mut data = vec![0; len];
            let (mut state, mut last) = (state(CounterWidth::W32, 9), Block::ZERO);
            let (count, width) = (RoundCount::R20, CounterWidth::W32);
            let buf = XorBuf::in_place(&mut data);
            let steps = xor_beside(backend, count, width, &mut state, buf, &mut last, Steps(0)).0;
            assert!(data == expected[..len], "{backend} {len}");
            assert_eq!(state.counter32(), 9 + len.div_ceil(64) as u32);
            let passes = len.div_ceil(bytes_per_pass(backend));
            assert!(steps >= if has_beside(backend) { 20 * passes } else { 0 }, "{backend} {len}");
        }
    });
}
