//! Work that is done in the shadow of the rounds.

/// Work for the scalar units while the vector units go through the rounds: the authenticator of an
/// AEAD, a block at a time.
///
/// The two share hardly any execution port, and each alone spends most of its time waiting for its
/// own results. So the kernels call [`step`](Self::step) several times in a double round, and
/// the out-of-order core runs both at once: stitching, as the AES-CTR and GHASH loops of TLS
/// libraries do it. The kernels are generic over it, and `step` must be inlined.
pub trait Beside {
    /// Does the next piece, of about 15 cycles' latency, or nothing once all is done.
    fn step(&mut self);

    /// Called after each column round: for work that goes by the rounds.
    #[inline(always)]
    fn column_round(&mut self) {}

    /// Called after each diagonal round.
    #[inline(always)]
    fn diagonal_round(&mut self) {}

    /// Called after the rounds, before their blocks are put together.
    #[inline(always)]
    fn done(&mut self) {}
}

/// Nothing to do.
#[derive(Debug)]
pub(crate) struct Idle;

impl Beside for Idle {
    #[inline(always)]
    fn step(&mut self) {}
}
