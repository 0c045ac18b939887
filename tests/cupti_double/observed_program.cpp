// SPDX-License-Identifier: MIT
// A foreign program for `aaco observe`: it links the doubles of CUDA's driver and of CUPTI, and does what its words
// say, one after the other.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cupti_double.h"
#include "hook_words.h"
#include "nvtx_words.h"

extern "C" int cuInit(unsigned flags);

namespace {

long number_behind(std::string_view word) {
  const size_t colon = word.find(':');
  return colon == std::string_view::npos ? 1 : std::strtol(word.data() + colon + 1, nullptr, 10);
}

// Of a graph of that number, as CUPTI makes it.
uint64_t node_of(long graph) { return static_cast<uint64_t>(graph) << 32 | 5; }

void launch(long count) {
  for (long i = 0; i < count; ++i) {
    cupti_double_kernel(i % 3 == 0 ? "_Z4gemmPf" : "softmax", static_cast<uint32_t>(7 + i % 2), 1000, 0);
  }
}

void pause_ms(long count) { std::this_thread::sleep_for(std::chrono::milliseconds(count)); }

void launch_in_threads(long count) {
  std::vector<std::thread> threads;
  for (long i = 0; i < count; ++i) {
    threads.emplace_back([] { launch(100); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Launches a kernel each millisecond.
void work_ms(long count) {
  for (long i = 0; i < count; ++i) {
    launch(1);
    pause_ms(1);
  }
}

// A thread that takes and holds the locks of the allocator, the dynamic loader and fork as often as it can, the XX
void hammer(int kind, const std::atomic<bool>& is_over) {
  while (!is_over.load(std::memory_order_relaxed)) {
    if (kind == 0) {
      std::vector<std::unique_ptr<char[]>> blocks;
      for (size_t i = 0; i < 300; ++i) {
        blocks.push_back(std::make_unique<char[]>(i * i % 200'000 + 1));
      }
    } else if (kind == 1) {
      if (void* library = dlopen("libm.so.6", RTLD_NOW); library != nullptr) {
        dlclose(library);
      }
    } else if (kind == 2) {
      std::thread([] {}).join();
    } else if (const pid_t child = ::fork(); child == 0) {
      ::_exit(0);
    } else {
      ::waitpid(child, nullptr, 0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));  // of 64 threads each shall have a turn
  }
}

void hammer_in_threads(long count, long ms) {
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (long i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { hammer(i % 16 == 3 ? 3 : static_cast<int>(i % 3), is_over); });
  }
  work_ms(ms);
  is_over = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Never waits, nor calls anything.
void spin_ms(long count) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(count);
  volatile uint64_t sum = 0;
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 100'000; ++i) {
      sum = sum + 1;
    }
  }
}

std::atomic<long> signal_count = 0;
std::atomic<long> strange_signals = 0;

// A timer's signals carry SI_TIMER.
void count_signal(int number, siginfo_t* info, void*) {
  ++signal_count;
  strange_signals += number != SIGTRAP && info->si_code != SI_TIMER ? 1 : 0;
}

void handle(int number) {
  struct sigaction action{};
  action.sa_sigaction = count_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(number, &action, nullptr);
}

// Makes the kernel run a filter that ends the program where it makes pages executable.
void filter_system_calls() {
  constexpr uint32_t kExecutable = 4;
  sock_filter lines[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
                         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
                         BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kExecutable, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{static_cast<unsigned short>(std::size(lines)), lines};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

bool do_signal_word(std::string_view verb, long number) {
  if (verb == "handle_trap") {
    handle(SIGTRAP);
  } else if (verb == "trap") {  // fails where the handler is not called
    const long before = signal_count;
    std::raise(SIGTRAP);
    if (signal_count == before) {
      std::exit(98);
    }
  } else if (verb == "timer") {  // each so many microseconds
    handle(SIGALRM);
    timer_t timer{};
    timer_create(CLOCK_MONOTONIC, nullptr, &timer);
    const itimerspec each{{0, number * 1000}, {0, number * 1000}};
    timer_settime(timer, 0, &each, nullptr);
  } else if (verb == "signals_are_the_timers") {
    if (signal_count == 0 || strange_signals != 0) {
      std::exit(97);
    }
  } else if (verb == "filter") {
    filter_system_calls();
  } else {
    return false;
  }
  return true;
}

// The rest of the words is the child's; the parent waits for it.
bool is_parent_after_fork() {
  const pid_t child = ::fork();
  if (child == 0) {
    return false;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return true;
}

void do_word(const std::string& word, char** rest) {
  const std::string_view verb = std::string_view(word).substr(0, word.find(':'));
  const long number = number_behind(word);
  const std::string name = verb.size() < word.size() ? word.substr(verb.size() + 1) : "";
  if (do_hook_word(verb, name)) {
    return;
  }
  if (do_nvtx_word(verb, name)) {
    return;
  }
  if (verb == "kernels") {
    launch(number);
  } else if (verb == "graph") {
    cupti_double_kernel("replayed", 7, 1000, node_of(number));
  } else if (verb == "node") {
    cupti_double_node(node_of(number));
  } else if (verb == "instantiate") {
    cupti_double_instantiate(true);
    cupti_double_clone(node_of(number + 100), node_of(number));
    cupti_double_instantiate(false);
  } else if (verb == "copy") {
    cupti_double_copy(static_cast<uint64_t>(number));
  } else if (verb == "threads") {
    launch_in_threads(number);
  } else if (verb == "running") {
    cupti_double_kernel("never ends", 7, 0, 0);
  } else if (verb == "finish") {
    cupti_double_finish();
  } else if (verb == "drop") {
    cupti_double_drop(static_cast<uint64_t>(number));
  } else if (verb == "takeover") {
    cupti_double_take_over();
  } else if (verb == "theirs") {
    cupti_double_kernel("theirs", 7, 1000, 0);
  } else if (verb == "giveback") {
    cupti_double_give_back();
  } else if (verb == "work") {
    work_ms(number);
  } else if (verb == "spin") {
    spin_ms(number);
  } else if (verb == "hammer") {
    hammer_in_threads(64, number);
  } else if (do_signal_word(verb, number)) {
    return;
  } else if (verb == "sleep") {
    pause_ms(number);
  } else if (verb == "kill") {
    ::kill(::getpid(), SIGKILL);
  } else if (verb == "abort") {
    std::abort();
  } else if (verb == "_exit") {
    ::_exit(static_cast<int>(number));
  } else if (verb == "exit") {
    std::exit(static_cast<int>(number));
  } else if (verb == "say") {
    std::puts("said");
  } else if (verb == "exec") {
    ::execv("/proc/self/exe", rest);
  } else {
    std::exit(99);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "init") {
      if (cuInit(0) != 0) {
        return 9;
      }
    } else if (word == "fork") {
      if (is_parent_after_fork()) {
        return 0;
      }
    } else if (word == "spawn") {
      if (is_parent_after_fork()) {
        continue;
      }
      char* rest[] = {argv[0], argv[i + 1], argv[i + 2], nullptr};
      ::execv("/proc/self/exe", rest);
    } else if (word == "exec") {
      argv[i] = argv[0];
      do_word(word, argv + i);
    } else {
      do_word(word, nullptr);
    }
  }
  return 0;
}
