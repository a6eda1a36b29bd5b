//! I2C as a target at the address 0x42, without interrupts.
#![no_std]
#![no_main]

use cyclescope_suites_hal::{board, check, done, drivers};
use embassy_executor::Spawner;
use embassy_stm32::i2c::{Config, SlaveAddrConfig, SlaveCommandKind};
use embassy_time::Timer;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    embassy_stm32::init(board::config());
    let mut i2c = drivers::i2c_blocking(Config::default()).into_slave_multimaster(SlaveAddrConfig::basic(0x42));
    let mut got = [0; 8];
    check("command", i2c.blocking_listen().unwrap().kind, SlaveCommandKind::Write);
    check("bytes", i2c.blocking_respond_to_write(&mut got), Ok(3));
    check("written", &got[..3], &[1, 2, 3]);
    check("command", i2c.blocking_listen().unwrap().kind, SlaveCommandKind::Read);
    check("answered", i2c.blocking_respond_to_read(&[4, 5, 6, 7]).is_ok(), true);
    check("command", i2c.blocking_listen().unwrap().kind, SlaveCommandKind::Write);
    check("bytes", i2c.blocking_respond_to_write(&mut got), Ok(1));
    check("command", i2c.blocking_listen().unwrap().kind, SlaveCommandKind::Read);
    check("answered", i2c.blocking_respond_to_read(&[got[0] + 1, got[0] + 2]).is_ok(), true);
    // The stop condition is yet to come.
    Timer::after_millis(1).await;
    done()
}
