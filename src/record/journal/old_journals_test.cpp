// SPDX-License-Identifier: MIT
// Journals as revision fff2142 wrote them, spelled here by bytes.
#include "record/journal/old_journals.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/test_folder.h"
#include "record/gpu_sample.h"
#include "record/journal/row_journal.h"
#include "record/rows.h"

namespace aaco {
namespace {

template <size_t kWords>
void write(const std::filesystem::path& path, const char* rows, const std::array<uint64_t, kWords>& record) {
  auto writer = JournalWriter::create(path, sizeof(record), {{"rows", rows}});
  ASSERT_TRUE(writer && writer->append(record) && writer->close());
}

TEST(OldJournals, samples_of_the_host_open) {
  const TestFolder folder;
  const auto path = folder.path() / "system.jrn";
  const uint64_t no_integer = uint64_t{1} << 63;
  const auto no_real = std::bit_cast<uint64_t>(std::nan(""));
  std::array<uint64_t, 20> record{5, 50'000'000, no_integer, no_real, no_real, 4096};
  for (size_t i = 6; i < record.size(); ++i) {
    record[i] = i == 7 || i >= 16 ? std::bit_cast<uint64_t>(static_cast<double>(i)) : i;
  }
  write(path, "system", record);
  const auto rows = read_row_journal<SystemRow>(path);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1U);
  const SystemRow& row = rows->front();
  EXPECT_EQ(row.t_ns, 5);
  EXPECT_EQ(row.interval_ns, 50'000'000);
  EXPECT_FALSE(row.pid);
  EXPECT_FALSE(row.cpu_pct);
  EXPECT_FALSE(row.process_cpu_pct);
  EXPECT_EQ(row.process_rss_bytes, 4096);
  EXPECT_EQ(row.memory_available_bytes, 6);
  EXPECT_EQ(row.cpu_frequency_mhz, 7);
  EXPECT_EQ(row.context_switches, 8);
  EXPECT_EQ(row.process_voluntary_switches, 9);
  EXPECT_EQ(row.process_involuntary_switches, 10);
  EXPECT_EQ(row.process_minor_faults, 11);
  EXPECT_EQ(row.process_major_faults, 12);
  EXPECT_EQ(row.process_run_delay_ns, 13);
  EXPECT_EQ(row.process_threads, 14);
  EXPECT_EQ(row.runnable_tasks, 15);
  EXPECT_EQ(row.load_1m, 16);
  EXPECT_EQ(row.psi_cpu_some_pct, 17);
  EXPECT_EQ(row.psi_memory_some_pct, 18);
  EXPECT_EQ(row.psi_io_some_pct, 19);
  EXPECT_EQ(read_row_journal<GpuSampleRow>(path).error().kind, ErrorKind::kUsage);
}

TEST(OldJournals, samples_of_gpus_open) {
  const TestFolder folder;
  const auto path = folder.path() / "gpu.jrn";
  const auto real = [](double value) { return std::bit_cast<uint64_t>(value); };
  std::array<uint64_t, 11> record{7, real(1980), real(std::nan("")), real(0), real(61), real(100), 0x44};
  std::memcpy(&record[7], "0000:1b:00.0", 12);
  std::memcpy(&record[10], "nvidia", 6);
  write(path, "gpu", record);
  auto rows = read_row_journal<GpuSampleRow>(path);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().t_ns, 7);
  EXPECT_EQ(rows->front().device, "0000:1b:00.0");
  EXPECT_EQ(rows->front().vendor, "nvidia");
  EXPECT_EQ(rows->front().core_clock_mhz, 1980);
  EXPECT_FALSE(rows->front().memory_clock_mhz);
  EXPECT_EQ(rows->front().power_w, 0);
  EXPECT_EQ(rows->front().temperature_c, 61);
  EXPECT_EQ(rows->front().busy_pct, 100);
  EXPECT_EQ(rows->front().clock_events, "sw_power_cap;hw_thermal_slowdown");
  EXPECT_EQ(rows->front().throttled, 1);
  record[6] = ~uint64_t{0};
  write(path, "gpu", record);
  rows = read_row_journal<GpuSampleRow>(path);
  EXPECT_FALSE(rows->front().clock_event_bits);
  EXPECT_FALSE(rows->front().throttled);
}

}  // namespace
}  // namespace aaco
