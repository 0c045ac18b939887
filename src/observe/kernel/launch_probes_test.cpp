// SPDX-License-Identifier: MIT
// Launches that a program did a known number of times, by a double of CUDA's runtime; never run on a GPU's own library.
#include <cstdlib>
#include <dlfcn.h>

#include "observe/kernel/test_kernel_plane.h"

namespace aaco {
namespace {

constexpr int64_t kLaunchUs = 200;

class LaunchProbed : public KernelPlane {
 protected:
  void SetUp() override {
    ::setenv("AACO_LAUNCH_PROBES", "1", 1);
    start("ebpf");
  }
  void TearDown() override { ::unsetenv("AACO_LAUNCH_PROBES"); }

  // The library is loaded when the program runs already; two threads launch, so many times each.
  int64_t launch(int64_t main_thread, int64_t other_thread) {
    Answer& answer = *shared_.answer;
    return run({[&, main_thread, other_thread] {
             ::usleep(100'000);
             void* library = ::dlopen(AACO_LAUNCH_DOUBLE, RTLD_NOW);
             auto* const call =
                 library == nullptr ? nullptr : reinterpret_cast<int (*)(long)>(::dlsym(library, "cudaLaunchKernel"));
             if (call == nullptr) {
               ::_exit(1);
             }
             ::usleep(1'500'000);  // it is found within a second
             const auto calls = [&](int64_t count) {
               for (int64_t i = 0; i < count; ++i) {
                 call(kLaunchUs);
               }
             };
             std::thread other([&] {
               answer.first = ::gettid();
               calls(other_thread);
             });
             calls(main_thread);
             other.join();
           }})
        .front();
  }
};

TEST_F(LaunchProbed, each_launch_is_counted_and_timed_by_thread) {
  constexpr int64_t kMain = 50, kOther = 30;
  const int64_t pid = launch(kMain, kOther);
  const PlaneSource source = *collector_->plane().source;
  ASSERT_EQ(source.figures.at("probed_libraries"), 1) << source_text(source);
  for (const auto& [thread, wanted] : {std::pair{pid, kMain}, {shared_.answer->first.load(), kOther}}) {
    const std::vector<HostEventRow> launches = events_of(thread, HostEventKind::kLaunch);
    EXPECT_EQ(static_cast<int64_t>(launches.size()), wanted);
    for (const HostEventRow& row : launches) {
      EXPECT_EQ(row.process_id, pid);
      EXPECT_EQ(row.name, "cudaLaunchKernel");
      EXPECT_GE(*row.t_end_ns - row.t_start_ns, kLaunchUs * 1000);
    }
  }
}

}  // namespace
}  // namespace aaco
