//! The connection to a debugger: whoever is at its other end may send anything, or vanish.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use gdbstub::conn::{Connection, ConnectionExt};

use crate::interrupt;

/// The period at which Ctrl-C is looked for while no byte comes.
const TICK: Duration = Duration::from_millis(50);

/// The longest time that a debugger may leave bytes unread.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection that can be waited on without deafness to Ctrl-C.
pub(super) struct Line {
    stream: TcpStream,
    buffer: [u8; 1024],
    /// The part of the buffer that was received and not taken yet.
    unread: std::ops::Range<usize>,
}

impl Line {
    /// Waits for a debugger; `None` if Ctrl-C came first.
    pub(super) fn accept(listener: &TcpListener) -> io::Result<Option<Self>> {
        listener.set_nonblocking(true)?;
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(TICK))?;
                    stream.set_write_timeout(Some(PATIENCE))?;
                    return Ok(Some(Self { stream, buffer: [0; 1024], unread: 0..0 }));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if interrupt::interrupted() {
                        return Ok(None);
                    }
                    std::thread::sleep(TICK);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Receives what there is; `false` where there is nothing yet.
    fn fill(&mut self) -> io::Result<bool> {
        match Read::read(&mut self.stream, &mut self.buffer) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.unread = 0..count;
                Ok(true)
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

impl Connection for Line {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        Write::write_all(&mut self.stream, &[byte])
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(&mut self.stream, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.stream)
    }
}

impl ConnectionExt for Line {
    fn read(&mut self) -> io::Result<u8> {
        while self.unread.is_empty() {
            if interrupt::interrupted() {
                return Err(ErrorKind::Interrupted.into());
            }
            self.fill()?;
        }
        let byte = self.buffer[self.unread.start];
        self.unread.start += 1;
        Ok(byte)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.unread.is_empty() {
            self.stream.set_nonblocking(true)?;
            let filled = self.fill();
            self.stream.set_nonblocking(false)?;
            filled?;
        }
        Ok(self.unread.clone().next().map(|place| self.buffer[place]))
    }
}
