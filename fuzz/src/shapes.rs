//! How structs and enums are laid out as bytes.

/// A struct is its fields, in this order.
macro_rules! record {
    ($record:ident { $($field:ident),* $(,)? }) => {
        impl Coded for $record {
            fn read(from: &mut Bytes<'_>) -> Self {
                $(let $field = from.read();)*
                Self { $($field),* }
            }

            fn write(&self, to: &mut Vec<u8>) {
                $(self.$field.write(to);)*
            }
        }
    };
}

/// One of several is its number among them, and what it has with it.
macro_rules! choice {
    ($choice:ident { $($number:literal => $name:ident $(($($inner:ident),*))?),* $(,)? } of $count:literal) => {
        impl Coded for $choice {
            fn read(from: &mut Bytes<'_>) -> Self {
                match from.below($count) {
                    $($number => {
                        $($(let $inner = from.read();)*)?
                        Self::$name $(($($inner),*))?
                    })*
                    _ => unreachable!("all numbers below the count have a name"),
                }
            }

            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $(Self::$name $(($($inner),*))? => {
                        to.push($number);
                        $($($inner.write(to);)*)?
                    })*
                }
            }
        }
    };
}

pub(crate) use {choice, record};
