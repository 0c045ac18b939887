// SPDX-License-Identifier: MIT
#include "serve/timeline/slice_lane.h"

#include <gtest/gtest.h>
#include <random>

#include "serve/timeline/free_lanes.h"

namespace aaco::serve {
namespace {

std::vector<LaneSlice> random_slices(size_t count) {
  std::mt19937_64 random(7);
  std::vector<LaneSlice> slices;
  int64_t at_ns = -5'000'000'000'000;
  for (size_t i = 0; i < count; ++i) {
    at_ns += static_cast<int64_t>(random() % 3'000);
    const auto duration_ns = static_cast<int64_t>(i % 997 == 3 ? random() % 10'000'000'000 : random() % 2'000);
    slices.push_back({at_ns, duration_ns, static_cast<uint32_t>(random()), static_cast<uint32_t>(random() % 300)});
    at_ns += duration_ns;
  }
  return slices;
}

// Aligned, as a mapped file is.
struct PackedLane {
  explicit PackedLane(const std::vector<LaneSlice>& slices) {
    LaneWriter writer;
    for (const LaneSlice& slice : slices) {
      writer.add(slice);
    }
    bytes = *writer.finish();
    lane = *SliceLane::open(bytes, slices.size());
  }
  std::string bytes;
  SliceLane lane;
};

SliceLane::Extreme longest_of(const SliceLane& lane, size_t first, size_t end) {
  return lane.longest(first, end, [&](size_t block) { return lane.block(block); });
}

TEST(SliceLane, GivesBackEverySlice) {
  for (const size_t count : {0, 1, 63, 64, 65, 4096, 4097, 20'000}) {
    const std::vector<LaneSlice> slices = random_slices(count);
    const PackedLane packed(slices);
    ASSERT_EQ(packed.lane.size(), count);
    for (size_t i = 0; i < count; ++i) {
      const LaneSlice slice = packed.lane[i];
      ASSERT_EQ(slice.start_ns, slices[i].start_ns) << i;
      ASSERT_EQ(slice.duration_ns, slices[i].duration_ns) << i;
      ASSERT_EQ(slice.row, slices[i].row) << i;
      ASSERT_EQ(slice.label, slices[i].label) << i;
    }
  }
}

TEST(SliceLane, KnowsTheLongestOfAnyRange) {
  const std::vector<LaneSlice> slices = random_slices(300'000);
  const PackedLane packed(slices);
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t first = random() % slices.size();
    const size_t end = first + 1 + random() % (trial % 3 == 0 ? 100 : slices.size() - first);
    const size_t stop = std::min(end, slices.size());
    int64_t longest_ns = -1;
    for (size_t i = first; i < stop; ++i) {
      longest_ns = std::max(longest_ns, slices[i].duration_ns);
    }
    const SliceLane::Extreme extreme = longest_of(packed.lane, first, stop);
    ASSERT_EQ(extreme.longest_ns, longest_ns) << first << " " << stop;
    ASSERT_EQ(slices[extreme.at].duration_ns, longest_ns);
    ASSERT_TRUE(extreme.at >= first && extreme.at < stop);
  }
}

TEST(SliceLane, FindsTimes) {
  const std::vector<LaneSlice> slices = random_slices(10'000);
  const PackedLane packed(slices);
  for (size_t i = 0; i < slices.size(); i += 7) {
    const int64_t start_ns = slices[i].start_ns;
    const size_t from = packed.lane.first_starting_from(start_ns);
    ASSERT_LE(from, i);
    ASSERT_EQ(slices[from].start_ns, start_ns);
    ASSERT_TRUE(from == 0 || slices[from - 1].start_ns < start_ns);
    const size_t ending = packed.lane.first_ending_after(start_ns);
    ASSERT_TRUE(slices[ending].start_ns + slices[ending].duration_ns > start_ns || slices[ending].start_ns >= start_ns);
    ASSERT_TRUE(ending == 0 || slices[ending - 1].start_ns + slices[ending - 1].duration_ns <= start_ns);
  }
  EXPECT_EQ(packed.lane.first_starting_from(INT64_MAX), slices.size());
  EXPECT_EQ(packed.lane.first_starting_from(INT64_MIN), 0U);
}

TEST(SliceLane, TakesLittleMemory) {
  const PackedLane packed(random_slices(100'000));
  // start 4 bytes (rarely 8), duration 2 to 8, row 4, label 2; and the tree.
  EXPECT_LT(packed.bytes.size(), size_t{17} * 100'000);
}

TEST(SliceLane, ReadsDamagedBytesWithoutHarm) {
  const std::vector<LaneSlice> slices = random_slices(1'000);
  std::string bytes = PackedLane(slices).bytes;
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2'000; ++trial) {
    std::string damaged = bytes;
    for (int i = 0; i < 8; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    damaged.resize(trial % 2 == 0 ? damaged.size() : random() % damaged.size());
    if (const Result<SliceLane> lane = SliceLane::open(damaged, slices.size())) {
      for (size_t i = 0; i < lane->size(); ++i) {
        (void)(*lane)[i];
      }
      (void)longest_of(*lane, 0, lane->size());
      (void)lane->first_ending_after(0);
    }
  }
}

TEST(FreeLanes, OfNestedCallsTheLaneIsTheDepth) {
  FreeLanes lanes;
  EXPECT_EQ(lanes.take(0, 100), 0U);
  EXPECT_EQ(lanes.take(10, 50), 1U);
  EXPECT_EQ(lanes.take(20, 30), 2U);
  EXPECT_EQ(lanes.take(30, 40), 2U);
  EXPECT_EQ(lanes.take(60, 90), 1U);
  EXPECT_EQ(lanes.take(100, 110), 0U);
  EXPECT_EQ(lanes.size(), 3U);
}

TEST(FreeLanes, NoTwoOfALaneOverlap) {
  std::mt19937_64 random(5);
  FreeLanes lanes;
  std::vector<int64_t> end_of(1'000, INT64_MIN);
  int64_t start_ns = 0;
  for (int i = 0; i < 5'000; ++i) {
    start_ns += static_cast<int64_t>(random() % 10);
    const int64_t end_ns = start_ns + static_cast<int64_t>(random() % 900);
    const size_t lane = lanes.take(start_ns, end_ns);
    ASSERT_LE(end_of[lane], start_ns);
    for (size_t lower = 0; lower < lane; ++lower) {
      ASSERT_GT(end_of[lower], start_ns) << "a lower lane was free";
    }
    end_of[lane] = end_ns;
  }
}

}  // namespace
}  // namespace aaco::serve
