//! What this CPU offers, as far as a backend asks for it.

/// Features that matter here, and whether this CPU (with its system) has them.
pub(crate) fn features() -> Vec<(&'static str, bool)> {
    macro_rules! detected {
        ($($feature:tt),* $(,)?) => {
            vec![$(($feature, {
                #[cfg(target_arch = "x86_64")]
                { std::arch::is_x86_feature_detected!($feature) }
                #[cfg(not(target_arch = "x86_64"))]
                { false }
            })),*]
        };
    }
    detected![
        "sse2",
        "ssse3",
        "avx2",
        "bmi2",
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512ifma",
    ]
}

/// The features that the backend `name` needs and this CPU lacks.
pub(crate) fn missing(name: &str) -> Vec<&'static str> {
    let needs: &[&str] = match name {
        "sse2" => &["sse2"],
        "ssse3" => &["sse2", "ssse3"],
        "avx2" => &["avx2", "bmi2"],
        "avx512" => &["avx512f", "avx512bw", "avx512vl", "avx512ifma"],
        _ => &[],
    };
    let lacks = |(feature, has): (&'static str, bool)| {
        (needs.contains(&feature) && !has).then_some(feature)
    };
    features().into_iter().filter_map(lacks).collect()
}

/// Why a backend cannot be had: this CPU lacks it, or the crates do not have it.
pub(crate) fn absence(name: &str) -> &'static str {
    if missing(name).is_empty() { "not built" } else { "no cpu" }
}
