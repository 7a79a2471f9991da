//! HChaCha: the subkeys of XChaCha (draft-irtf-cfrg-xchacha, section 2.2).

use crate::backend::soft;
use crate::engine::{RoundCount, State};

/// The rounds without the feed-forward; rows a and d are the output (section 2.2 of the draft).
///
/// Always on portable code: it is one block, bound by the latency of the rounds, which the vector
/// forms do not shorten by more than they cost to set up.
pub(crate) fn hchacha(rounds: RoundCount, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    let word = |i: usize| u32::from_le_bytes([input[i], input[i + 1], input[i + 2], input[i + 3]]);
    let mut state = State::new(key, [word(0), word(4), word(8), word(12)]);
    soft::rounds(rounds.double_rounds(), &mut state.words);
    let mut out = [0; 32];
    let rows_a_d = state.words[..4].iter().chain(&state.words[12..]);
    for (bytes, word) in out.chunks_exact_mut(4).zip(rows_a_d) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// The state for the subkey of `key` and `input`.
pub(crate) fn subkey_state(
    rounds: RoundCount,
    key: &[u8; 32],
    input: &[u8; 16],
    words_12_to_15: [u32; 4],
) -> State {
    let mut subkey = hchacha(rounds, key, input);
    let state = State::new(&subkey, words_12_to_15);
    crate::wipe::subkey(&mut subkey);
    state
}
