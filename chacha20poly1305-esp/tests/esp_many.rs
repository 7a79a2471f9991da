//! Many threads, many packets, many security associations.

mod esp_support;

use chacha20poly1305_esp::esp::{
    self, Error, HEADROOM, InboundSa, OpenJob, OutboundSa, Rfc7539Esp, SaTable, SealJob, Spi,
    TAILROOM, Window,
};
use esp_support::*;
use std::collections::HashSet;

#[test]
fn several_threads_seal_on_one_sa() {
    let sa = builder().esn(true).first_number((1 << 32) - 500).build_shared().unwrap();
    let packet = |_| {
        let mut packet = vec![0; 36];
        sa.seal_into(17, b"", &mut packet).unwrap();
        packet
    };
    let packets: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let work = || (0..250).map(packet).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    let ivs: HashSet<_> = packets.iter().map(|p| p[8..16].to_vec()).collect();
    assert_eq!((ivs.len(), sa.last()), (1000, (1 << 32) + 499));

    let mut window = Window::boxed(1024).unwrap();
    window.commit((1 << 32) - 501).unwrap();
    let builder = InboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT)).unwrap().esn(true);
    let mut receiver = builder.build_with(window).unwrap();
    for mut packet in packets {
        receiver.open(&mut packet).unwrap();
    }
}

#[test]
fn batches_of_several_sas() {
    let keymat = unhex(KEYMAT);
    let spis = [7, 8];
    let mut senders = spis.map(|spi| OutboundSa::<Rfc7539Esp>::new(spi, &keymat).unwrap());
    let mut singly = spis.map(|spi| OutboundSa::<Rfc7539Esp>::new(spi, &keymat).unwrap());
    let mut buffers: Vec<Vec<u8>> =
        (0..20).map(|n| [&[0; HEADROOM][..], &pattern(n * 9), &[0; TAILROOM]].concat()).collect();
    let mut expected = buffers.clone();
    let mut jobs: Vec<SealJob> = (0usize..)
        .zip(&mut buffers)
        .map(|(n, buffer)| SealJob {
            sa: n % 3,
            ..SealJob::new(17, buffer, HEADROOM..HEADROOM + n * 9)
        })
        .collect();
    let sealed = esp::seal_batch(&mut senders, &mut jobs);
    let mut ranges = vec![];
    for (n, job) in jobs.iter().enumerate() {
        let single = match singly.get_mut(n % 3) {
            None => Err(Error::UnknownSpi),
            Some(sa) => sa.seal(17, &mut expected[n], HEADROOM..HEADROOM + n * 9),
        };
        assert_eq!(job.result, Some(single.clone()));
        ranges.push(single);
    }
    assert_eq!(sealed, 14);
    drop(jobs);
    assert_eq!(buffers, expected);

    let mut table = SaTable::new();
    for spi in [8, 7] {
        assert!(table.insert(InboundSa::<Rfc7539Esp>::new(spi, &keymat).unwrap()).is_none());
    }
    let mut packets: Vec<Vec<u8>> =
        buffers.iter().zip(ranges).filter_map(|(b, r)| Some(b[r.ok()?].to_vec())).collect();
    packets.push(packets[5].clone());
    let indices: Vec<usize> = packets.iter().map(|p| table.index_for(p).unwrap()).collect();
    let mut jobs: Vec<OpenJob> = indices
        .iter()
        .zip(&mut packets)
        .map(|(&sa, packet)| OpenJob { sa, ..OpenJob::new(packet) })
        .collect();
    assert_eq!(esp::open_batch(table.as_mut_slice(), &mut jobs), 14);
    assert_eq!(jobs[14].result, Some(Err(Error::Replay)));
    assert!(jobs[..14].iter().all(|job| matches!(job.result, Some(Ok(_)))));
    let mut none = [OpenJob { sa: 2, ..OpenJob::new(&mut []) }];
    assert_eq!(esp::open_batch(table.as_mut_slice(), &mut none), 0);
    assert_eq!(none[0].result, Some(Err(Error::UnknownSpi)));
}

#[test]
fn table_of_sas() {
    let keymat = unhex(KEYMAT);
    let sa = |spi| InboundSa::<Rfc7539Esp>::new(spi, &keymat).unwrap();
    let mut table = SaTable::default();
    for spi in [5, 900, 3, u32::MAX, 4] {
        assert!(table.insert(sa(spi)).is_none());
    }
    let order: Vec<_> = table.as_slice().iter().map(|sa| sa.spi().get()).collect();
    assert_eq!(order, [3, 4, 5, 900, u32::MAX]);
    let mut packet = [0; 36];
    OutboundSa::<Rfc7539Esp>::new(900, &keymat).unwrap().seal_into(17, &[], &mut packet).unwrap();
    assert!(table.open(&mut { packet }).is_ok());
    assert_eq!(table.open(&mut { packet }), Err(Error::Replay));
    let spi = Spi::new(900).unwrap();
    assert_eq!(table.get(spi).unwrap().counters().replay, 1);
    // A new SA under the same SPI has a window of its own.
    assert_eq!(table.insert(sa(900)).unwrap().highest(), 1);
    assert!(table.get_mut(spi).unwrap().open(&mut { packet }).is_ok());
    assert!(table.remove(spi).is_some() && table.remove(spi).is_none());
    assert_eq!(table.open(&mut packet), Err(Error::UnknownSpi));
    assert_eq!(table.open(&mut [0; 50]), Err(Error::Malformed));
    assert_eq!(table.open(&mut []), Err(Error::Malformed));
    assert_eq!((table.unknown_spi(), table.malformed()), (1, 2));
}
