//! The algorithm of Volder 1959 and Walther 1971: rotations by angles whose tangents are powers of two, in integers.
//!
//! Lengths have 24 bits behind the point, as the engine of 24 bits has, and angles 30. The manual gives the error that
//! iterations leave, not the roundings below it: those are this model's own.

/// Bits behind the point of a length, and of an angle.
const LENGTH: u32 = 24;
const ANGLE: u32 = 30;
const ONE: i64 = 1 << LENGTH;
/// Half a turn: circular angles are multiples of pi.
const HALF_TURN: i64 = 1 << ANGLE;

/// The product of the cosines of all circular angles, and of the inverse hyperbolic ones, which the engine takes whatever the
/// number of iterations is.
const CIRCULAR: i64 = 0x9b74ee;
const HYPERBOLIC: i64 = 0x1351e87;

/// atan(2^-i) / pi.
const ATAN: [i64; 28] = [
    0x10000000, 0x972028f, 0x4fd9c2e, 0x28888ea, 0x14586a2, 0xa2ebf1, 0x517b0f, 0x28be2b, 0x145f2a, 0xa2f97, 0x517cc,
    0x28be6, 0x145f3, 0xa2fa, 0x517d, 0x28be, 0x145f, 0xa30, 0x518, 0x28c, 0x146, 0xa3, 0x51, 0x29, 0x14, 0xa, 0x5,
    0x3,
];

/// atanh(2^-i), from i = 1 on.
const ATANH: [i64; 28] = [
    0x0, 0x2327d4f5, 0x1058aefb, 0x80ac48e, 0x4015623, 0x2002ab1, 0x1000556, 0x8000ab, 0x400015, 0x200003, 0x100000,
    0x80000, 0x40000, 0x20000, 0x10000, 0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x200, 0x100, 0x80, 0x40, 0x20,
    0x10, 0x8,
];

/// The functions, by their number in CSR.FUNC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Cosine,
    Sine,
    Phase,
    Modulus,
    Arctangent,
    HyperbolicCosine,
    HyperbolicSine,
    HyperbolicArctangent,
    Logarithm,
    SquareRoot,
}

impl Function {
    pub(super) const fn of(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Cosine,
            1 => Self::Sine,
            2 => Self::Phase,
            3 => Self::Modulus,
            4 => Self::Arctangent,
            5 => Self::HyperbolicCosine,
            6 => Self::HyperbolicSine,
            7 => Self::HyperbolicArctangent,
            8 => Self::Logarithm,
            9 => Self::SquareRoot,
            _ => return None,
        })
    }

    /// The scales that the manual allows (RM0440, "Scaling factor").
    pub(super) const fn scales(self) -> (u32, u32) {
        match self {
            Self::Cosine | Self::Sine | Self::Phase | Self::Modulus => (0, 0),
            Self::Arctangent => (0, 7),
            Self::HyperbolicCosine | Self::HyperbolicSine | Self::HyperbolicArctangent => (1, 1),
            Self::Logarithm => (1, 4),
            Self::SquareRoot => (0, 2),
        }
    }

    /// Tells if the iterations converge for the argument `value` (RM0440, the functions' tables of parameters, in thousandths).
    pub(super) fn converges(self, value: i32, scale: u32) -> bool {
        let thousandths = ((i64::from(value) << scale) * 1_000) >> 31;
        match self {
            Self::HyperbolicCosine | Self::HyperbolicSine => thousandths.abs() <= 1_118,
            Self::HyperbolicArctangent => thousandths.abs() <= 806,
            Self::Logarithm => (107..=9_350).contains(&thousandths),
            Self::SquareRoot => (26..=2_341).contains(&thousandths),
            _ => true,
        }
    }
}

/// A point and what it has been turned by.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: i64,
    y: i64,
    angle: i64,
}

/// `value / 2^by`, to the nearest.
const fn halved(value: i64, by: u32) -> i64 {
    if by == 0 { value } else { (value + (1 << (by - 1))) >> by }
}

impl Point {
    /// Turns the point until its angle (`!vectoring`) or its y is 0.
    fn circular(mut self, iterations: u32, vectoring: bool) -> Self {
        for by in 0..iterations {
            let back = if vectoring { self.y >= 0 } else { self.angle < 0 };
            let sign = if back { -1 } else { 1 };
            let (x, y) = (halved(self.x, by), halved(self.y, by));
            self.x -= sign * y;
            self.y += sign * x;
            self.angle -= sign * ATAN.get(by as usize).copied().unwrap_or(0);
        }
        self
    }

    /// The same along a hyperbola, where the fourth and the thirteenth step come twice so that all angles are reached.
    fn hyperbolic(mut self, iterations: u32, vectoring: bool) -> Self {
        let (mut by, mut again) = (1, true);
        for _ in 0..iterations {
            let back = if vectoring { self.y >= 0 } else { self.angle < 0 };
            let sign = if back { -1 } else { 1 };
            let (x, y) = (halved(self.x, by), halved(self.y, by));
            self.x += sign * y;
            self.y += sign * x;
            self.angle -= sign * ATANH.get(by as usize).copied().unwrap_or(0);
            if matches!(by, 4 | 13) && again {
                again = false;
            } else {
                (by, again) = (by + 1, true);
            }
        }
        self
    }
}

/// A fixed-point number of 31 bits behind the point from one of `bits`, as near as it comes.
fn q31(value: i64, bits: u32) -> i32 {
    let value = if bits < 31 { value << (31 - bits) } else { value >> (bits - 31) };
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// The two results of `function` of two arguments in q1.31, after so many iterations (RM0440, "CORDIC functions").
pub(super) fn results(function: Function, [first, second]: [i32; 2], scale: u32, iterations: u32) -> [i32; 2] {
    let length = |value: i32| halved(i64::from(value), 31 - LENGTH);
    let angle = |value: i32| halved(i64::from(value), 31 - ANGLE);
    let scaled = length(first) << scale;
    let down = |value: i64, bits: u32| q31(halved(value, scale), bits);
    match function {
        Function::Cosine | Function::Sine => {
            // Beyond a quarter turn the opposite point is nearer.
            let turned = angle(first).abs() > HALF_TURN / 2;
            let opposite = if first < 0 { HALF_TURN } else { -HALF_TURN };
            let rest = angle(first) + if turned { opposite } else { 0 };
            let x = halved(CIRCULAR * length(second), LENGTH);
            let Point { x, y, .. } = Point { x, y: 0, angle: rest }.circular(iterations, false);
            let sign = if turned { -1 } else { 1 };
            let (cosine, sine) = (q31(sign * x, LENGTH), q31(sign * y, LENGTH));
            if function == Function::Cosine { [cosine, sine] } else { [sine, cosine] }
        }
        Function::Phase | Function::Modulus => {
            let (x, y) = (length(first), length(second));
            let begin = match (x < 0, y < 0) {
                (false, _) => 0,
                (true, false) => HALF_TURN,
                (true, true) => -HALF_TURN,
            };
            let sign = if x < 0 { -1 } else { 1 };
            let start = Point { x: sign * x, y: sign * y, angle: begin };
            let end = if (x, y) == (0, 0) { start } else { start.circular(iterations, true) };
            let (phase, modulus) = (q31(end.angle, ANGLE), q31(halved(CIRCULAR * end.x, LENGTH), LENGTH));
            if function == Function::Phase { [phase, modulus] } else { [modulus, phase] }
        }
        Function::Arctangent => {
            let end = Point { x: ONE, y: scaled, angle: 0 }.circular(iterations, true);
            [down(end.angle, ANGLE), 0]
        }
        Function::HyperbolicCosine | Function::HyperbolicSine => {
            let end = Point { x: HYPERBOLIC, y: 0, angle: angle(first) << scale }.hyperbolic(iterations, false);
            let (cosine, sine) = (down(end.x, LENGTH), down(end.y, LENGTH));
            if function == Function::HyperbolicCosine { [cosine, sine] } else { [sine, cosine] }
        }
        Function::HyperbolicArctangent => {
            let end = Point { x: ONE, y: scaled, angle: 0 }.hyperbolic(iterations, true);
            [down(end.angle, ANGLE), 0]
        }
        // atanh((v - 1) / (v + 1)) is half of ln v.
        Function::Logarithm => {
            let end = Point { x: scaled + ONE, y: scaled - ONE, angle: 0 }.hyperbolic(iterations, true);
            [down(end.angle, ANGLE), 0]
        }
        // The hyperbola through (v + 1/4, v - 1/4) meets the axis at the root of v.
        Function::SquareRoot => {
            let end = Point { x: scaled + ONE / 4, y: scaled - ONE / 4, angle: 0 }.hyperbolic(iterations, true);
            [down(halved(HYPERBOLIC * end.x, LENGTH), LENGTH), 0]
        }
    }
}
