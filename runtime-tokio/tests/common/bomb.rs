//! A compressed body that is much larger than it looks.

/// This many bytes of gzip, which give 158 times as many: fixed codes (RFC 1951), one zero, and 258 more as often as
/// there is room.
pub(crate) fn gzip(size: usize) -> Vec<u8> {
    let mut bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    let mut bits = Bits { bytes: &mut bytes, used: 0 };
    bits.push([true, true, false]);
    bits.push([false, false, true, true, false, false, false, false]);
    while bits.bytes.len() < size {
        // Length 258, distance 1.
        bits.push([true, true, false, false, false, true, false, true, false, false, false, false, false]);
    }
    bytes
}

struct Bits<'a> {
    bytes: &'a mut Vec<u8>,
    used: u32,
}

impl Bits<'_> {
    fn push<const N: usize>(&mut self, bits: [bool; N]) {
        for bit in bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().expect("there is a byte") |= u8::from(bit) << (self.used % 8);
            self.used += 1;
        }
    }
}
