//! What the compiler's pass calls in place of atomic operations. Each is a point, and then the operation, sequentially consistent.

use std::arch::asm;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst, fence};

use crate::schedule::point;

/// The frame pointer of the function that this is inlined into: we are compiled with frame pointers.
#[inline(always)]
pub fn frame() -> usize {
    let pointer: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, rbp", out(reg) pointer, options(nomem, nostack, preserves_flags))
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it only reads a register.
    unsafe {
        asm!("mov {}, x29", out(reg) pointer, options(nomem, nostack, preserves_flags))
    };
    pointer
}

/// **Safety** of all of these: the pass calls them with the address that the operation would have used.
macro_rules! operations {
    ($value:ty, $atomic:ty, $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
     $compare:ident $weak:ident $strong:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(at: *const $atomic, _: c_int) -> $value {
            point(frame());
            // SAFETY: see above.
            unsafe { (*at).load(SeqCst) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(at: *const $atomic, value: $value, _: c_int) {
            point(frame());
            // SAFETY: see above.
            unsafe { (*at).store(value, SeqCst) }
        }
        operations!(@update $value, $atomic, $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or, $xor fetch_xor,
            $nand fetch_nand);
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $compare(at: *const $atomic, old: $value, new: $value, _: c_int, _: c_int) -> $value {
            point(frame());
            // SAFETY: see above.
            match unsafe { (*at).compare_exchange(old, new, SeqCst, SeqCst) } {
                Ok(found) | Err(found) => found,
            }
        }
        operations!(@exchange $value, $atomic, $weak $strong);
    };
    (@update $value:ty, $atomic:ty, $($name:ident $method:ident),*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: *const $atomic, value: $value, _: c_int) -> $value {
            point(frame());
            // SAFETY: see above.
            unsafe { (*at).$method(value, SeqCst) }
        }
    )*};
    (@exchange $value:ty, $atomic:ty, $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: *const $atomic, old: *mut $value, new: $value, _: c_int, _: c_int) -> c_int {
            point(frame());
            // SAFETY: see above; what is expected is the caller's own.
            unsafe {
                match (*at).compare_exchange(*old, new, SeqCst, SeqCst) {
                    Ok(_) => 1,
                    Err(found) => {
                        *old = found;
                        0
                    }
                }
            }
        }
    )*};
}

operations!(u8, AtomicU8, __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
    __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_val __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_strong);
operations!(u16, AtomicU16, __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub
    __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_val __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_strong);
operations!(u32, AtomicU32, __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub
    __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_val __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_strong);
operations!(u64, AtomicU64, __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub
    __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_val __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_strong);

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_: c_int) {
    fence(SeqCst);
}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: c_int) {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(_: usize) {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {}
