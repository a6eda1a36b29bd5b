//! The experiment's view on the HTML page.

use cyclescope_report::page::ChartKind;

use crate::page_view::{FRONT, PageColumn, PageView, bars};

/// The calls that reach a driver with what they ask; one a contender.
const CALLS: [&str; 3] = ["command", "send", "yield"];

/// A call there and back, whose its instructions are, and what of flash that takes.
pub fn view() -> PageView {
    let of_call = |title, unit, metric: &str| PageColumn::of(title, unit, metric).with("call", &CALLS);
    let instructions = |title, metric: &str| of_call(title, "instructions", &format!("{metric}.instructions"));
    let columns = vec![
        instructions("trap to driver", "trap_to_driver"),
        instructions("trap to back", "call"),
        of_call("the same", "cycles", "call"),
        instructions("entry and exit", "part.entry"),
        instructions("decode and dispatch", "part.dispatch"),
        instructions("copies", "part.copies"),
        instructions("debug hook", "part.hook"),
        instructions("driver", "part.driver"),
        PageColumn::of(".text", "bytes", "text"),
        PageColumn::of("text strings", "bytes", "strings"),
        instructions("copies within hook and driver", "part.copies.within").hidden(),
        PageColumn::of("allow, trap to back", "instructions", "call.instructions").with("call", &["allow"]).hidden(),
        PageColumn::of("subscribe, trap to back", "instructions", "call.instructions")
            .with("call", &["subscribe"])
            .hidden(),
        PageColumn::of(".rodata", "bytes", "rodata").hidden(),
        PageColumn::of("RAM", "bytes", "ram").hidden(),
    ];
    let charts = vec![
        PageView::chart(
            "call",
            "From the trap to the driver, and back",
            "Instructions. The calls are the kernel's `command`, FreeRTOS's queue send, and its giving way on RISC-V.",
            bars(&[0, 1], None, false),
        ),
        PageView::chart(
            "parts",
            "Whose they are",
            "Instructions of a whole call by what they are for. What the hook and the driver copy is theirs.",
            bars(&[3, 4, 5, 6, 7], None, false),
        ),
        PageView::chart("size", "Speed against size", FRONT, ChartKind::Scatter { x: 8, y: 1 }),
    ];
    PageView {
        variant_name: "mode",
        variant: |record| Some(record.mode.clone()),
        ..PageView::of("syscall", columns, charts)
    }
}
