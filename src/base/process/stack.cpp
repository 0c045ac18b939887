// SPDX-License-Identifier: MIT
#include "base/process/stack.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/result.h"
#include "base/unfinished_path.h"

namespace aaco {

namespace {

constexpr rlim_t kEnoughBytes = rlim_t{8} << 20;
constexpr uintptr_t kNearBytes = uintptr_t{1} << 16;

alignas(16) std::array<char, size_t{1} << 16> handler_stack;

void say(const char* text) {
  (void)!::write(STDERR_FILENO, text, std::strlen(text));  // nobody is left to tell
}

// An address beside the stack pointer is one that the stack could not grow to. All else is a fault.
void on_fault(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const auto stack = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  if (address + kNearBytes > stack && address < stack + kNearBytes) {
    remove_unfinished_paths();
    say("aaco: the stack is too small (RLIMIT_STACK)\nhint: raise the limit (ulimit -s 8192)\n");
    ::_exit(static_cast<int>(ErrorKind::kResource));
  }
  ::signal(number, SIG_DFL);  // comes again when this returns
}

}  // namespace

void prepare_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnoughBytes) {
    return;  // RLIM_INFINITY is more than any
  }
  limit.rlim_cur = std::min(kEnoughBytes, limit.rlim_max);
  const bool is_raised = ::setrlimit(RLIMIT_STACK, &limit) == 0;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) == 0) {
    if (::pthread_attr_setstacksize(&attributes, kEnoughBytes) != 0 || ::pthread_setattr_default_np(&attributes) != 0) {
      say("aaco: threads keep a small stack (RLIMIT_STACK)\n");
    }
    ::pthread_attr_destroy(&attributes);
  }
  if (is_raised && limit.rlim_cur >= kEnoughBytes) {
    return;
  }
  const stack_t apart{handler_stack.data(), 0, handler_stack.size()};
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (::sigaltstack(&apart, nullptr) != 0 || ::sigaction(SIGSEGV, &action, nullptr) != 0) {
    say("aaco: a stack that is too small will be a signal (RLIMIT_STACK)\n");
  }
}

}  // namespace aaco
