//! Results to nearest against the host's arithmetic, which knows no flags: a third opinion, and a fast one.

use super::super::*;
use super::Random;

#[test]
fn results_to_nearest_are_the_hosts() {
    let mut random = Random(0xA076_1D64_78BD_642F);
    let mut fpscr = Fpscr::default();
    let same = |ours: u32, host: f32| ours == host.to_bits() || (host.is_nan() && f32::from_bits(ours).is_nan());
    for _ in 0..1_000_000 {
        let (a, b, c) = (random.operand(), random.operand(), random.operand());
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        assert!(same(add(a, b, &mut fpscr), x + y), "{a:08x} + {b:08x}");
        assert!(same(sub(a, b, &mut fpscr), x - y), "{a:08x} - {b:08x}");
        assert!(same(mul(a, b, &mut fpscr), x * y), "{a:08x} × {b:08x}");
        assert!(same(div(a, b, &mut fpscr), x / y), "{a:08x} ÷ {b:08x}");
        assert!(same(sqrt(a, &mut fpscr), x.sqrt()), "√ {a:08x}");
        assert!(same(fma(a, b, c, &mut fpscr), y.mul_add(z, x)), "{a:08x} + {b:08x} × {c:08x}");
        assert!(same(from_i32(a as i32, &mut fpscr), a as i32 as f32), "{a:08x} as f32");
        assert!(same(from_u32(a, &mut fpscr), a as f32), "{a:08x} as f32");
        assert_eq!(to_i32(a, Rounding::Zero, &mut fpscr), x as i32 as u32, "{a:08x} as i32");
        assert_eq!(to_u32(a, Rounding::Zero, &mut fpscr), x as u32, "{a:08x} as u32");
    }
}
