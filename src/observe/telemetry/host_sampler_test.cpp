// SPDX-License-Identifier: MIT
#include "observe/telemetry/host_sampler.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "base/files/temporary_folder.h"
#include "observe/host_files.h"
#include "observe/telemetry/proc_file.h"
#include "record/rows.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

int64_t fake_now = 0;

// A copy of tests/roots/two_processors/before that can become .../after while its files are open, as /proc does.
class FakeHost {
 public:
  FakeHost() : root_(fs::temp_directory_path() / ("aaco_host_" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::copy(source("before"), root_, fs::copy_options::recursive);
  }
  ~FakeHost() { fs::remove_all(root_); }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const fs::path& root() const { return root_; }

  void become_after() const {
    for (const auto& entry : fs::recursive_directory_iterator(source("after"))) {
      const fs::path to = root_ / fs::relative(entry.path(), source("after"));
      if (entry.is_directory()) {
        fs::create_directories(to);
      } else {
        std::ifstream in(entry.path());
        std::ofstream(to, std::ios::trunc) << in.rdbuf();  // in place: an open descriptor sees it
      }
    }
    fs::remove_all(root_ / "proc/4242/task/4243");
  }

 private:
  static fs::path source(const char* state) { return fs::path(AACO_SOURCE_DIR) / "tests/roots/two_processors" / state; }
  fs::path root_;
};

class HostSamplerTest : public testing::Test {
 protected:
  std::unique_ptr<Collector> make() {
    CollectorOptions options;
    options.measured_pid = &pid_;
    options.sinks.set<SystemRow>(
        [this](std::span<const SystemRow> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); });
    options.processors = {0, 1};
    options.root = host_.root();
    options.now_ns = [] { return fake_now; };
    Result<std::unique_ptr<Collector>> collector = host_collector().make(options);
    EXPECT_TRUE(collector.has_value());
    return std::move(collector).value();
  }
  const SystemRow& sample(Collector& collector, int64_t at_ns) {
    fake_now = at_ns;
    collector.sample();
    return rows_.back();
  }

  FakeHost host_;
  std::atomic<int64_t> pid_{4242};
  std::vector<SystemRow> rows_;
};

}  // namespace

TEST_F(HostSamplerTest, FirstSampleHasLevelsAndNoDeltas) {
  const auto collector = make();
  const SystemRow row = sample(*collector, 1'000'000'000);
  EXPECT_EQ(row.t_ns, 1'000'000'000);
  EXPECT_EQ(row.interval_ns, 0);
  EXPECT_EQ(row.pid, 4242);
  EXPECT_EQ(row.process_threads, 2);
  EXPECT_EQ(row.process_rss_bytes, 2048 * ::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(row.memory_available_bytes, int64_t{8'000'000} * 1024);
  EXPECT_EQ(row.runnable_tasks, 3);
  EXPECT_DOUBLE_EQ(row.load_1m.value(), 0.52);
  EXPECT_DOUBLE_EQ(row.cpu_frequency_mhz.value(), 2500);  // (2000 + 3000) / 2
  EXPECT_FALSE(row.cpu_pct);
  EXPECT_FALSE(row.context_switches);
  EXPECT_FALSE(row.process_cpu_pct);
  EXPECT_FALSE(row.process_voluntary_switches);
  EXPECT_FALSE(row.process_involuntary_switches);
  EXPECT_FALSE(row.process_minor_faults);
  EXPECT_FALSE(row.process_major_faults);
  EXPECT_FALSE(row.process_run_delay_ns);
  EXPECT_FALSE(row.psi_cpu_some_pct);
  EXPECT_FALSE(row.psi_memory_some_pct);
  EXPECT_FALSE(row.psi_io_some_pct);
}

// Two processors of one package, each a core: three counters, of which the package's counts once.
TEST_F(HostSamplerTest, HeatLimitsAndEnergyOfTheProcessors) {
  const auto write = [this](const std::string& file, const std::string& text) {
    fs::create_directories((host_.root() / file).parent_path());
    std::ofstream(host_.root() / file) << text << '\n';
  };
  const std::string cpu = "sys/devices/system/cpu/cpu";
  for (const char* processor : {"0", "1"}) {
    write(cpu + processor + "/topology/physical_package_id", "0");
    write(cpu + processor + "/topology/core_id", processor);
    write(cpu + processor + "/thermal_throttle/core_throttle_count", "10");
    write(cpu + processor + "/thermal_throttle/package_throttle_count", "100");
  }
  write(cpu + "0/cpufreq/scaling_max_freq", "3000000");
  write(cpu + "1/cpufreq/scaling_max_freq", "4000000");
  write("sys/class/hwmon/hwmon3/temp1_label", "Package id 0");
  write("sys/class/hwmon/hwmon3/temp1_input", "71000");
  write("sys/class/powercap/intel-rapl:0/name", "package-0");
  write("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850");
  write("sys/class/powercap/intel-rapl:0/energy_uj", "1000000");
  const auto collector = make();
  const SystemRow first = sample(*collector, 1'000'000'000);
  EXPECT_DOUBLE_EQ(first.cpu_frequency_max_mhz.value(), 3'500);
  EXPECT_DOUBLE_EQ(first.package_temperature_c.value(), 71);
  EXPECT_FALSE(first.cpu_throttles);
  EXPECT_DOUBLE_EQ(first.package_energy_j.value(), 0);
  write(cpu + "1/thermal_throttle/core_throttle_count", "12");
  write(cpu + "0/thermal_throttle/package_throttle_count", "105");
  write(cpu + "1/thermal_throttle/package_throttle_count", "105");
  write("sys/class/powercap/intel-rapl:0/energy_uj", "1500000");
  const SystemRow second = sample(*collector, 1'050'000'000);
  EXPECT_EQ(second.cpu_throttles, 7);
  EXPECT_DOUBLE_EQ(second.package_energy_j.value(), 0.5);
  write("sys/class/powercap/intel-rapl:0/energy_uj", "1750000");
  EXPECT_DOUBLE_EQ(sample(*collector, 1'100'000'000).package_energy_j.value(), 0.75);
  EXPECT_EQ(rows_.back().cpu_throttles, 0);
  EXPECT_EQ(rows_.back().read_ns, 0);  // the clock of the test stands still
}

TEST_F(HostSamplerTest, SecondSampleHasTheDeltasOfTheInterval) {
  const auto collector = make();
  sample(*collector, 1'000'000'000);
  host_.become_after();
  const SystemRow row = sample(*collector, 1'100'000'000);
  EXPECT_EQ(row.interval_ns, 100'000'000);
  // Ticks: user +50, system +10, idle +30, iowait +10: 60 busy of 100. Guest time is within user.
  EXPECT_DOUBLE_EQ(row.cpu_pct.value(), 60);
  EXPECT_EQ(row.context_switches, 250);
  EXPECT_EQ(row.runnable_tasks, 5);
  EXPECT_DOUBLE_EQ(row.load_1m.value(), 1.25);
  EXPECT_DOUBLE_EQ(row.cpu_frequency_mhz.value(), 3250);
  // total= grew by 50,000 us, nothing and 2,000 us in 100 ms.
  EXPECT_DOUBLE_EQ(row.psi_cpu_some_pct.value(), 50);
  EXPECT_DOUBLE_EQ(row.psi_memory_some_pct.value(), 0);
  EXPECT_DOUBLE_EQ(row.psi_io_some_pct.value(), 2);
  // Thread 4242: 60 ms; thread 4250 started meanwhile: 15 ms; thread 4243 ended: 75 ms in 100 ms.
  EXPECT_DOUBLE_EQ(row.process_cpu_pct.value(), 75);
  EXPECT_EQ(row.process_run_delay_ns, 5'000'000);  // 3 ms + 2 ms
  EXPECT_EQ(row.process_voluntary_switches, 17);   // 10 + 7
  EXPECT_EQ(row.process_involuntary_switches, 5);  // 2 + 3
  EXPECT_EQ(row.process_minor_faults, 300);
  EXPECT_EQ(row.process_major_faults, 3);
  EXPECT_EQ(row.process_rss_bytes, 3072 * ::sysconf(_SC_PAGESIZE));
}

TEST_F(HostSamplerTest, BetweenProcessesTheProcessColumnsAreNull) {
  const auto collector = make();
  sample(*collector, 1'000'000'000);
  pid_ = 0;
  const SystemRow none = sample(*collector, 1'050'000'000);
  EXPECT_FALSE(none.pid);
  EXPECT_FALSE(none.process_rss_bytes);
  EXPECT_TRUE(none.cpu_pct.has_value() || none.context_switches.has_value());
  // The same process again is a new watch: what it did unwatched is no delta.
  pid_ = 4242;
  host_.become_after();
  const SystemRow again = sample(*collector, 1'100'000'000);
  EXPECT_EQ(again.pid, 4242);
  EXPECT_FALSE(again.process_cpu_pct);
  EXPECT_FALSE(again.process_minor_faults);
}

TEST_F(HostSamplerTest, ProcessThatIsNoMoreIsNull) {
  pid_ = 999;
  const auto collector = make();
  const SystemRow row = sample(*collector, 1);
  EXPECT_FALSE(row.pid);
  EXPECT_FALSE(row.process_threads);
  EXPECT_TRUE(row.memory_available_bytes);
}

TEST_F(HostSamplerTest, WhatTheKernelDoesNotTellIsNullNotZero) {
  fs::remove_all(host_.root() / "proc/pressure");
  fs::remove_all(host_.root() / "sys");
  fs::remove(host_.root() / "proc/4242/task/4242/schedstat");
  fs::remove(host_.root() / "proc/meminfo");
  const auto collector = make();
  sample(*collector, 1'000'000'000);
  const SystemRow row = sample(*collector, 1'100'000'000);
  EXPECT_FALSE(row.psi_cpu_some_pct);
  EXPECT_FALSE(row.cpu_frequency_mhz);
  EXPECT_FALSE(row.memory_available_bytes);
  // One thread without schedstat: the sum over the others would be too small.
  EXPECT_FALSE(row.process_cpu_pct);
  EXPECT_FALSE(row.process_run_delay_ns);
  EXPECT_EQ(row.process_voluntary_switches, 0);  // known, and nothing happened
}

TEST_F(HostSamplerTest, ThePlaneSaysWhatWasNotReadAndWhy) {
  fs::remove(host_.root() / "proc/pressure/io");
  fs::remove_all(host_.root() / "sys");
  const auto collector = make();
  sample(*collector, 1'000'000'000);
  host_.become_after();
  sample(*collector, 1'100'000'000);
  const CollectorPlane plane = collector->plane();
  EXPECT_EQ(plane.name, "telemetry_host");
  ASSERT_EQ(plane.columns.size(), 25U);
  EXPECT_EQ(plane.columns[0].table, "system_events");
  std::map<std::string, std::string> unread, units;
  for (const PlaneColumn& column : plane.columns) {
    units[column.name] = column.unit;
    if (!column.unread.empty()) {
      unread[column.name] = column.unread;
    }
  }
  EXPECT_EQ(units["process_run_delay_ns"], "ns");
  EXPECT_EQ(units["cpu_pct"], "%");
  EXPECT_THAT(unread,
              testing::ElementsAre(
                  testing::Pair("cpu_frequency_max_mhz", "the kernel shows no cpufreq/scaling_max_freq"),
                  testing::Pair("cpu_frequency_mhz", "the kernel shows no cpufreq/scaling_cur_freq"),
                  testing::Pair("cpu_throttles",
                                "the kernel shows no thermal_throttle (a virtual machine, or no Intel processor)"),
                  testing::Pair("package_energy_j", "there is no energy counter of a processor below " +
                                                        (host_.root() / "sys/class/powercap").string()),
                  testing::Pair("package_temperature_c",
                                "the kernel shows no sensor of a processor package below /sys/class/hwmon"),
                  testing::Pair("psi_io_some_pct", "cannot open " + (host_.root() / "proc/pressure/io").string() +
                                                       ": No such file or directory")));
}

TEST_F(HostSamplerTest, DamagedFilesGiveNulls) {
  for (const char* name :
       {"proc/stat", "proc/loadavg", "proc/meminfo", "proc/pressure/cpu", "proc/4242/task/4242/status"}) {
    std::ofstream(host_.root() / name, std::ios::trunc) << "cpu  99999999999999999999 x\nsome total=\nctxt -";
  }
  const auto collector = make();
  sample(*collector, 1);
  const SystemRow row = sample(*collector, 2);
  EXPECT_FALSE(row.cpu_pct);
  EXPECT_FALSE(row.context_switches);
  EXPECT_FALSE(row.load_1m);
  EXPECT_FALSE(row.memory_available_bytes);
  EXPECT_FALSE(row.psi_cpu_some_pct);
  EXPECT_FALSE(row.process_voluntary_switches);
}

TEST(HostSamplerFactory, SaysWhatIsMissing) {
  CollectorOptions options;
  const TemporaryFolder empty = TemporaryFolder::create().value();
  options.root = empty.path();
  const auto collector = host_collector().make(options);
  ASSERT_FALSE(collector.has_value());
  EXPECT_EQ(collector.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(collector.error().message, testing::HasSubstr(empty.path().string() + "/proc/stat"));
}

// The real /proc against what this process knows about itself.
TEST(HostSamplerReal, SeesThisProcess) {
  std::atomic<int64_t> pid{::getpid()};
  std::vector<SystemRow> rows;
  CollectorOptions options;
  options.measured_pid = &pid;
  options.sinks.set<SystemRow>(
      [&](std::span<const SystemRow> pushed) { rows.insert(rows.end(), pushed.begin(), pushed.end()); });
  auto collector = host_collector().make(options);
  ASSERT_TRUE(collector.has_value());
  (*collector)->sample();

  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  // 512 fresh pages on a second thread, which then waits: faults, processor time and voluntary switches.
  std::thread([] {
    const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<char> memory(512 * page);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (size_t at = 0; at < memory.size(); at += page) {
      static_cast<volatile char*>(memory.data())[at] = 1;
    }
  }).join();
  getrusage(RUSAGE_SELF, &after);
  (*collector)->sample();

  const SystemRow& row = rows.back();
  EXPECT_EQ(row.pid, ::getpid());
  EXPECT_GE(row.process_threads.value(), 1);
  EXPECT_GT(row.process_rss_bytes.value(), 0);
  ASSERT_TRUE(row.process_minor_faults);
  EXPECT_GE(*row.process_minor_faults, after.ru_minflt - before.ru_minflt);
  EXPECT_GT(row.memory_available_bytes.value(), 0);
  EXPECT_GT(row.interval_ns, 0);
}

TEST(NumberReader, TakesWhatIsThere) {
  NumberReader numbers("12 -3 4.5 x");
  EXPECT_EQ(numbers.integer(), 12);
  EXPECT_EQ(numbers.integer(), -3);
  EXPECT_EQ(numbers.real(), 4.5);
  EXPECT_FALSE(numbers.integer());
  EXPECT_FALSE(NumberReader("").integer());
}

TEST(AfterKey, MatchesAtTheStartOfALineOnly) {
  EXPECT_EQ(after_key("nonvoluntary:\t5\nvoluntary:\t7\n", "voluntary:"), "\t7\n");
  EXPECT_FALSE(after_key("a\nb", "c"));
  EXPECT_FALSE(after_key("", "c"));
}

TEST(ProcessorList, BothWays) {
  EXPECT_EQ(parse_processor_list("0-3,8,10-11").value(), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(format_processor_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_FALSE(parse_processor_list("3-1"));
  EXPECT_FALSE(parse_processor_list(""));
  EXPECT_FALSE(parse_processor_list("0-99999999"));
}

}  // namespace aaco
