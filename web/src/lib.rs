//! The referee as a WebAssembly module without imports. `../README.md` tells how it is called.
//!
//! The host asks for room (`room`), writes a request as UTF-8 there, and calls `call` or `told`; the answer's length comes back, and `answer` tells
//! where it stands until the next call. The memory that is handed out belongs to vectors that stay where they are until then, and
//! only the host looks at it through an address: no line here does anything that the compiler does not check.

use std::cell::RefCell;

#[cfg(feature = "home")]
use postrider_player as requests;
#[cfg(not(feature = "home"))]
use postrider_requests as requests;

/// The longest request: a record of the largest size with all its characters escaped, and room for the rest.
const LONGEST: usize = 128 << 20;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a request of so many bytes and returns its address; 0 if that is too long.
#[no_mangle]
pub extern "C" fn room(length: usize) -> usize {
    if length > LONGEST {
        return 0;
    }
    REQUEST.with_borrow_mut(|request| {
        *request = vec![0; length];
        request.as_ptr() as usize
    })
}

/// Answers the request that was written, and returns the length of the answer.
#[no_mangle]
pub extern "C" fn call() -> usize {
    answered(requests::call)
}

/// The same in the words of players, as a page shows it.
#[no_mangle]
pub extern "C" fn told() -> usize {
    answered(requests::told)
}

fn answered(by: fn(&str) -> String) -> usize {
    let request = REQUEST.take();
    let answer = by(&String::from_utf8_lossy(&request)).into_bytes();
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// Returns the address of the answer, which stands there until the next call.
#[no_mangle]
pub extern "C" fn answer() -> usize {
    ANSWER.with_borrow(|answer| answer.as_ptr() as usize)
}
