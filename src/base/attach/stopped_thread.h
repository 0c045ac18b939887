// SPDX-License-Identifier: MIT
// A thread of another process, stopped by ptrace while this lives, and calls that it makes in the meantime. It goes on
// afterwards as if nothing had been: registers, vector registers, signal mask and errno are put back.
#pragma once

#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <sys/user.h>
#include <vector>

#include "base/result.h"

namespace aaco {

class StoppedThread {
 public:
  enum class Problem : uint8_t { kNone, kGone, kForbidden, kTraced, kBusy, kSignalled };

  // All of it by the calling thread. Null, and why: it ended, ptrace is forbidden, another traces it, it did not stop
  // in half a second (release_late() is due), it was about to get a signal or stood still already.
  static std::unique_ptr<StoppedThread> stop(pid_t thread, Problem& problem);
  // Lets a kBusy one go, if it has stopped by now; what is left the kernel lets go when the calling thread ends.
  static bool release_late(pid_t thread);
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;
  // It goes on.
  ~StoppedThread();

  const user_regs_struct& registers() const { return before_; }
  // The system call that it was in; -1: none, it ran its own code.
  int64_t system_call() const { return static_cast<int64_t>(before_.orig_rax); }

  // The calls below need this first. Errors: false, where the kernel does not let us. The calling thread gets no
  // signals from here on until this ends.
  bool begin_calls();
  // What the kernel answers; `instruction` is the address of a `syscall` in the process. None where the thread did not
  // come back.
  std::optional<int64_t> call_kernel(uint64_t instruction, std::initializer_list<uint64_t> words);
  // What a function of the process answers. It runs on the stack that ends at `stack_end` and returns to `trap`, the
  // address of an `int3`. None where it waited for a lock of its own (10 s for the same), or a signal
  // came of it: nothing more is to be called then, and the thread goes on from where it was.
  std::optional<uint64_t> call_function(uint64_t function, uint64_t trap, uint64_t stack_end,
                                        std::initializer_list<uint64_t> words);

 private:
  explicit StoppedThread(pid_t thread) : thread_(thread) {}
  enum class Wait : uint8_t { kStopped, kGaveUp, kGone };
  static void detach_untouched(pid_t thread, int status);
  bool resume_until_trap(int request);
  Wait wait_for_call(bool may_give_up);
  bool wait_for_stop(int64_t within_ns);
  void put_back();

  pid_t thread_;
  bool is_gone_ = false;
  bool calls_began_ = false;
  user_regs_struct before_{};
  std::vector<char> vectors_;  // XSAVE's area
  uint64_t mask_ = 0;          // of signals
  sigset_t own_mask_{};        // of the calling thread
  int status_ = 0;             // of its last stop
  bool is_at_signal_ = false;
  std::vector<siginfo_t> held_signals_;
};

}  // namespace aaco
