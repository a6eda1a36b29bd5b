//! Drawing and a display driver of our own, on the registers: the twin of `../../c`.

mod display;
mod draw;
mod font;
mod wire;

use cyclescope_workload::markers::{cyclescope_start, cyclescope_stop};

use self::draw::Picture;
use crate::{FRAMES, TITLES, finish};

fn draw_frame(picture: &mut Picture, frame: u8) {
    picture.clear();
    picture.text(2, 1, "cyclescope");
    picture.text(84, 1, TITLES[usize::from(frame)]);
    picture.text(2, 12, "the quick brown fox");
    picture.row(0, 127, 23);
    picture.line((0, 24), (127, 63));
    picture.line((0, 63), (127, 24));
    picture.filled_box(4 + 13 * frame, 35, 16, 16);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    cyclescope_boards::raise_clock();
    wire::init();
    display::init();
    let mut picture = Picture::new();
    for frame in 0..FRAMES {
        cyclescope_start();
        draw_frame(&mut picture, frame);
        display::flush(&picture);
        cyclescope_stop();
    }
    finish()
}
