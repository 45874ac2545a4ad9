// SPDX-License-Identifier: Apache-2.0
//! Prints the layout of the structs, which tests/bindings/test_rust.py compares with a C compiler's.
fn main() {
    for (name, member, offset, size) in pail::sys::layout() {
        println!("{} {} {} {}", name, if member.is_empty() { "-" } else { member }, offset, size);
    }
}
