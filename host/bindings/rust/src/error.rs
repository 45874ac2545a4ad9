// SPDX-License-Identifier: Apache-2.0
//! Statuses as errors.
use crate::sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

/// Kinds of failures, as the hundreds digit of a status has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The caller's mistake.
    Argument,
    /// Bytes that are not what they claim to be: a point off the curve, a damaged key.
    Data,
    /// Legal, but not here.
    Unsupported,
    /// Memory, a lost device, input and output.
    Machine,
}

/// A call that failed, with one sentence that names the value at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: u32,
    sentence: String,
}

pub type Result<T> = std::result::Result<T, Error>;

const ARGUMENT: u32 = 100;
const UNSUPPORTED: u32 = 300;

impl Error {
    pub(crate) fn argument(sentence: String) -> Self {
        Error { status: ARGUMENT, sentence }
    }

    pub(crate) fn unsupported(sentence: String) -> Self {
        Error { status: UNSUPPORTED, sentence }
    }

    /// The number of the `pail_status`.
    pub fn status(&self) -> u32 {
        self.status
    }

    pub fn kind(&self) -> Kind {
        match self.status / 100 {
            1 => Kind::Argument,
            2 => Kind::Data,
            3 => Kind::Unsupported,
            _ => Kind::Machine,
        }
    }

    /// The name of the status, "PAIL_ERR_DATA".
    pub fn name(&self) -> &'static str {
        // SAFETY: static storage, ASCII.
        unsafe { CStr::from_ptr(sys::pail_status_name(self.status)) }.to_str().unwrap_or("unknown status")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(if self.sentence.is_empty() { self.name() } else { &self.sentence })
    }
}

impl std::error::Error for Error {}

/// Turns a status into a result. `sentence` is a C string that is valid during this call.
///
/// # Safety
/// `sentence` is NULL or ends with a zero byte.
pub(crate) unsafe fn check_with(status: u32, sentence: impl FnOnce() -> *const c_char) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    let text = sentence();
    let sentence = if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() };
    Err(Error { status, sentence })
}

/// Calls a function that takes room for a sentence.
pub(crate) fn told(call: impl FnOnce(*mut c_char, usize) -> u32) -> Result<()> {
    let mut text = [0 as c_char; 512];
    let status = call(text.as_mut_ptr(), text.len());
    // SAFETY: the library ends its sentence with a zero byte.
    unsafe { check_with(status, || text.as_ptr()) }
}
