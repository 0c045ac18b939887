// SPDX-License-Identifier: MIT
#include "session/gpu_journal.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "session/journal_rows.h"

namespace aaco {
namespace {

TEST(GpuJournal, RowsComeBackWithTheirNulls) {
  const auto path = std::filesystem::temp_directory_path() / ("aaco_gpu_" + std::to_string(::getpid()) + ".jrn");
  GpuSampleRow full;
  full.t_ns = 5;
  full.device = "0000:1b:00.0";
  full.vendor = gpu_vendor::kNvidia;
  full.core_clock_mhz = 1'980;
  full.power_w = 0;
  full.temperature_c = 61;
  set_clock_events(full, 0);
  GpuSampleRow nothing;
  nothing.device = "0000:43:00.0";
  nothing.vendor = gpu_vendor::kAmd;
  auto writer = create_gpu_journal(path);
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->append(to_journal_row(full)));
  EXPECT_TRUE(writer->append(to_journal_row(nothing)));
  ASSERT_TRUE(writer->close());
  const auto rows = read_gpu_journal(path);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].device, "0000:1b:00.0");
  EXPECT_EQ((*rows)[0].vendor, "nvidia");
  EXPECT_EQ((*rows)[0].core_clock_mhz, 1'980);
  EXPECT_EQ((*rows)[0].power_w, 0);  // measured, and not null
  EXPECT_EQ((*rows)[0].clock_events, "");
  EXPECT_EQ((*rows)[0].throttled, 0);
  EXPECT_FALSE((*rows)[0].busy_pct);
  EXPECT_EQ((*rows)[1].vendor, "amd");
  EXPECT_FALSE((*rows)[1].power_w);
  EXPECT_FALSE((*rows)[1].clock_event_bits);
  EXPECT_FALSE((*rows)[1].throttled);
  EXPECT_EQ(read_system_journal(path).error().kind, ErrorKind::kUsage);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace aaco
