// SPDX-License-Identifier: MIT
#include "base/attach/safe_point.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <sys/syscall.h>

namespace aaco {

namespace {

constexpr std::array<std::string_view, 29> kLocking{
    "malloc",         "calloc",          "realloc",      "reallocarray",   "free",          "memalign",
    "aligned_alloc",  "posix_memalign",  "valloc",       "pvalloc",        "malloc_trim",   "mallinfo",
    "mallinfo2",      "malloc_stats",    "malloc_info",  "fork",           "_Fork",         "vfork",
    "pthread_create", "pthread_join",    "pthread_exit", "pthread_detach", "dlopen",        "dlclose",
    "dlsym",          "dl_iterate_phdr", "exit",         "quick_exit",     "__libc_freeres"};
constexpr std::array<std::string_view, 4> kAllocators{"malloc", "calloc", "realloc", "free"};

// A function's last call may be its last instruction: the address behind it is then one too far.
AddressRange range_of(const ElfSymbol& symbol, uint64_t bias) {
  return {bias + symbol.address, bias + symbol.address + symbol.bytes + 1};
}

// `mov $15, %rax; syscall`, which is where glibc has handlers return to.
uint64_t find_signal_return(const AddressRange& libc, const RemoteMemory& memory) {
  constexpr std::array<char, 9> kCode{0x48, static_cast<char>(0xc7), static_cast<char>(0xc0), 0x0f, 0, 0, 0, 0x0f,
                                      0x05};
  std::vector<char> bytes(libc.end - libc.start);
  bytes.resize(memory.read(libc.start, bytes.data(), bytes.size()));
  const auto place = std::search(bytes.begin(), bytes.end(), kCode.begin(), kCode.end());
  return place != bytes.end() ? libc.start + static_cast<uint64_t>(place - bytes.begin()) : 0;
}

bool is_loader(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with("ld-") || path.substr(path.rfind('/') + 1).starts_with("ld.so");
}

bool is_libc(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libc.so.6") || name.starts_with("libc-2.");
}

}  // namespace

bool UnsafeCode::contains(uint64_t address) const {
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) { return range.contains(address); });
}

std::span<const std::string_view> locking_functions() { return kLocking; }

UnsafeCode find_unsafe_code(const std::vector<Mapping>& maps, const std::string& program, const ReadSymbols& open,
                            const RemoteMemory& memory) {
  UnsafeCode code;
  std::set<std::string> seen;
  for (const Mapping& first : maps) {
    if (!first.path.starts_with('/') || first.offset != 0 || !seen.insert(first.path).second) {
      continue;
    }
    std::vector<AddressRange> text;
    for (const Mapping& mapping : maps) {
      if (mapping.path == first.path && mapping.executable) {
        text.push_back({mapping.start, mapping.end});
      }
    }
    if (text.empty()) {
      continue;
    }
    if (is_loader(first.path)) {
      code.ranges.insert(code.ranges.end(), text.begin(), text.end());
      continue;
    }
    const std::optional<ElfFile> file = open(first);
    const bool allocates = file && std::all_of(kAllocators.begin(), kAllocators.end(),
                                               [&](std::string_view name) { return file->find(name) != nullptr; });
    if (is_libc(first.path)) {
      code.libc = text.front();
      code.signal_return = find_signal_return(code.libc, memory);
    } else if (allocates && first.path != program) {  // jemalloc, tcmalloc: all of it
      code.ranges.insert(code.ranges.end(), text.begin(), text.end());
      continue;
    }
    code.program_allocates = code.program_allocates || (allocates && first.path == program);
    for (const ElfSymbol& symbol : file ? file->wanted : std::vector<ElfSymbol>()) {
      code.ranges.push_back(range_of(symbol, first.start - file->linked_at));
    }
  }
  return code;
}

WaitKind wait_kind(int64_t system_call) {
  switch (system_call) {
    case SYS_read:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
      return WaitKind::kWaits;
    case SYS_futex:
      return WaitKind::kWaitsOnLock;
    case SYS_write:  // part of it may have been written
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_ioctl:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
      return WaitKind::kMayNotice;
    case -1:
      return WaitKind::kRuns;
    default:
      return WaitKind::kUnsafe;
  }
}

bool is_safe_point(const ThreadPoint& point, const UnsafeCode& code,
                   const std::function<bool(uint64_t)>& is_behind_call) {
  const WaitKind kind = wait_kind(point.system_call);
  if (kind == WaitKind::kUnsafe || code.contains(point.instruction)) {
    return false;
  }
  if (kind == WaitKind::kRuns && code.libc.contains(point.instruction)) {
    return false;
  }
  if (code.program_allocates && (kind == WaitKind::kRuns || kind == WaitKind::kWaitsOnLock)) {
    return false;
  }
  return std::none_of(point.stack.begin(), point.stack.end(), [&](uint64_t word) {
    return (word == code.signal_return && word != 0) || (code.contains(word) && is_behind_call(word));
  });
}

bool ends_with_call(std::span<const uint8_t> bytes) {
  const auto at = [&](size_t back) { return back <= bytes.size() ? bytes[bytes.size() - back] : uint8_t{0}; };
  if (at(5) == 0xe8) {
    return true;
  }
  // ff /2 with a register, or memory: 2, 3 (and SIB or a byte), 4, 6 and 7 bytes.
  for (const size_t back : {2, 3, 4, 6, 7}) {
    if (at(back) == 0xff && (at(back - 1) >> 3 & 7) == 2) {
      return true;
    }
  }
  return false;
}

}  // namespace aaco
