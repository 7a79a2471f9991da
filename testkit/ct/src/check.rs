//! What is secret in a run, and what comes out of it.

use chacha20poly1305_esp::Backend;

use crate::msan;

/// One run of an operation.
pub(crate) struct Run {
    pub(crate) backend: Backend,
    /// Whether there are secrets.
    pub(crate) secret: bool,
}

impl Run {
    /// Makes secrets of `bytes`, if there are secrets.
    pub(crate) fn classify(&self, bytes: &mut [u8]) {
        if self.secret {
            msan::classify(bytes);
        }
    }

    /// A key.
    pub(crate) fn key<const N: usize>(&self) -> [u8; N] {
        let mut key = public_key();
        self.classify(&mut key);
        key
    }

    /// `len` bytes of plaintext.
    pub(crate) fn text(&self, len: usize) -> Vec<u8> {
        let mut text = public_text(len);
        self.classify(&mut text);
        text
    }

    /// Checks a result that depends on secrets: that the sanitizer knows it, or it has lost them on
    /// the way and would have seen no leak after that; without secrets, that all of it has been
    /// written. From here on it is public.
    pub(crate) fn result(&self, bytes: &mut [u8], what: &str) {
        if self.secret {
            require(msan::is_secret(bytes), what, "lost track of the secrets");
        } else {
            require(msan::is_public(bytes), what, "is not initialised");
        }
        msan::declassify(bytes);
    }

    /// Checks a result that everybody may see.
    pub(crate) fn in_clear(&self, bytes: &[u8], what: &str) {
        require(msan::is_public(bytes), what, "is not public");
    }
}

/// The same key, known to everybody: to make messages that can be opened.
pub(crate) fn public_key<const N: usize>() -> [u8; N] {
    core::array::from_fn(|i| (i * 37 + 11) as u8)
}

/// The same text, known to everybody.
pub(crate) fn public_text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 89 + i / 64) as u8).collect()
}

/// Lengths that reach every shape of every kernel: all up to two passes of the narrow ones, then to
/// several passes of the widest and beyond 4 KiB, where opening in place changes its ways.
pub(crate) fn lengths() -> impl Iterator<Item = usize> {
    (0..=320).chain((321..4300).step_by(61)).chain([1024, 2048, 4096, 5000, 6143, 8192, 9001])
}

/// Lengths of associated data: none, those of ESP and TLS, and around blocks.
pub(crate) fn aad(text_len: usize) -> &'static [u8] {
    const LENGTHS: [usize; 8] = [0, 8, 12, 13, 16, 31, 64, 129];
    &[0x5c; 129][..LENGTHS[text_len % LENGTHS.len()]]
}

/// Fails unless `right`.
pub(crate) fn require(right: bool, what: &str, fault: &str) {
    if !right {
        fail(&format!("{what}: {fault}"));
    }
}

/// Ends the program.
pub(crate) fn fail(message: &str) -> ! {
    eprintln!("ct: {message}");
    std::process::exit(3)
}
