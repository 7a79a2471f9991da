//! A painted stack: what a call leaves behind on it and in the registers.

use std::arch::asm;
use std::ffi::c_void;

use crate::Guarded;

/// Bytes of the stack that a call gets.
const STACK_SIZE: usize = 256 << 10;

/// What the stack is painted with.
const PAINT: u8 = 0xee;

/// Bytes of all vector registers: 32 of 64 bytes, as far as the CPU has them.
const VECTORS_SIZE: usize = 32 * 64;

/// Bytes of the mask registers of AVX-512, and of the general registers that a call may change.
const MASKS_SIZE: usize = 8 * 8;
const GENERAL_SIZE: usize = 9 * 8;

/// All of them, in this order.
const REGISTERS_SIZE: usize = VECTORS_SIZE + MASKS_SIZE + GENERAL_SIZE;

/// Bytes that a call left behind.
pub struct Traces {
    stack: Guarded,
    registers: Box<[u8; REGISTERS_SIZE]>,
}

impl Traces {
    /// The stack, from its lowest address on.
    pub fn stack(&mut self) -> &[u8] {
        self.stack.all()
    }

    /// The registers as the call left them: vectors, 64 bytes each, then masks and general registers,
    /// 8 bytes each; zeros where the CPU has none.
    #[must_use]
    pub fn registers(&self) -> &[u8] {
        &self.registers[..]
    }

    /// How deep the call went: bytes between the top of the stack and the last byte that is not
    /// paint.
    pub fn depth(&mut self) -> usize {
        let stack = self.stack();
        stack.len() - stack.iter().position(|&byte| byte != PAINT).unwrap_or(stack.len())
    }

    /// The eight bytes from every fourth one on, of the stack and of the registers, that `is_secret`
    /// takes for a secret: how far from the top of the stack, or `None` for a register.
    pub fn find(&mut self, is_secret: impl Fn(u64) -> bool) -> Vec<(Option<usize>, u64)> {
        let words = |bytes: &[u8]| {
            let windows = bytes.windows(8).step_by(4);
            let words = windows.map(|window| u64::from_le_bytes(window.try_into().unwrap()));
            words.enumerate().filter(|&(_, word)| is_secret(word)).collect::<Vec<_>>()
        };
        // What is still painted as a whole holds none, and is nearly all of the stack.
        let reached = self.depth().next_multiple_of(4).min(self.stack.capacity());
        let on_stack = words(self.stack.at_end(reached));
        let in_registers = words(&self.registers[..]);
        let on_stack = on_stack.into_iter().map(|(i, word)| (Some(reached - 4 * i), word));
        on_stack.chain(in_registers.into_iter().map(|(_, word)| (None, word))).collect()
    }
}

/// Calls `f` on a painted stack of its own, which keeps what the call leaves.
///
/// `f` must not panic: nothing can unwind from that stack, and the process aborts.
///
/// ```
/// let mut traces = testkit::painted::run(|| {
///     let local = std::hint::black_box([0x0123_4567_89ab_cdef_u64; 4]);
///     std::hint::black_box(&local);
/// });
/// assert!(!traces.find(|word| word == 0x0123_4567_89ab_cdef).is_empty());
/// ```
pub fn run<F: FnMut()>(mut f: F) -> Traces {
    unsafe extern "sysv64" fn call<F: FnMut()>(f: *mut c_void) {
        // SAFETY: `run` passes its own `f`, which nobody else uses meanwhile.
        unsafe { (*f.cast::<F>())() }
    }
    let mut stack = Guarded::new(STACK_SIZE);
    stack.all().fill(PAINT);
    let top = stack.all().as_mut_ptr_range().end;
    let mut registers = Box::new([0; REGISTERS_SIZE]);
    // A width that the CPU has, in bytes. Masks are of 64 bits with AVX-512 BW.
    let width = if is_x86_feature_detected!("avx512bw") {
        64
    } else if is_x86_feature_detected!("avx") {
        32
    } else {
        16
    };
    macro_rules! call_and_store {
        ($move:literal, $vector:literal, [$($n:literal)*], [$($mask:literal)*]) => {
            // SAFETY: the new stack is aligned and large, and `call` does not unwind: `extern
            // "sysv64"` aborts. Registers are stored only as far as the CPU has them, to where each
            // has room. r12 to r15 are the callee's to keep.
            unsafe {
                asm!(
                    // What they hold by now is none of the call's.
                    $(concat!($move, " ", $vector, $n, ", [r15]"),)*
                    $(concat!("kmovq k", $mask, ", [r15]"),)*
                    "mov r12, rsp",
                    "mov rsp, r13",
                    "call r14",
                    "mov rsp, r12",
                    $(concat!($move, " [r15 + 64 * ", $n, "], ", $vector, $n),)*
                    $(concat!("kmovq [r15 + {masks} + 8 * ", $mask, "], k", $mask),)*
                    "mov [r15 + {general}], rax; mov [r15 + {general} + 8], rcx",
                    "mov [r15 + {general} + 16], rdx; mov [r15 + {general} + 24], rsi",
                    "mov [r15 + {general} + 32], rdi; mov [r15 + {general} + 40], r8",
                    "mov [r15 + {general} + 48], r9; mov [r15 + {general} + 56], r10",
                    "mov [r15 + {general} + 64], r11 /* {masks} */",
                    masks = const VECTORS_SIZE,
                    general = const VECTORS_SIZE + MASKS_SIZE,
                    in("rdi") (&raw mut f).cast::<c_void>(),
                    in("r13") top,
                    in("r14") call::<F> as unsafe extern "sysv64" fn(*mut c_void),
                    in("r15") registers.as_mut_ptr(),
                    out("r12") _,
                    clobber_abi("sysv64"),
                );
            }
        };
    }
    match width {
        64 => call_and_store!(
            "vmovdqu64",
            "zmm",
            [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31],
            [0 1 2 3 4 5 6 7]
        ),
        32 => call_and_store!("vmovdqu", "ymm", [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], []),
        _ => call_and_store!("movdqu", "xmm", [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], []),
    }
    Traces { stack, registers }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: u64 = 0x0f1e_2d3c_4b5a_6978;

    /// A secret that is left on the stack or in a register is found, and one that is not isn't.
    #[test]
    fn finds_what_is_left() {
        let mut traces = run(|| {
            let array = std::hint::black_box([SECRET; 3]);
            std::hint::black_box(&array);
        });
        let found = traces.find(|word| word == SECRET);
        assert!(found.len() >= 3 && found.iter().all(|(at, _)| at.is_some()));
        assert!((24..traces.depth() + 1).contains(&found[0].0.unwrap()));

        let in_registers = |leak: fn()| {
            let found = run(leak).find(|word| word == SECRET);
            found.iter().filter(|(at, _)| at.is_none()).count()
        };
        // SAFETY: these write registers that any function may.
        let vector = in_registers(|| unsafe {
            asm!("movq xmm7, {}", in(reg) SECRET, out("xmm7") _, options(nomem, nostack));
        });
        // SAFETY: as above.
        let general = in_registers(|| unsafe {
            asm!("mov r11, {}", const SECRET, out("r11") _, options(nomem, nostack));
        });
        assert_eq!((vector, general), (1, 1));

        let mut traces = run(|| ());
        assert!(traces.find(|word| word == SECRET).is_empty());
        assert!(traces.depth() < 1024, "{}", traces.depth());
    }
}
