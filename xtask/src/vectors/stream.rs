//! Cases of the stream ciphers.

use chacha20_simd::engine::{self, Block, CounterWidth, RoundCount, State, XorBuf};
use chacha20_simd::{R8, R12, R20};
use serde::Deserialize;

use super::Kernels;
use super::ciphers::{Stream, StreamAlg};
use super::data::{Bytes, OneTimeKey};
use super::tally::{Check, Sum, Tally, ensure, same};

/// Text and ciphertext from a block counter on.
#[derive(Deserialize)]
pub(crate) struct Encrypt {
    pub(crate) alg: StreamAlg,
    pub(crate) key: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) counter: u64,
    pub(crate) pt: Bytes,
    pub(crate) ct: Bytes,
}

impl Encrypt {
    fn start(&self, kernels: &Kernels) -> Box<dyn Stream> {
        let mut stream = self.alg.start(&self.key, &self.iv, kernels);
        assert!(stream.seek(self.counter * 64), "cannot seek to the first block");
        stream
    }

    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        for (what, from, to) in [("encrypt", &self.pt, &self.ct), ("decrypt", &self.ct, &self.pt)] {
            t.check(what, || {
                let mut data = from.0.clone();
                ensure(self.start(kernels).apply(&mut data), || "refused".into())?;
                same(&data, to)
            });
        }
        t.check("encrypt between buffers", || {
            let mut out = vec![0xee; self.pt.len()];
            ensure(self.start(kernels).apply_b2b(&self.pt, &mut out), || "refused".into())?;
            same(&out, &self.ct)
        });
        t.check("encrypt in two pieces, all cuts", || {
            (0..=self.pt.len()).try_for_each(|cut| {
                let (mut data, mut stream) = (self.pt.0.clone(), self.start(kernels));
                let (head, tail) = data.split_at_mut(cut);
                ensure(stream.apply(head) && stream.apply(tail), || format!("cut {cut} refused"))?;
                same(&data, &self.ct)
            })
        });
        t.check("encrypt byte by byte", || {
            let (mut data, mut stream) = (self.pt.0.clone(), self.start(kernels));
            let all = data.chunks_mut(1).all(|byte| stream.apply(byte));
            ensure(all, || "refused".into())?;
            same(&data, &self.ct)
        });
    }
}

/// Seeks and pieces in order on one cipher.
#[derive(Deserialize)]
pub(crate) struct Script {
    pub(crate) alg: StreamAlg,
    pub(crate) key: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Step {
    Seek { to: i64, r#type: SeekType, result: Outcome },
    Pos { is: u64 },
    Apply { data: Bytes, result: Outcome, out: Option<Bytes>, sha256: Option<String> },
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SeekType {
    U64,
    I32,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Ok,
    Err,
    Any,
}

impl Outcome {
    fn is(self, ok: bool) -> Check {
        let fits = self == Self::Any || (self == Self::Ok) == ok;
        ensure(fits, || format!("{} unexpectedly", if ok { "accepted" } else { "refused" }))
    }
}

impl Script {
    /// Every step is a check, since every step has an expectation of its own.
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let mut stream = self.alg.start(&self.key, &self.iv, kernels);
        for (i, step) in self.steps.iter().enumerate() {
            t.check(format_args!("step {i}"), || step.run(stream.as_mut()));
        }
    }
}

impl Step {
    fn run(&self, stream: &mut dyn Stream) -> Check {
        match self {
            Self::Seek { to, r#type: SeekType::U64, result } => {
                result.is(stream.seek(u64::try_from(*to).expect("u64")))
            }
            Self::Seek { to, r#type: SeekType::I32, result } => {
                result.is(stream.seek_i32(i32::try_from(*to).expect("i32")))
            }
            Self::Pos { is } => {
                let position = stream.position();
                ensure(position == *is, || format!("position {position}, want {is}"))
            }
            Self::Apply { data, result, out, sha256 } => {
                let (before, mut got) = (stream.position(), data.0.clone());
                let ok = stream.apply(&mut got);
                result.is(ok)?;
                if !ok {
                    same(&got, data)?;
                    return ensure(stream.position() == before, || "position moved".into());
                }
                if let Some(out) = out {
                    same(&got, out)?;
                }
                if let Some(sha256) = sha256 {
                    let mut sum = Sum::default();
                    sum.add(&got);
                    sum.is(sha256)?;
                }
                Ok(())
            }
        }
    }
}

/// Short calls: all pairs of lengths, then a tail.
#[derive(Deserialize)]
pub(crate) struct Splits {
    pub(crate) alg: StreamAlg,
    pub(crate) key: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) start: u64,
    pub(crate) pieces: Vec<usize>,
    pub(crate) tail: usize,
    pub(crate) sha256: String,
}

impl Splits {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let longest = self.pieces.iter().max().expect("pieces");
        let start = || {
            let mut stream = self.alg.start(&self.key, &self.iv, kernels);
            assert!(stream.seek(self.start), "cannot seek to the start");
            stream
        };
        let mut whole = vec![0; 2 * longest + self.tail];
        t.check("one call", || {
            start().apply(&mut whole);
            let mut sum = Sum::default();
            sum.add(&whole);
            sum.is(&self.sha256)
        });
        for &a in &self.pieces {
            t.check(format_args!("{a}, then every length"), || {
                self.pieces.iter().try_for_each(|&b| {
                    let mut stream = start();
                    let mut out = vec![0; a + b + self.tail];
                    let (first, rest) = out.split_at_mut(a);
                    let (second, tail) = rest.split_at_mut(b);
                    let all = [first, second, tail].into_iter().all(|piece| stream.apply(piece));
                    ensure(all, || format!("{a} + {b} refused"))?;
                    same(&out, &whole[..out.len()])
                })
            });
        }
    }
}

/// Blocks from a block counter on, modulo 2^32.
#[derive(Deserialize)]
pub(crate) struct Blocks {
    pub(crate) alg: StreamAlg,
    pub(crate) key: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) out: Bytes,
}

impl Blocks {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        t.check("block by block", || {
            let stream = self.alg.start(&self.key, &self.iv, kernels);
            let blocks = (0..self.count)
                .flat_map(|i| stream.block(u64::from(self.first.wrapping_add(i))))
                .collect::<Vec<_>>();
            same(&blocks, &self.out)
        });
        // The kernels wrap word 12 where the stream interface ends; only the engine shows it.
        let rounds = match self.alg {
            StreamAlg::ChaCha20 => RoundCount::R20,
            StreamAlg::ChaCha12 => RoundCount::R12,
            StreamAlg::ChaCha8 => RoundCount::R8,
            _ => return,
        };
        t.check("kernels", || {
            let mut state = State::ietf(&self.key.array(), &self.iv.array(), self.first);
            let (mut data, mut last) = (vec![0; self.out.len()], Block::ZERO);
            let buf = XorBuf::in_place(&mut data);
            engine::xor(kernels.chacha20, rounds, CounterWidth::W32, &mut state, buf, &mut last);
            same(&data, &self.out)
        });
    }
}

/// The same output wherever the buffer lies.
#[derive(Deserialize)]
pub(crate) struct Aligned {
    pub(crate) alg: StreamAlg,
    pub(crate) key: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) data: Bytes,
    pub(crate) offsets: [usize; 2],
    pub(crate) sha256: String,
}

/// The part of `buffer` that starts `offset` bytes after a multiple of 64.
pub(crate) fn at_offset(buffer: &mut [u8], offset: usize, len: usize) -> &mut [u8] {
    let start = buffer.as_ptr().align_offset(64) + offset;
    &mut buffer[start..start + len]
}

impl Aligned {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let len = self.data.len();
        let mut memory = vec![0; len + 64 + 64 + self.offsets[1]];
        for offset in self.offsets[0]..=self.offsets[1] {
            t.check(format_args!("offset {offset}"), || {
                let data = at_offset(&mut memory, offset, len);
                data.copy_from_slice(&self.data);
                self.alg.start(&self.key, &self.iv, kernels).apply(data);
                let mut sum = Sum::default();
                sum.add(data);
                sum.is(&self.sha256)
            });
        }
    }
}

/// `HChaCha`: a function of its own in the interface, on no particular backend.
#[derive(Deserialize)]
pub(crate) struct Hchacha {
    pub(crate) rounds: usize,
    pub(crate) key: Bytes,
    pub(crate) input: Bytes,
    pub(crate) out: Bytes,
}

impl Hchacha {
    pub(crate) fn run(&self, t: &mut Tally) {
        t.check("hchacha", || {
            let hchacha = match self.rounds {
                8 => chacha20_simd::hchacha::<R8>,
                12 => chacha20_simd::hchacha::<R12>,
                20 => chacha20_simd::hchacha::<R20>,
                rounds => panic!("no ChaCha with {rounds} rounds"),
            };
            let key = self.key.array::<32>().into();
            same(&hchacha(&key, &self.input.array::<16>().into()), &self.out)
        });
    }
}

/// The first half of block 0 (RFC 8439 section 2.6), as a block and as keystream.
pub(crate) fn one_time_key(run: &OneTimeKey, kernels: &Kernels, t: &mut Tally) {
    let stream = || run.alg.stream().start(&run.key, &run.nonce, kernels);
    t.check("block 0", || same(&stream().block(0)[..32], &run.out));
    t.check("keystream", || {
        let mut key = [0; 32];
        stream().apply(&mut key);
        same(&key, &run.out)
    });
}
