// SPDX-License-Identifier: MIT
#include "base/attach/stopped_thread.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <elf.h>
#include <fmt/format.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attach/process_maps.h"
#include "base/clock.h"

namespace aaco {

#if defined(__x86_64__)

namespace {

constexpr int64_t kMs = 1'000'000;                     // in ns
constexpr int64_t kStopNs = 500 * kMs;                 // of a thread that was not touched yet
constexpr int64_t kShortNs = 5 * kMs;                  // within which most calls return
constexpr int64_t kLookNs = 100 * kMs;                 // between looks at what a call waits for
constexpr int64_t kDeadlockNs = 10'000 * kMs;          // in one wait for one lock
constexpr size_t kMostVectorBytes = size_t{16} << 10;  // AVX-512 and AMX fit

// The kernel ends a process, or drops its handler, where it must deliver one of these and cannot.
constexpr std::array kOpenSignals{SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};

bool is_signal_stop(int status) { return status >> 16 == 0; }
bool is_open(int signal) { return std::find(kOpenSignals.begin(), kOpenSignals.end(), signal) != kOpenSignals.end(); }

// Whether a thread of the process of `thread` was stopped by a signal: whoever has a lock may be that one.
bool any_is_stopped(pid_t thread) {
  const std::vector<pid_t> threads = read_threads(thread);
  return std::any_of(threads.begin(), threads.end(), [](pid_t each) {
    const std::string stat = read_proc_text(fmt::format("/proc/{}/stat", each));
    return stat.find(") T", stat.rfind(')')) != std::string::npos;
  });
}

// "202 0x7f... ": in a wait for a lock, and in which; empty: in none.
std::string lock_wait_of(pid_t thread) {
  std::string text = read_proc_text(fmt::format("/proc/{}/syscall", thread));
  return text.starts_with(fmt::format("{} ", SYS_futex)) ? text : std::string();
}

}  // namespace

std::unique_ptr<StoppedThread> StoppedThread::stop(pid_t thread, Problem& problem) {
  problem = Problem::kNone;
  if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
    problem = errno == ESRCH                      ? Problem::kGone
              : errno == EPERM || errno == EACCES ? Problem::kForbidden
                                                  : Problem::kTraced;
    return nullptr;
  }
  std::unique_ptr<StoppedThread> stopped(new StoppedThread(thread));
  if (::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) != 0 || !stopped->wait_for_stop(kStopNs)) {
    problem = stopped->is_gone_ ? Problem::kGone : Problem::kBusy;
    stopped->is_gone_ = true;  // not ours to detach now
    return nullptr;
  }
  // A signal came first, or all of the process was stopped: it is to have that as if nobody had looked.
  if (stopped->is_at_signal_ || WSTOPSIG(stopped->status_) != SIGTRAP) {
    stopped->is_gone_ = true;
    detach_untouched(thread, stopped->status_);
    problem = Problem::kSignalled;
    return nullptr;
  }
  if (::ptrace(PTRACE_GETREGS, thread, nullptr, &stopped->before_) != 0) {
    problem = Problem::kGone;
    return nullptr;
  }
  return stopped;
}

// The number alone: at this stop the kernel still has the rest of what came with the signal.
void StoppedThread::detach_untouched(pid_t thread, int status) {
  static_cast<void>(
      ::ptrace(PTRACE_DETACH, thread, nullptr, is_signal_stop(status) ? WSTOPSIG(status) : 0));  // or ended
}

bool StoppedThread::release_late(pid_t thread) {
  int status = 0;
  const pid_t got = ::waitpid(thread, &status, __WALL | WNOHANG);
  if (got == thread && WIFSTOPPED(status)) {
    detach_untouched(thread, status);
  }
  return got != 0;
}

StoppedThread::~StoppedThread() {
  if (!is_gone_) {
    put_back();
    size_t next = 0;
    if (is_at_signal_ && !held_signals_.empty() &&
        ::ptrace(PTRACE_SETSIGINFO, thread_, nullptr, &held_signals_.front()) == 0) {
      next = 1;
    }
    static_cast<void>(::ptrace(PTRACE_DETACH, thread_, nullptr, next == 1 ? held_signals_.front().si_signo : 0));
    for (; next < held_signals_.size(); ++next) {
      static_cast<void>(::syscall(SYS_tkill, thread_, held_signals_[next].si_signo));  // fails where it has ended
    }
  }
  if (calls_began_) {
    static_cast<void>(::pthread_sigmask(SIG_SETMASK, &own_mask_, nullptr));  // cannot fail with such a mask
  }
}

// `within_ns`: 0: without limit.
bool StoppedThread::wait_for_stop(int64_t within_ns) {
  const int64_t from_ns = monotonic_ns();
  while (true) {
    const pid_t thread = ::waitpid(thread_, &status_, __WALL | WNOHANG);
    if (thread == thread_ && WIFSTOPPED(status_)) {
      is_at_signal_ = is_signal_stop(status_);
      return true;
    }
    const int64_t waited_ns = monotonic_ns() - from_ns;
    if (thread != 0 || (within_ns != 0 && waited_ns >= within_ns)) {
      is_gone_ = thread != 0;
      return false;
    }
    ::usleep(waited_ns < kShortNs ? 20 : 1000);
  }
}

void StoppedThread::put_back() {
  if (!calls_began_) {
    return;
  }
  iovec vectors{vectors_.data(), vectors_.size()};
  static_cast<void>(::ptrace(PTRACE_SETREGSET, thread_, NT_X86_XSTATE, &vectors));  // fails where it has ended
  static_cast<void>(::ptrace(PTRACE_SETSIGMASK, thread_, sizeof mask_, &mask_));    // likewise
  static_cast<void>(::ptrace(PTRACE_SETREGS, thread_, nullptr, &before_));          // likewise
}

bool StoppedThread::begin_calls() {
  vectors_.resize(kMostVectorBytes);
  iovec vectors{vectors_.data(), vectors_.size()};
  if (::ptrace(PTRACE_GETREGSET, thread_, NT_X86_XSTATE, &vectors) != 0 ||
      ::ptrace(PTRACE_GETSIGMASK, thread_, sizeof mask_, &mask_) != 0) {
    return false;
  }
  uint64_t closed = ~uint64_t{0};
  for (const int signal : kOpenSignals) {
    closed &= ~(uint64_t{1} << (signal - 1));
  }
  sigset_t all;
  ::sigfillset(&all);
  if (::pthread_sigmask(SIG_SETMASK, &all, &own_mask_) != 0) {  // what ends or stops aaco waits until it is put back
    return false;
  }
  vectors_.resize(vectors.iov_len);
  calls_began_ = true;
  return ::ptrace(PTRACE_SETSIGMASK, thread_, sizeof closed, &closed) == 0;
}

// However long a call takes, it is waited for: in the middle of it the thread may have any lock. One that waits for the
// same lock for very long waits for itself, and is taken out of there.
StoppedThread::Wait StoppedThread::wait_for_call(bool may_give_up) {
  std::string lock;
  int64_t since_ns = monotonic_ns();
  while (!wait_for_stop(may_give_up ? kLookNs : 0)) {
    if (is_gone_) {
      return Wait::kGone;
    }
    std::string now = lock_wait_of(thread_);
    if (now.empty() || now != lock || any_is_stopped(thread_)) {
      lock = std::move(now);
      since_ns = monotonic_ns();
    } else if (monotonic_ns() - since_ns > kDeadlockNs) {
      static_cast<void>(::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr));  // fails where it has ended
      return wait_for_stop(0) ? Wait::kGaveUp : Wait::kGone;
    }
  }
  return Wait::kStopped;
}

// Signals that come meanwhile are its own, afterwards.
bool StoppedThread::resume_until_trap(int request) {
  auto wait = Wait::kStopped;
  while (wait == Wait::kStopped) {
    if (::ptrace(static_cast<__ptrace_request>(request), thread_, nullptr, nullptr) != 0) {
      is_gone_ = errno == ESRCH;
      return false;
    }
    wait = wait_for_call(request == PTRACE_CONT);
    siginfo_t info{};
    if (wait == Wait::kGone || !is_at_signal_ || ::ptrace(PTRACE_GETSIGINFO, thread_, nullptr, &info) != 0) {
      continue;
    }
    if (is_open(info.si_signo) && info.si_code > 0) {  // the kernel's own, from what the thread did
      return info.si_signo == SIGTRAP;
    }
    held_signals_.push_back(info);
  }
  return false;
}

std::optional<int64_t> StoppedThread::call_kernel(uint64_t instruction, std::initializer_list<uint64_t> words) {
  user_regs_struct registers = before_;
  unsigned long long* const places[] = {&registers.rax, &registers.rdi, &registers.rsi, &registers.rdx,
                                        &registers.r10, &registers.r8,  &registers.r9};
  for (size_t i = 0; i < words.size(); ++i) {
    *places[i] = words.begin()[i];
  }
  registers.rip = instruction;
  registers.orig_rax = ~0ULL;  // else the kernel would start the interrupted call again here
  if (::ptrace(PTRACE_SETREGS, thread_, nullptr, &registers) != 0 || !resume_until_trap(PTRACE_SINGLESTEP) ||
      ::ptrace(PTRACE_GETREGS, thread_, nullptr, &registers) != 0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(registers.rax);
}

std::optional<uint64_t> StoppedThread::call_function(uint64_t function, uint64_t trap, uint64_t stack_end,
                                                     std::initializer_list<uint64_t> words) {
  constexpr uint64_t kDirectionFlag = 0x400;
  user_regs_struct registers = before_;
  unsigned long long* const places[] = {&registers.rdi, &registers.rsi, &registers.rdx, &registers.rcx};
  for (size_t i = 0; i < words.size(); ++i) {
    *places[i] = words.begin()[i];
  }
  registers.rip = function;
  registers.rax = 0;
  registers.rsp = (stack_end & ~uint64_t{15}) - 8;  // as behind a call
  registers.eflags &= ~kDirectionFlag;
  registers.orig_rax = ~0ULL;
  errno = 0;
  if (::ptrace(PTRACE_POKEDATA, thread_, registers.rsp, trap) != 0 ||
      ::ptrace(PTRACE_SETREGS, thread_, nullptr, &registers) != 0 || !resume_until_trap(PTRACE_CONT) ||
      ::ptrace(PTRACE_GETREGS, thread_, nullptr, &registers) != 0 || registers.rip != trap + 1) {
    return std::nullopt;
  }
  return registers.rax;
}

#else

std::unique_ptr<StoppedThread> StoppedThread::stop(pid_t, Problem& problem) {
  problem = Problem::kForbidden;
  return nullptr;
}
bool StoppedThread::release_late(pid_t) { return true; }
StoppedThread::~StoppedThread() = default;

#endif

}  // namespace aaco
