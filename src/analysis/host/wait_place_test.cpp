// SPDX-License-Identifier: MIT
#include "analysis/host/wait_place.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(WaitPlace, is_named_by_what_the_kernel_was_in) {
  const WaitPlace lock =
      wait_place("entry_SYSCALL_64;do_syscall_64;__x64_sys_futex;futex_wait;__futex_wait;schedule;__schedule");
  EXPECT_EQ(lock.kind, WaitClass::kLock);
  EXPECT_EQ(lock.function, "__futex_wait");
  EXPECT_EQ(wait_text(lock), "lock (__futex_wait)");
  // A fault that waits for its file is a fault.
  EXPECT_EQ(
      wait_place("asm_exc_page_fault;handle_mm_fault;filemap_fault;folio_wait_bit_common;io_schedule;schedule").kind,
      WaitClass::kPageFault);
  EXPECT_EQ(wait_place("do_syscall_64;vfs_read;folio_wait_bit_common;io_schedule;__schedule").kind, WaitClass::kIo);
  EXPECT_EQ(wait_place("__x64_sys_clock_nanosleep;hrtimer_nanosleep;do_nanosleep;schedule").kind, WaitClass::kTimer);
  EXPECT_EQ(wait_place("__x64_sys_wait4;do_wait;schedule").kind, WaitClass::kUnknown);
  EXPECT_EQ(wait_text(wait_place("__x64_sys_wait4;do_wait;schedule")), "do_wait");
  EXPECT_EQ(wait_text(wait_place("")), "not known: no stack");
}

}  // namespace
}  // namespace aaco
