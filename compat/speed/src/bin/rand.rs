//! rand: StdRng, which is ChaCha12, its thread-local generator, and ChaCha20Rng.

use chacha20::ChaCha20Rng;
use compat_speed::measure;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Lengths of what is filled, in bytes: short of a block, a block, the original's buffer, more.
const SIZES: [usize; 5] = [16, 64, 256, 4096, 1 << 20];

fn fills(name: &str, rng: &mut impl Rng, sizes: &[usize]) {
    for &size in sizes {
        let mut out = vec![0; size];
        measure(&format!("{name} fill {size}"), size, || rng.fill_bytes(&mut out));
    }
}

fn main() {
    let mut rng = StdRng::from_seed([1; 32]);
    fills("StdRng", &mut rng, &SIZES);
    measure("StdRng next_u32", 4, || rng.next_u32());
    measure("StdRng next_u64", 8, || rng.next_u64());
    measure("StdRng from_seed, fill 32", 32, || {
        let mut out = [0; 32];
        StdRng::from_seed([2; 32]).fill_bytes(&mut out);
        out
    });
    let mut rng = rand::rng();
    fills("ThreadRng", &mut rng, &[16, 4096]);
    measure("ThreadRng next_u64", 8, || rng.next_u64());
    fills("ChaCha20Rng", &mut ChaCha20Rng::from_seed([1; 32]), &SIZES);
}
