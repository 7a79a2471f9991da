//! rand: StdRng, which is ChaCha12, and ChaCha20Rng.

use compat_speed::measure;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn main() {
    let mut rng = StdRng::from_seed([1; 32]);
    for size in [16, 256, 4096, 1 << 20] {
        let mut out = vec![0; size];
        measure(&format!("StdRng fill {size}"), size, || rng.fill_bytes(&mut out));
    }
    measure("StdRng next_u64", 8, || rng.next_u64());
    measure("StdRng from_seed, 32 bytes", 32, || {
        let mut out = [0; 32];
        StdRng::from_seed([2; 32]).fill_bytes(&mut out);
        out
    });
    let mut rng = rand::rng();
    let mut out = vec![0; 4096];
    measure("ThreadRng fill 4096", 4096, || rng.fill_bytes(&mut out));
}
