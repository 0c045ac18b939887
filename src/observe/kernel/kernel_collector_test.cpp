// SPDX-License-Identifier: MIT
// What programs did a known number of times, by eBPF.
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "observe/kernel/test_kernel_plane.h"

namespace aaco {
namespace {

TEST_F(KernelPlane, a_program_that_sleeps_200_times_has_200_spans_of_sleep) {
  constexpr int64_t kSleeps = 200;
  constexpr int64_t kSleepNs = 1'000'000;
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        measure(answer, [] {
                          for (int64_t i = 0; i < kSleeps; ++i) {
                            const timespec span{0, kSleepNs};
                            ::clock_nanosleep(CLOCK_MONOTONIC, 0, &span, nullptr);
                          }
                        });
                      }}).front();
  const std::vector<OffCpuRow> spans = spans_of(pid, answer);
  EXPECT_EQ(count(spans, OffCpuReason::kSleep) + without_end(), kSleeps);
  EXPECT_EQ(answer.voluntary, kSleeps) << "the kernel's own count";
  EXPECT_LE(count(spans, OffCpuReason::kPreempted), answer.involuntary);
  EXPECT_GE(count(spans, OffCpuReason::kPreempted) + without_end() + kEdges, answer.involuntary);
  for (const OffCpuRow& row : spans) {
    if (row.reason != OffCpuReason::kSleep) {
      continue;
    }
    EXPECT_GE(row.t_end_ns - row.t_start_ns, kSleepNs / 2);
    EXPECT_GE(row.run_queue_ns.value_or(0), 0);
    EXPECT_LT(row.run_queue_ns.value_or(0), row.t_end_ns - row.t_start_ns);
    EXPECT_EQ(row.process_id, pid);
  }
  // The timer's interrupt wakes, whoever ran when it came.
  EXPECT_EQ(std::count_if(spans.begin(), spans.end(),
                          [](const OffCpuRow& row) {
                            return row.reason == OffCpuReason::kSleep && row.waker_thread_id.value_or(0) != 0;
                          }),
            0);
  EXPECT_GE(std::count_if(spans.begin(), spans.end(),
                          [](const OffCpuRow& row) { return row.run_queue_ns && row.waker_thread_id == 0; }),
            kSleeps / 2);
}

TEST_F(KernelPlane, a_program_that_touches_1000_pages_has_1000_faults_there) {
  constexpr int64_t kPages = 1000;
  constexpr int64_t kPageBytes = 4096;
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        measure(answer, [&] {
                          auto* pages = static_cast<char*>(::mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE,
                                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                          // Where it is refused, pages are counted as they come.
                          (void)::madvise(pages, kPages * kPageBytes, MADV_NOHUGEPAGE);
                          answer.first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(pages));
                          for (int64_t i = 0; i < kPages; ++i) {
                            static_cast<volatile char*>(pages)[i * kPageBytes] = 1;
                          }
                        });
                      }}).front();
  int64_t there = 0;
  for (const HostEventRow& row : events_of(pid, HostEventKind::kPageFault)) {
    if (*row.value >= answer.first && *row.value < answer.first + kPages * kPageBytes) {
      ++there;
      EXPECT_EQ(row.name, "write");
      EXPECT_GE(row.t_start_ns, answer.from_ns);
      EXPECT_LE(row.t_start_ns, answer.to_ns);
    }
  }
  EXPECT_EQ(there, kPages);
}

TEST_F(KernelPlane, a_program_that_moves_50_times_migrates_50_times) {
  const std::vector<int> here = processors();
  if (here.size() < 2) {
    AACO_SKIP("needs two processors");
  }
  constexpr int64_t kMoves = 50;
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        pin(here[0]);
                        measure(answer, [&] {
                          for (int64_t i = 0; i < kMoves; ++i) {
                            pin(here[i % 2 == 0 ? 1 : 0]);
                          }
                        });
                      }}).front();
  std::vector<HostEventRow> moves = events_of(pid, HostEventKind::kMigration);
  std::erase_if(
      moves, [&](const HostEventRow& row) { return row.t_start_ns < answer.from_ns || row.t_start_ns > answer.to_ns; });
  ASSERT_EQ(static_cast<int64_t>(moves.size()), kMoves);
  for (size_t i = 0; i < moves.size(); ++i) {
    EXPECT_EQ(moves[i].cpu, here[i % 2 == 0 ? 1 : 0]);
    EXPECT_EQ(moves[i].value, here[i % 2 == 0 ? 0 : 1]);
  }
}

TEST_F(KernelPlane, a_hog_that_takes_the_processor_100_times_is_named_each_time) {
  if (!may_run_first()) {
    AACO_SKIP(kNotFirst);
  }
  constexpr int64_t kTurns = 100;
  constexpr int64_t kTurnNs = 1'000'000;
  constexpr int64_t kPauseNs = 2'000'000;
  const int processor = processors().front();
  Answer& answer = *shared_.answer;
  const std::vector<int64_t> pids = run({[&] {
                                           pin(processor);
                                           run_first(1);
                                           measure(answer, [&] {
                                             answer.first = 1;
                                             while (answer.second == 0) {
                                             }
                                           });
                                         },
                                         [&] {
                                           pin(processor);
                                           run_first(2);
                                           while (answer.first == 0) {
                                             ::usleep(1000);
                                           }
                                           for (int64_t i = 0; i < kTurns; ++i) {
                                             const int64_t end_ns = monotonic_ns() + kTurnNs;
                                             while (monotonic_ns() < end_ns) {
                                             }
                                             ::usleep(kPauseNs / 1000);
                                           }
                                           answer.second = 1;
                                         }});
  const std::vector<OffCpuRow> spans = spans_of(pids[0], answer);
  EXPECT_LE(count(spans, OffCpuReason::kPreempted), answer.involuntary) << "the kernel's own count";
  EXPECT_GE(count(spans, OffCpuReason::kPreempted) + without_end() + kEdges, answer.involuntary);
  int64_t turns = 0;
  int64_t turns_ns = 0;
  int64_t hidden = 0;  // turns that may have begun while ordinary work ran, and so took the processor from that
  for (const OffCpuRow& row : spans) {
    const int64_t span_ns = row.t_end_ns - row.t_start_ns;
    if (row.reason == OffCpuReason::kPreempted && row.next_thread_id != pids[1]) {
      hidden += 1 + span_ns / (kTurnNs + kPauseNs);
    }
    if (row.reason == OffCpuReason::kPreempted && row.next_thread_id == pids[1] && span_ns > kTurnNs / 2) {
      ++turns;
      turns_ns += span_ns;
      EXPECT_EQ(row.run_queue_ns, span_ns);
      EXPECT_FALSE(row.waker_thread_id);
    }
  }
  // The kernel gives ordinary work a share of each second even against real-time threads: it may start or split a turn.
  EXPECT_GE(turns + hidden, kTurns - 2 - without_end());
  EXPECT_LE(turns, kTurns + 2 + without_end());
  EXPECT_GE(turns_ns, turns * kTurnNs * 99 / 100);
}

TEST_F(KernelPlane, threads_that_wake_each_other_are_named_as_wakers) {
  if (!may_run_first()) {
    AACO_SKIP(kNotFirst);
  }
  constexpr int64_t kRounds = 300;
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        pin(processors().front());
                        run_first(1);
                        std::array<int, 2> there{}, back{};
                        if (::pipe(there.data()) != 0 || ::pipe(back.data()) != 0) {
                          ::_exit(1);
                        }
                        std::thread other([&] {
                          answer.first = ::gettid();
                          char byte = 0;
                          while (::read(there[0], &byte, 1) == 1 && byte == 1) {
                            (void)!::write(back[1], &byte, 1);
                          }
                        });
                        while (answer.first == 0) {
                          ::sched_yield();
                        }
                        measure(answer, [&] {
                          for (int64_t i = 0; i < kRounds; ++i) {
                            char byte = 1;
                            (void)!::write(there[1], &byte, 1);
                            (void)!::read(back[0], &byte, 1);
                          }
                        });
                        const char last = 0;
                        (void)!::write(there[1], &last, 1);
                        other.join();
                      }}).front();
  const std::vector<OffCpuRow> spans = spans_of(pid, answer);
  EXPECT_EQ(answer.voluntary, kRounds) << "the kernel's own count";
  EXPECT_LE(count(spans, OffCpuReason::kSleep), kRounds);
  EXPECT_GE(count(spans, OffCpuReason::kSleep) + without_end(), kRounds);
  for (const OffCpuRow& row : spans) {
    if (row.reason == OffCpuReason::kSleep) {
      EXPECT_EQ(row.waker_thread_id.value_or(answer.first), answer.first);
    }
  }
  EXPECT_GE(count(spans_of(answer.first, answer), OffCpuReason::kSleep) + without_end(), kRounds);
}

// The C library has no frame pointers: the walk may miss the function that calls into it, and finds the one above.
[[gnu::noinline]] void sleep_at_the_end() {
  ::usleep(20'000);
  asm volatile("");  // no tail call
}
[[gnu::noinline]] void sleep_in_a_function_with_a_name() {
  sleep_at_the_end();
  asm volatile("");
}

TEST_F(KernelPlane, where_a_program_slept_is_named) {
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        measure(answer, sleep_in_a_function_with_a_name);
                        ::usleep(1'000'000);  // its files are looked up while it lives
                      }}).front();
  bool named = false;
  for (const OffCpuRow& row : spans_of(pid, answer)) {
    if (row.reason == OffCpuReason::kSleep && row.t_end_ns - row.t_start_ns > 10'000'000) {
      ASSERT_TRUE(row.stack);
      const StackRow& stack = stacks_.at(*row.stack);
      EXPECT_NE(stack.user_frames.find("sleep_in_a_function_with_a_name"), std::string::npos) << stack.user_frames;
      // Names of the kernel need a right of their own; without it the row says so.
      EXPECT_TRUE(stack.kernel_frames.find("nanosleep") != std::string::npos || stack.unread) << stack.kernel_frames;
      EXPECT_EQ(stack.kernel_frames.find("bpf_"), std::string::npos) << "the observer's own frames";
      named = true;
    }
  }
  EXPECT_TRUE(named || without_end() > 0);
}

// AACO_SHORT_PROCESSES says how many: 100,000 were tried by hand.
TEST_F(KernelPlane, of_many_short_processes_none_is_missed) {
  const char* const wanted = std::getenv("AACO_SHORT_PROCESSES");
  const int64_t kProcesses = wanted != nullptr ? std::strtoll(wanted, nullptr, 10) : 1000;
  const int64_t pid = run({[kProcesses] {
                        for (int64_t i = 0; i < kProcesses; ++i) {
                          const pid_t child = ::fork();
                          if (child == 0) {
                            ::_exit(3);
                          }
                          if (::waitpid(child, nullptr, 0) != child) {
                            ::_exit(1);
                          }
                        }
                      }}).front();
  EXPECT_EQ(static_cast<int64_t>(events_of(pid, HostEventKind::kFork).size()), kProcesses);
  EXPECT_EQ(std::count_if(events_.begin(), events_.end(),
                          [&](const HostEventRow& row) {
                            return row.kind == HostEventKind::kExit && row.process_id != pid && row.value == 3 << 8;
                          }),
            kProcesses);
}

// The kernel's own count of what a process wrote to storage (/proc/self/io); -1: there is none.
int64_t written_bytes() {
  std::ifstream io("/proc/self/io");
  for (std::string line; std::getline(io, line);) {
    if (line.starts_with("write_bytes:")) {
      return std::stoll(line.substr(12));
    }
  }
  return -1;
}

// Bytes that all programs together wrote to the device that holds the file; -1: nobody counts them.
int64_t device_written_bytes(int file) {
  struct stat facts{};
  if (::fstat(file, &facts) != 0) {
    return -1;
  }
  std::ifstream counts("/sys/dev/block/" + std::to_string(major(facts.st_dev)) + ":" +
                       std::to_string(minor(facts.st_dev)) + "/stat");
  constexpr int kSectorsWritten = 7;  // which number, from 1 on (Documentation/block/stat.rst)
  int64_t count = -1;
  for (int i = 0; i < kSectorsWritten; ++i) {
    counts >> count;
  }
  return counts ? count * 512 : -1;
}

TEST_F(KernelPlane, a_program_that_writes_64_blocks_past_the_cache_has_their_bytes) {
  constexpr int64_t kWrites = 64;
  constexpr size_t kBytes = 65'536;
  const std::string path = std::filesystem::absolute("kernel_plane_blocks." + std::to_string(::getpid())).string();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
  void* memory = nullptr;
  const bool can = file >= 0 && ::posix_memalign(&memory, 4096, kBytes) == 0 &&
                   ::posix_fallocate(file, 0, kWrites * static_cast<int64_t>(kBytes)) == 0;
  ::unlink(path.c_str());
  if (!can) {
    AACO_SKIP("no storage here that is written past the cache: " + path);
  }
  std::memset(memory, 7, kBytes);
  const auto write_all = [&] {
    for (int64_t i = 0; i < kWrites; ++i) {
      if (::pwrite(file, memory, kBytes, i * static_cast<int64_t>(kBytes)) != static_cast<ssize_t>(kBytes)) {
        ::_exit(1);
      }
    }
  };
  write_all();  // so that no place on the device has to be found in the second round
  ASSERT_EQ(::fsync(file), 0);
  // What a crowded device has no room for at once is started later, by a thread of the kernel or of another program
  // that writes just then. So some programs write, one after the other, of which one has to have all its bytes.
  constexpr int kPrograms = 5;
  constexpr int64_t kAll = kWrites * static_cast<int64_t>(kBytes);
  Answer& answer = *shared_.answer;
  const int64_t before = device_written_bytes(file);
  run({[&] {
    for (int i = 0; i < kPrograms; ++i) {
      const pid_t program = ::fork();
      if (program == 0) {
        answer.first -= written_bytes();
        write_all();
        answer.first += written_bytes();
        ::_exit(0);
      }
      int status = 0;
      if (::waitpid(program, &status, 0) != program || status != 0) {
        ::_exit(1);
      }
    }
  }});
  const int64_t by_others = device_written_bytes(file) - before - kPrograms * kAll;
  ::close(file);
  std::free(memory);
  std::map<int64_t, int64_t> bytes;  // by program
  for (const HostEventRow& row : events_) {
    if (row.kind == HostEventKind::kBlockIo && row.name.starts_with("write")) {
      EXPECT_GT(row.t_end_ns.value_or(0), row.t_start_ns);
      bytes[row.thread_id.value_or(0)] += row.value.value_or(0);
    }
  }
  EXPECT_EQ(answer.first, kPrograms * kAll) << "the kernel's own count";
  if (bytes.empty()) {
    AACO_SKIP("the storage below " + path + " gives its requests to threads of the kernel");
  }
  int64_t most = 0;
  for (const auto& [program, written] : bytes) {
    most = std::max(most, written);
  }
  if (most != kAll && by_others > kAll) {
    AACO_SKIP("other programs write to the device");
  }
  EXPECT_EQ(most, kAll) << bytes.size() << " programs; others wrote " << by_others;
}

// The kernel's own count of soft interrupts of a kind on a processor.
int64_t soft_interrupts(const std::string& kind, int processor) {
  std::ifstream file("/proc/softirqs");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (words >> word && word == kind + ":") {
      int64_t count = -1;
      for (int i = 0; i <= processor; ++i) {
        words >> count;
      }
      return count;
    }
  }
  return -1;
}

TEST_F(KernelPlane, a_program_that_sends_itself_300_packets_is_stopped_by_300_soft_interrupts) {
  if (!may_run_first()) {
    AACO_SKIP(kNotFirst);
  }
  constexpr int64_t kPackets = 300;
  const int processor = processors().front();
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        pin(processor);
                        run_first(1);
                        const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
                        sockaddr_in address{};
                        address.sin_family = AF_INET;
                        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                        socklen_t bytes = sizeof(address);
                        auto* any = reinterpret_cast<sockaddr*>(&address);
                        if (socket < 0 || ::bind(socket, any, bytes) != 0 || ::getsockname(socket, any, &bytes) != 0) {
                          ::_exit(1);
                        }
                        answer.second = -soft_interrupts("NET_RX", processor);
                        measure(answer, [&] {
                          for (int64_t i = 0; i < kPackets; ++i) {
                            char byte = 1;
                            if (::sendto(socket, &byte, 1, 0, any, bytes) != 1 || ::recv(socket, &byte, 1, 0) != 1) {
                              ::_exit(1);
                            }
                          }
                        });
                        answer.second += soft_interrupts("NET_RX", processor);
                      }}).front();
  int64_t count = 0;
  for (const HostEventRow& row : events_of(pid, HostEventKind::kSoftInterrupt)) {
    if (row.name == "net_rx" && row.t_start_ns >= answer.from_ns && row.t_start_ns <= answer.to_ns) {
      EXPECT_GE(row.t_end_ns.value_or(0), row.t_start_ns);
      ++count;
    }
  }
  EXPECT_GE(answer.second, kPackets) << "the kernel's own count";
  EXPECT_LE(count, answer.second);
  // A thread of the kernel may serve some in its place.
  EXPECT_GE(count, kPackets * 9 / 10);
}

TEST_F(KernelPlane, faults_that_the_ring_has_no_room_for_are_counted) {
  constexpr int64_t kPages = 5000;
  constexpr int64_t kRounds = 40;
  Answer& answer = *shared_.answer;
  const int64_t pid = run({[&] {
                        auto* pages = static_cast<volatile char*>(
                            ::mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                        (void)::madvise(const_cast<char*>(pages), kPages * 4096, MADV_NOHUGEPAGE);  // likewise
                        answer.first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(pages));
                        for (int64_t round = 0; round < kRounds; ++round) {
                          for (int64_t i = 0; i < kPages; ++i) {
                            pages[i * 4096] = 1;
                          }
                          if (::madvise(const_cast<char*>(pages), kPages * 4096, MADV_DONTNEED) != 0) {
                            ::_exit(1);
                          }
                        }
                      }}).front();
  const std::vector<HostEventRow> faults = events_of(pid, HostEventKind::kPageFault);
  const int64_t there = std::count_if(faults.begin(), faults.end(), [&](const HostEventRow& row) {
    return *row.value >= answer.first && *row.value < answer.first + kPages * 4096;
  });
  EXPECT_LE(there, kPages * kRounds);
  EXPECT_GE(there + collector_->plane().source->figures.at("lost_events"), kPages * kRounds);
}

TEST_F(KernelPlane, a_process_that_is_gone_is_no_error) {
  measured_pid_ = 4'194'303;
  run({[] { ::usleep(1000); }});
  EXPECT_FALSE(spans_.empty());
}

TEST_F(KernelPlane, the_observer_and_strangers_leave_no_rows) {
  const int64_t own = ::getpid();
  run({[] { ::usleep(1000); }});
  EXPECT_FALSE(spans_.empty());
  EXPECT_TRUE(std::none_of(spans_.begin(), spans_.end(), [&](const OffCpuRow& row) { return row.process_id == own; }));
  EXPECT_EQ(collector_->plane().source->name, "ebpf");
}

}  // namespace
}  // namespace aaco
