// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/host_stack.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <filesystem>
#include <link.h>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace aaco {

namespace {

constexpr int kMostFrames = 64;
constexpr int kOwnFrames = 2;  // the handler's, and the one by which the system called it

std::array<void*, kMostFrames> taken_frames;
std::atomic<int> taken_count{0};

int stack_signal() { return SIGRTMIN + 5; }

void on_signal(int /*number*/) {
  const int error_before = errno;
  taken_count.store(::backtrace(taken_frames.data(), kMostFrames), std::memory_order_release);
  errno = error_before;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

const void* own_base() {
  Dl_info own{};
  return ::dladdr(reinterpret_cast<const void*>(&on_signal), &own) == 0 ? nullptr : own.dli_fbase;
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

StackFrame frame_of(const void* address) {
  StackFrame frame;
  Dl_info info{};
  void* found = nullptr;
  if (::dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0) {
    frame.offset = reinterpret_cast<uint64_t>(address);
    return frame;
  }
  // The program's own name is what it was called by, which may say nothing from elsewhere.
  static const std::string program = own_program();
  frame.module = info.dli_fbase == own_base() ? program : info.dli_fname;
  frame.offset = static_cast<uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
  // The nearest exported name may be that of another function.
  const auto* const symbol = static_cast<const ElfW(Sym)*>(found);
  if (symbol != nullptr && info.dli_sname != nullptr &&
      static_cast<const char*>(address) <= static_cast<const char*>(info.dli_saddr) + symbol->st_size) {
    frame.symbol = demangled(info.dli_sname);
  }
  return frame;
}

}  // namespace

void prepare_host_stack() {
  std::array<void*, 1> one{};
  static_cast<void>(::backtrace(one.data(), 1));  // the first call loads a library
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  (void)::sigaction(stack_signal(), &action, nullptr);  // it cannot fail for a signal that the system has
}

Result<std::vector<StackFrame>> host_stack(pthread_t thread, int64_t patience_ns) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  taken_count = 0;
  const int64_t until_ns = monotonic_ns() + patience_ns;
  if (::pthread_kill(thread, stack_signal()) == 0) {
    while (taken_count.load(std::memory_order_acquire) == 0 && monotonic_ns() < until_ns) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const int count = taken_count.load(std::memory_order_acquire);
  if (count == 0) {
    return Error{ErrorKind::kResource, "its host thread did not answer a signal",
                 "it is in a call of the operating system, see /proc/PID/stack"};
  }
  std::vector<StackFrame> frames;
  for (int i = std::min(kOwnFrames, count); i < count; ++i) {
    // Of a caller, the call; what it returns to may be of another line, or of another function.
    const auto* const address = static_cast<const char*>(taken_frames[static_cast<size_t>(i)]);
    frames.push_back(frame_of(i == kOwnFrames ? address : address - 1));
  }
  return frames;
}

}  // namespace aaco
