// SPDX-License-Identifier: MIT
#include "observe/kernel/test_kernel_plane.h"

namespace aaco {
namespace {

// The same program through each rung of the ladder.
class KernelLadder : public KernelPlane {
 protected:
  void SetUp() override {}

  // 100 sleeps and 500 faults, between two spans that a sampler of /proc needs to see the thread.
  void run_known_program(const char* source, bool waits_for_samples) {
    start(source);
    if (IsSkipped()) {
      return;
    }
    Answer& answer = *shared_.answer;
    const int64_t pid = run({[&] {
                          ::usleep(waits_for_samples ? 700'000 : 0);
                          answer.first = -own_count("voluntary_ctxt_switches:");
                          answer.second = -own_count("nonvoluntary_ctxt_switches:");
                          measure(answer, [] {
                            for (int i = 0; i < 100; ++i) {
                              ::usleep(1000);
                            }
                            auto* pages = static_cast<volatile char*>(::mmap(
                                nullptr, 500 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                            ::madvise(const_cast<char*>(pages), 500 * 4096, MADV_NOHUGEPAGE);
                            for (int i = 0; i < 500; ++i) {
                              pages[i * 4096] = 1;
                            }
                          });
                          answer.first += own_count("voluntary_ctxt_switches:");
                          answer.second += own_count("nonvoluntary_ctxt_switches:");
                          ::usleep(waits_for_samples ? 700'000 : 0);
                        }}).front();
    pid_ = pid;
  }
  int64_t figure(const char* name) const {
    const std::map<std::string, int64_t> figures = collector_->plane().source->figures;
    const auto entry = figures.find(name);
    return entry == figures.end() ? -1 : entry->second;
  }
  int64_t pid_ = 0;
};

TEST_F(KernelLadder, the_programs_in_the_kernel_see_each_sleep_and_fault) {
  run_known_program("ebpf", false);
  if (!IsSkipped()) {
    const std::vector<OffCpuRow> spans = spans_of(pid_, *shared_.answer);
    EXPECT_LE(count(spans, OffCpuReason::kSleep), 100);
    EXPECT_GE(count(spans, OffCpuReason::kSleep) + without_end(), 100);
    EXPECT_GE(figure("page_faults"), 500);
  }
}

TEST_F(KernelLadder, records_of_perf_events_see_each_sleep_and_fault) {
  run_known_program("perf_event_open", false);
  if (!IsSkipped()) {
    const std::vector<OffCpuRow> spans = spans_of(pid_, *shared_.answer);
    EXPECT_EQ(count(spans, OffCpuReason::kUnknown), 100) << "waited, in what is not told";
    EXPECT_LE(count(spans, OffCpuReason::kPreempted), shared_.answer->involuntary);
    EXPECT_GE(count(spans, OffCpuReason::kPreempted) + kEdges, shared_.answer->involuntary);
    EXPECT_EQ(shared_.answer->voluntary, 100) << "the kernel's own count";
    EXPECT_GE(events_of(pid_, HostEventKind::kPageFault).size(), 500U);
    EXPECT_LE(events_of(pid_, HostEventKind::kPageFault).size(), 700U) << "those of the program's start too";
    EXPECT_TRUE(
        std::none_of(spans_.begin(), spans_.end(), [](const OffCpuRow& row) { return row.process_id == ::getpid(); }));
    EXPECT_NE(collector_->plane().source->not_seen, "");
  }
}

TEST_F(KernelLadder, counts_of_proc_hold_each_sleep_and_fault) {
  run_known_program("procfs", true);
  EXPECT_TRUE(spans_.empty());
  // The sleeps that give the sampler its time are two more, or three where one is interrupted.
  EXPECT_GE(figure("voluntary_switches"), 100) << figure("samples") << " samples";
  EXPECT_LE(figure("voluntary_switches"), 103);
  EXPECT_GE(figure("page_faults"), 500);
}

// tests/kernel_plane/check_rights.py runs this with some rights and without, and reads the line.
TEST_F(KernelLadder, the_best_source_that_is_allowed_is_taken) {
  start("");
  ASSERT_FALSE(IsSkipped());
  run({[] { ::usleep(300'000); }});
  const PlaneSource source = *collector_->plane().source;
  std::cout << "source: " << source_text(source) << std::endl;
  EXPECT_EQ(source.better.empty(), source.name == "ebpf");
}

TEST_F(KernelLadder, an_unknown_source_is_refused) {
  CollectorOptions options;
  options.kernel_source = "magic";
  auto collector = kernel_collector().make(options);
  ASSERT_TRUE(collector);
  const Result<void> started = (*collector)->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "kernel plane: there is no source \"magic\"");
}

}  // namespace
}  // namespace aaco
