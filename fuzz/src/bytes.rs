//! Values as bytes, read so that any byte string is one, and written so that a known value can be a seed.

use conformance::json::{Bytes as Text, Span};

/// What is left to read; zeros follow its end.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// One of `count` numbers from 0 on.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// At most `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub fn read<T: Coded>(&mut self) -> T {
        T::read(self)
    }
}

/// A value that has a form in bytes.
pub trait Coded: Sized {
    fn read(from: &mut Bytes<'_>) -> Self;
    fn write(&self, to: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Coded for $number {
            fn read(from: &mut Bytes<'_>) -> Self {
                let mut bytes = [0; size_of::<Self>()];
                bytes.fill_with(|| from.byte());
                Self::from_le_bytes(bytes)
            }

            fn write(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        })*
    };
}

numbers!(u8 u16 u32 u64 i64 f64);

impl Coded for bool {
    fn read(from: &mut Bytes<'_>) -> Self {
        from.byte() % 2 == 1
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.push((*self).into());
    }
}

/// The times that matter are few: round ones, in which many moments coincide, and ones of a few nanoseconds.
impl Coded for Span {
    fn read(from: &mut Bytes<'_>) -> Self {
        match from.below(4) {
            0 => Self::from_millis(100 * u64::from(from.byte())),
            1 => Self::from_nanos(from.byte().into()),
            2 => Self::from_secs(from.read::<u16>().into()),
            // Up to 104 days: the sum of many is far from what u64 holds, where the core stops counting on purpose.
            _ => Self::from_nanos(from.read::<u64>() >> 11),
        }
    }

    fn write(&self, to: &mut Vec<u8>) {
        let nanos = self.as_nanos();
        let whole = |unit| if nanos.is_multiple_of(unit) { nanos / unit } else { u64::MAX };
        if let Ok(tenths) = u8::try_from(whole(100_000_000)) {
            to.extend([0, tenths]);
        } else if let Ok(few) = u8::try_from(nanos) {
            to.extend([1, few]);
        } else if let Ok(secs) = u16::try_from(whole(1_000_000_000)) {
            to.push(2);
            secs.write(to);
        } else {
            to.push(3);
            (nanos << 11).write(to);
        }
    }
}

impl Coded for Text {
    fn read(from: &mut Bytes<'_>) -> Self {
        let length = from.byte();
        Self(from.take(length.into()).to_vec())
    }

    fn write(&self, to: &mut Vec<u8>) {
        let length = u8::try_from(self.0.len()).unwrap_or(u8::MAX);
        to.push(length);
        to.extend(&self.0[..length.into()]);
    }
}

impl<T: Coded> Coded for Option<T> {
    fn read(from: &mut Bytes<'_>) -> Self {
        if from.read() { Some(from.read()) } else { None }
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }
}

/// At most seven: what is of interest in a long list is in a short one.
impl<T: Coded> Coded for Vec<T> {
    fn read(from: &mut Bytes<'_>) -> Self {
        (0..from.below(8)).map(|_| from.read()).collect()
    }

    fn write(&self, to: &mut Vec<u8>) {
        let first = &self[..self.len().min(7)];
        to.push(u8::try_from(first.len()).unwrap_or_default());
        first.iter().for_each(|value| value.write(to));
    }
}
