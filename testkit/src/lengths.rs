//! Which lengths a test goes through.

/// The environment variable that thins [`up_to`] out: a number.
pub const VARIABLE: &str = "TEST_STRIDE";

/// All lengths from 0 to `max`; under an emulator, which needs minutes for a second's work, every
/// n-th where [`VARIABLE`] is n. Take an odd number, so that all distances from a block's edge come
/// up.
///
/// # Panics
/// If the variable is not a number of at least 1.
pub fn up_to(max: usize) -> impl Iterator<Item = usize> + Clone {
    let stride =
        std::env::var(VARIABLE).map_or(1, |text| text.parse().expect("TEST_STRIDE: a number"));
    (0..=max).step_by(stride)
}

#[cfg(test)]
mod tests {
    #[test]
    fn reaches_the_end() {
        if std::env::var(super::VARIABLE).is_err() {
            assert_eq!(super::up_to(3).collect::<Vec<_>>(), [0, 1, 2, 3]);
        }
    }
}
