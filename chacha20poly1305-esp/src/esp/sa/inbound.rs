//! The receiving side.

use super::{Checked, InboundCounters, Opener, Verified};
use crate::esp::packet::Parsed;
use crate::esp::sequence::infer;
use crate::esp::{Error, Opened, PaddingPolicy, SequenceNumber, Spi, WINDOW_DEFAULT, Window};
use aead::consts::{U0, U8, U16};
use aead::{AeadInPlace, KeyInit};
use core::fmt;

/// When a receiver of extended numbers looks for the sender in later halves (RFC 4303 appendix A3).
///
/// It helps after a loss of more than 2^32 packets in a row. The cost is bounded: after `failures` packets
/// in a row with a wrong ICV, the last of them is tried again with each of the next `halves` halves, and
/// then the count starts again; so a flood of forged packets costs at most `halves / failures` extra
/// verifications each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resync {
    /// How many failures in a row it takes, at least 1.
    pub failures: u32,
    /// How many halves beyond that of the highest number are tried.
    pub halves: u32,
}

/// What an authentic packet turned out to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Received {
    /// A payload.
    Payload(Opened),
    /// A dummy packet with this number, to be dropped in silence (RFC 4303 section 2.6).
    Dummy(SequenceNumber),
}

impl Received {
    /// The payload, if there is one.
    #[must_use]
    pub fn payload(self) -> Option<Opened> {
        match self {
            Self::Payload(opened) => Some(opened),
            Self::Dummy(_) => None,
        }
    }
}

/// The receiving side of a security association: a key, and which numbers were received under it.
///
/// `A` is [`Rfc7539Esp`](crate::esp::Rfc7539Esp) or another [`SaltedAead`](crate::esp::SaltedAead). `S` is the memory of the anti-replay
/// [`Window`]; the default holds the default window of 64 numbers.
///
/// ```
/// use chacha20poly1305_esp::esp::{self, Error, InboundSa, OutboundSa, Rfc7539Esp};
///
/// let mut sender = OutboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?;
/// let mut receiver = InboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?;
/// let mut packet = [0; 64];
/// let len = sender.seal_into(esp::NEXT_HEADER_IPV4, b"an IPv4 packet", &mut packet)?;
///
/// let mut again = packet;
/// let opened = receiver.open(&mut packet[..len])?.payload().expect("no dummy");
/// assert_eq!(&packet[opened.payload], b"an IPv4 packet");
/// assert_eq!(receiver.open(&mut again[..len]), Err(Error::Replay));
/// assert_eq!(receiver.counters().replay, 1);
/// # Ok::<(), Error>(())
/// ```
pub struct InboundSa<A, S = [u64; 2]> {
    pub(super) opener: Opener<A>,
    window: Window<S>,
    resync: Option<Resync>,
    /// Packets with a wrong ICV since the last good one, or since the last attempt to resynchronise.
    failures: u32,
    counters: InboundCounters,
}

/// Options of an inbound SA.
pub struct InboundBuilder<A> {
    opener: Opener<A>,
    resync: Option<Resync>,
}

impl<A: KeyInit> InboundSa<A> {
    /// An SA without extended sequence numbers, with a window of 64, and strict about padding.
    ///
    /// # Errors
    /// As [`builder`](Self::builder).
    pub fn new(spi: u32, keymat: &[u8]) -> Result<Self, Error> {
        Self::builder(spi, keymat)?.build()
    }

    /// Starts an SA with this keying material: key and salt, 36 octets for RFC 7634.
    ///
    /// # Errors
    /// [`Error::SpiZero`] for SPI 0; [`Error::KeyLength`] if `keymat` has any other length than `A`'s key.
    pub fn builder(spi: u32, keymat: &[u8]) -> Result<InboundBuilder<A>, Error> {
        let spi = Spi::new(spi)?;
        let aead = A::new_from_slice(keymat).map_err(|_| Error::KeyLength)?;
        let (extended, implicit_iv, aligned) = (false, false, false);
        let padding = PaddingPolicy::default();
        let opener = Opener { aead, spi, extended, implicit_iv, aligned, padding };
        Ok(InboundBuilder { opener, resync: None })
    }
}

impl<A> InboundBuilder<A> {
    /// Whether sequence numbers are extended to 64 bits (ESN). No, if nothing is said.
    #[must_use]
    pub fn esn(mut self, extended: bool) -> Self {
        self.opener.extended = extended;
        self
    }

    /// Whether the IV is the sequence number and not sent (RFC 8750). No, if nothing is said.
    #[must_use]
    pub fn implicit_iv(mut self, implicit: bool) -> Self {
        self.opener.implicit_iv = implicit;
        self
    }

    /// How much of the padding is checked.
    #[must_use]
    pub fn padding(mut self, policy: PaddingPolicy) -> Self {
        self.opener.padding = policy;
        self
    }

    /// Whether packets are malformed whose length is no multiple of 4 (RFC 4303 section 2.4 has senders
    /// align them). No, if nothing is said.
    #[must_use]
    pub fn require_alignment(mut self, aligned: bool) -> Self {
        self.opener.aligned = aligned;
        self
    }

    /// Whether and when the sender is looked for in later halves. Never, if nothing is said.
    #[must_use]
    pub fn resync(mut self, resync: Resync) -> Self {
        self.resync = Some(resync);
        self
    }

    /// The SA, with a window of 64.
    ///
    /// # Errors
    /// None for now.
    pub fn build(self) -> Result<InboundSa<A>, Error> {
        let window = Window::new([0; 2], WINDOW_DEFAULT)?;
        self.build_with(window)
    }

    /// The SA, with a window of any size, in memory of any kind, off, or with numbers received before.
    ///
    /// # Errors
    /// [`Error::EsnWithoutWindow`]; [`Error::SequenceExhausted`] if the window has seen a number that needs
    /// more than 32 bits, without ESN.
    ///
    /// ```
    /// # use chacha20poly1305_esp::esp::{Error, InboundSa, Rfc7539Esp, Window, window_words};
    /// const WORDS: usize = window_words(1024);
    /// let sa: InboundSa<Rfc7539Esp, [u64; WORDS]> = InboundSa::<Rfc7539Esp>::builder(0x1001, &[0x42; 36])?
    ///     .esn(true)
    ///     .build_with(Window::new([0; WORDS], 1024)?)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn build_with<S>(self, window: Window<S>) -> Result<InboundSa<A, S>, Error> {
        let Self { opener, resync } = self;
        if opener.extended && window.size() == 0 {
            return Err(Error::EsnWithoutWindow);
        }
        if !opener.extended && window.highest() > u64::from(u32::MAX) {
            return Err(Error::SequenceExhausted);
        }
        let counters = InboundCounters::default();
        Ok(InboundSa { opener, window, resync, failures: 0, counters })
    }
}

impl<A, S> InboundSa<A, S> {
    /// The SPI.
    #[must_use]
    pub fn spi(&self) -> Spi {
        self.opener.spi
    }

    /// What happened so far.
    #[must_use]
    pub fn counters(&self) -> &InboundCounters {
        &self.counters
    }

    /// The highest number received, 0 before the first.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.window.highest()
    }

    /// What several threads may verify and decrypt with.
    #[must_use]
    pub fn opener(&self) -> &Opener<A> {
        &self.opener
    }
}

impl<A, S: AsRef<[u64]> + AsMut<[u64]>> InboundSa<A, S> {
    /// First of the three steps of [`open`](Self::open), for callers that verify in parallel or in batches:
    /// whether `packet` is worth verifying. Nothing changes, nothing is counted.
    ///
    /// The second step is [`Opener::open`], the third [`commit`](Self::commit), which wants the error of
    /// the other two as well, to count it.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::UnknownSpi`], [`Error::SequenceZero`], [`Error::TooOld`],
    /// [`Error::Replay`].
    #[inline]
    pub fn check(&self, packet: &[u8]) -> Result<Checked, Error> {
        let parsed = Parsed::new(packet, self.opener.implicit_iv)?;
        self.check_parsed(parsed, packet.len())
    }

    /// The same, once a packet of `len` octets is taken apart.
    #[inline]
    pub(super) fn check_parsed(&self, parsed: Parsed, len: usize) -> Result<Checked, Error> {
        if self.opener.aligned && !len.is_multiple_of(4) {
            return Err(Error::Malformed);
        }
        if parsed.header.spi != self.opener.spi {
            return Err(Error::UnknownSpi);
        }
        let low = parsed.header.sequence;
        let number = match self.opener.extended {
            true => infer(low, self.highest(), self.window.size()).ok_or(Error::TooOld)?,
            false => low.into(),
        };
        self.window.check(number)?;
        Ok(Checked { parsed, number, extended: self.opener.extended })
    }

    /// Third step: marks the number as received, moves the window, and counts.
    ///
    /// # Errors
    /// The error that came in. [`Error::Replay`] or [`Error::TooOld`] if another packet was committed since
    /// the check that makes this one stale: then what was decrypted must not be used.
    /// [`Error::BadPadding`], whose number counts as received. [`Error::UnknownSpi`] if the packet is not
    /// of this SA.
    #[inline]
    pub fn commit(&mut self, outcome: Result<Verified, Error>) -> Result<Received, Error> {
        let received = outcome.and_then(|verified| {
            if verified.spi != self.opener.spi {
                return Err(Error::UnknownSpi);
            }
            self.window.commit(verified.number)?;
            self.failures = 0;
            match verified.opened()? {
                opened if opened.is_dummy() => Ok(Received::Dummy(opened.sequence)),
                opened => Ok(Received::Payload(opened)),
            }
        });
        match received {
            Ok(Received::Payload(_)) => {
                self.counters.accepted = self.counters.accepted.wrapping_add(1);
            }
            Ok(Received::Dummy(_)) => self.counters.dummies = self.counters.dummies.wrapping_add(1),
            Err(error) => self.counters.count(error),
        }
        received
    }

    /// A packet with a wrong ICV, once more with later halves if it is time for that.
    #[cold]
    pub(super) fn retry(
        &mut self,
        error: Error,
        failed: &Checked,
        mut open: impl FnMut(&Opener<A>, &Checked) -> Result<Verified, Error>,
    ) -> Result<Verified, Error> {
        let tried = failed.number >> 32;
        let half = self.highest() >> 32;
        if error != Error::AuthFailed || !self.opener.extended {
            return Err(error);
        }
        if tried > half {
            self.counters.perhaps_too_old = self.counters.perhaps_too_old.wrapping_add(1);
        }
        let Some(Resync { failures, halves }) = self.resync else { return Err(error) };
        self.failures += 1;
        if self.failures < failures {
            return Err(error);
        }
        self.failures = 0;
        let last = (half + u64::from(halves)).min(u32::MAX.into());
        for half in (half + 1..=last).filter(|&half| half != tried) {
            let number = half << 32 | u64::from(failed.parsed.header.sequence);
            match open(&self.opener, &Checked { number, ..*failed }) {
                Err(Error::AuthFailed) => {}
                outcome => return outcome,
            }
        }
        Err(error)
    }
}

impl<A, S> InboundSa<A, S>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    S: AsRef<[u64]> + AsMut<[u64]>,
{
    /// Opens `packet` in place.
    ///
    /// In this order (RFC 4303 section 3.4): length, SPI, number, ICV, then the window moves, then padding
    /// and next header are looked at.
    ///
    /// # Errors
    /// With `packet` unchanged: [`Error::Malformed`], [`Error::UnknownSpi`], [`Error::SequenceZero`],
    /// [`Error::TooOld`], [`Error::Replay`], [`Error::AuthFailed`]. [`Error::BadPadding`] leaves zeros
    /// between IV and ICV. All are counted.
    #[inline]
    pub fn open(&mut self, packet: &mut [u8]) -> Result<Received, Error> {
        let outcome = self.check(packet).and_then(|checked| {
            self.opener
                .open(&checked, packet)
                .or_else(|error| self.retry(error, &checked, |o, c| o.open(c, packet)))
        });
        self.commit(outcome)
    }

    /// Opens `packet` into the front of `out`, which must have room for the packet without header, IV and
    /// ICV; the payload's range is one of `out`.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`Error::BufferTooSmall`] with nothing written. After
    /// [`Error::AuthFailed`] and [`Error::BadPadding`] the part of `out` that the text would have taken is
    /// zero.
    #[inline]
    pub fn open_into(&mut self, packet: &[u8], out: &mut [u8]) -> Result<Received, Error> {
        let outcome = self.check(packet).and_then(|checked| {
            self.opener
                .open_into(&checked, packet, out)
                .or_else(|error| self.retry(error, &checked, |o, c| o.open_into(c, packet, out)))
        });
        self.commit(outcome)
    }
}

impl<A, S> fmt::Debug for InboundSa<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundSa")
            .field("opener", &self.opener)
            .field("highest", &self.window.highest())
            .field("window", &self.window.size())
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

impl<A> fmt::Debug for InboundBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundBuilder").field("opener", &self.opener).finish_non_exhaustive()
    }
}
