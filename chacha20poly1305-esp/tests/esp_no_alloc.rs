//! Nothing on a packet's way allocates: an allocator that counts, and a run of all that a gateway does.

use chacha20poly1305_esp::esp::{
    self, Error, HEADROOM, InboundSa, OpenJob, OutboundSa, Rfc7539Esp, SealJob, SealOptions,
    TAILROOM, Window,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    // Of this thread alone: what the test harness does beside it is its own affair.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` comes from `alloc` above, so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_packet_path_does_not_allocate() {
    let keymat = [0x42; 36];
    let mut window = Window::boxed(4096).unwrap();
    window.commit_up_to((1 << 32) - 50);
    let before = ALLOCATIONS.get();

    let builder = || OutboundSa::<Rfc7539Esp>::builder(7, &keymat).unwrap().esn(true);
    let mut out = builder().first_number((1 << 32) - 49).build().unwrap();
    let shared = builder().build_shared().unwrap();
    let mut sa =
        InboundSa::<Rfc7539Esp>::builder(7, &keymat).unwrap().esn(true).build_with(window).unwrap();
    let (mut buffer, mut copy) = ([0; HEADROOM + 1500 + TAILROOM], [0; 1600]);
    for len in (0..1500).step_by(13) {
        let range = out.seal(17, &mut buffer, HEADROOM..HEADROOM + len).unwrap();
        assert!(sa.open(&mut buffer[range.clone()]).is_ok());
        assert_eq!(sa.open(&mut buffer[range]).err(), Some(Error::Replay));
        let options = SealOptions::new(esp::NEXT_HEADER_IPV4).padded_to(700);
        let len = out.seal_into(options, &copy[..len], &mut buffer).unwrap();
        buffer[20] ^= 1;
        assert_eq!(sa.open_into(&buffer[..len], &mut copy).err(), Some(Error::AuthFailed));
        let middle = HEADROOM + len / 2;
        let (a, b) = buffer.split_at_mut(middle.min(700));
        let range = out.seal_segments(4, &mut [a, b], HEADROOM..HEADROOM + 700).unwrap();
        let (a, b) = buffer[range].split_at_mut(300);
        assert!(sa.open_segments(&mut [a, b]).is_ok());
        shared.seal_into(SealOptions::dummy(9), &[], &mut buffer).unwrap();
    }
    let mut buffers = [[0; 128]; 4];
    let mut jobs = buffers.each_mut().map(|buffer| SealJob::new(4, buffer, 16..80));
    assert_eq!(esp::seal_batch(std::slice::from_mut(&mut out), &mut jobs), 4);
    let mut jobs = buffers.each_mut().map(|packet| OpenJob::new(&mut packet[..100]));
    assert_eq!(esp::open_batch(std::slice::from_mut(&mut sa), &mut jobs), 4);
    assert_eq!(ALLOCATIONS.get(), before);
}
