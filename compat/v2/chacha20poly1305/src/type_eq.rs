//! Whether two types are the same, without the bound `'static` on the first.

use core::any::TypeId;
use core::marker::PhantomData;
use core::mem::transmute;

/// Whether `A`, were its lifetimes `'static`, would be `B`. Known at compile time.
///
/// `TypeId::of` wants `A: 'static`. The original has no such bound on the stream cipher, and to add
/// it would break code that is generic over one.
#[inline(always)]
pub(crate) fn type_eq<A, B: 'static>() -> bool {
    trait Id {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T> Id for PhantomData<T> {
        #[inline(always)]
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let marker = PhantomData::<A>;
    // SAFETY: only the lifetime bound of the trait object changes, which is not part of its layout.
    // `id` returns a number; no reference that lives in `A` is made or used.
    let marker: &(dyn Id + 'static) = unsafe { transmute::<&dyn Id, _>(&marker) };
    marker.id() == TypeId::of::<B>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_types_apart() {
        assert!(type_eq::<chacha20::ChaCha20, chacha20::ChaCha20>());
        assert!(!type_eq::<chacha20::ChaCha12, chacha20::ChaCha20>());
        assert!(!type_eq::<&mut chacha20::ChaCha20, chacha20::ChaCha20>());
    }

    fn borrowed<'a>(_: &'a str) -> bool {
        type_eq::<&'a str, &'static str>()
    }

    #[test]
    fn takes_types_that_borrow() {
        assert!(borrowed(&std::string::String::from("a")));
    }

    extern crate std;
}
