// SPDX-License-Identifier: MIT
// Whether a stopped thread may call pthread_create: not while it may hold a lock of the memory allocator, of the
// dynamic loader, or of pthread_create itself. Locks that other threads hold do no harm, since those go on.
//
// An address of each call that is not finished lies on the thread's stack. So its stack is searched for addresses
// within those parts of the program: an old value that looks so costs another try, and no call is overlooked. A thread
// that waits in a system call that no allocator and no loader makes is the best one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/attach/elf_symbols.h"
#include "base/attach/process_maps.h"
#include "base/attach/remote_memory.h"

namespace aaco {

struct AddressRange {
  uint64_t start = 0;
  uint64_t end = 0;
  bool contains(uint64_t address) const { return address >= start && address < end; }
};

// Parts of a process whose calls must have returned.
struct UnsafeCode {
  std::vector<AddressRange> ranges;
  AddressRange libc;               // its code: outside of system calls nothing is done there
  uint64_t signal_return = 0;      // where handlers of signals return to; 0: not found
  bool program_allocates = false;  // the program itself has an allocator, of which nothing is known

  bool contains(uint64_t address) const;
};

// Names whose addresses UnsafeCode is made of.
std::span<const std::string_view> locking_functions();
// `open`: the file's ELF symbols (locking_functions()); none where it cannot be read.
using ReadSymbols = std::function<std::optional<ElfFile>(const Mapping& first)>;
UnsafeCode find_unsafe_code(const std::vector<Mapping>& maps, const std::string& program, const ReadSymbols& open,
                            const RemoteMemory& memory);

// How well a thread serves, by the system call that it is in (-1: none).
enum class WaitKind : uint8_t {
  kWaits,        // in a call that the kernel takes up again, and that no allocator makes
  kWaitsOnLock,  // futex: of the program's own, or not
  kMayNotice,    // it would get EINTR
  kRuns,
  kUnsafe,
};
WaitKind wait_kind(int64_t system_call);

struct ThreadPoint {
  uint64_t instruction = 0;
  int64_t system_call = -1;
  std::span<const uint64_t> stack;  // from the stack pointer on
};
// `is_behind_call`: whether a call instruction lies before that address.
bool is_safe_point(const ThreadPoint& point, const UnsafeCode& code,
                   const std::function<bool(uint64_t)>& is_behind_call);
// Whether the bytes before a place end with a call instruction of x86-64.
bool ends_with_call(std::span<const uint8_t> bytes);

}  // namespace aaco
