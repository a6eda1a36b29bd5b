//! Fused multiply and add.

use crate::environment::{Environment, flags};
use crate::round::{HEADROOM, Real};
use crate::unpack::{Class, invalid, is_normal, unpack};
use crate::{DEFAULT_NAN, INFINITY, SIGN};

/// The shift that a product of 48 bits needs for a sum: see [`Real::plus`].
pub const PRODUCT_HEADROOM: u32 = 61 - 47;

/// The fused `addend + a × b`, rounded once; with [`SIGN`] as `negate`, `addend - a × b`. Negation changes no NaN.
#[inline]
pub fn multiply_add<E: Environment>(addend: u32, a: u32, b: u32, negate: u32, environment: &mut E) -> u32 {
    if is_normal(addend) && is_normal(a) && is_normal(b) {
        let product = Real::normal(a ^ negate).times(Real::normal(b));
        Real::normal(addend).scaled_up(HEADROOM).plus(product.scaled_up(PRODUCT_HEADROOM), environment)
    } else {
        multiply_add_any(addend, a, b, negate, environment)
    }
}

#[inline(never)]
fn multiply_add_any<E: Environment>(addend: u32, a: u32, b: u32, negate: u32, environment: &mut E) -> u32 {
    let (addend, mut a, b) = (unpack(addend, environment), unpack(a, environment), unpack(b, environment));
    let nan = environment.nan([&addend, &a, &b]);
    let has_no_product = matches!((a.class, b.class), (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity));
    match nan {
        // A quiet addend does not hide that the product is invalid; a signalling one comes first.
        Some(nan) if has_no_product && addend.class == Class::QuietNan => {
            environment.raise(flags::INVALID);
            return if E::QUIET_ADDEND_SURVIVES { nan } else { DEFAULT_NAN };
        }
        Some(nan) => return nan,
        None => {}
    }
    a.real.sign ^= negate;
    let sign = a.real.sign ^ b.real.sign;
    let infinite = a.class == Class::Infinity || b.class == Class::Infinity;
    let zero = a.class == Class::Zero || b.class == Class::Zero;
    match addend.class {
        _ if has_no_product => invalid(environment),
        Class::Infinity if infinite && addend.real.sign != sign => invalid(environment),
        Class::Infinity => addend.real.sign | INFINITY,
        _ if infinite => sign | INFINITY,
        Class::Zero if zero && addend.real.sign == sign => sign & SIGN,
        _ => {
            let product = a.real.times(b.real).scaled_up(PRODUCT_HEADROOM);
            addend.real.scaled_up(HEADROOM).plus(product, environment)
        }
    }
}
