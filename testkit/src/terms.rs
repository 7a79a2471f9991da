//! The notation for byte strings in `vectors/*.json`.
//!
//! Blank-separated terms, put one after the other:
//!
//! | term | bytes |
//! |---|---|
//! | `HEX` | the bytes themselves |
//! | `HEX*N` | `HEX`, N times |
//! | `inc:START:LEN` | START, START + 1, .. modulo 256 |
//! | `mul:A:B:LEN` | octet i is A * i + B modulo 256 |

use std::fmt;

/// A term that is none of those above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTerm(String);

impl fmt::Display for BadTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a byte string term: {:?}", self.0)
    }
}

impl std::error::Error for BadTerm {}

/// The bytes that `text` stands for.
///
/// # Errors
/// [`BadTerm`] with the first term that cannot be read.
///
/// ```
/// assert_eq!(testkit::terms::parse("00ff 01*2 inc:254:3").unwrap(), [0, 255, 1, 1, 254, 255, 0]);
/// assert_eq!(testkit::terms::parse("mul:7:3:3").unwrap(), [3, 10, 17]);
/// assert!(testkit::terms::parse("0").is_err());
/// ```
pub fn parse(text: &str) -> Result<Vec<u8>, BadTerm> {
    let mut out = Vec::new();
    for term in text.split_whitespace() {
        one(term, &mut out).ok_or_else(|| BadTerm(term.to_owned()))?;
    }
    Ok(out)
}

fn one(term: &str, out: &mut Vec<u8>) -> Option<()> {
    let (a, b, len): (u8, u8, usize) = if let Some(rest) = term.strip_prefix("inc:") {
        let (start, len) = rest.split_once(':')?;
        (1, start.parse().ok()?, len.parse().ok()?)
    } else if let Some(rest) = term.strip_prefix("mul:") {
        let (a, rest) = rest.split_once(':')?;
        let (b, len) = rest.split_once(':')?;
        (a.parse().ok()?, b.parse().ok()?, len.parse().ok()?)
    } else {
        let (digits, times) = match term.split_once('*') {
            Some((digits, times)) => (digits, times.parse().ok()?),
            None => (term, 1),
        };
        let bytes = hex(digits)?;
        out.extend(std::iter::repeat_n(bytes, times).flatten());
        return Some(());
    };
    out.extend((0..len).map(|i| a.wrapping_mul(i as u8).wrapping_add(b)));
    Some(())
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|p| Some((digit(p[0])? * 16 + digit(*p.get(1)?)?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn wrong_terms() {
        for text in ["0", "0g", "ff*", "ff*x", "inc:1", "inc:256:1", "mul:1:2", "00 mul:1:2:x"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse("ff*0").unwrap(), []);
        assert_eq!(parse("mul:3:1:300").unwrap()[299], (3 * 299 + 1) as u8);
    }
}
