// SPDX-License-Identifier: MIT
#include "export/lanes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

namespace aaco {
namespace {

std::vector<Span> random_slices(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Span> slices(random() % 40);
  for (Span& slice : slices) {
    slice.start_ns = static_cast<int64_t>(random() % 30);
    slice.end_ns = slice.start_ns + static_cast<int64_t>(random() % 12);
  }
  return slices;
}

template <class Lanes>
std::vector<uint32_t> place_all(const std::vector<Span>& slices) {
  Lanes lanes;
  std::vector<uint32_t> placed;
  for (const Span& slice : slices) {
    placed.push_back(lanes.place(slice));
  }
  return placed;
}

uint32_t lanes_of(const std::vector<uint32_t>& placed) {
  return placed.empty() ? 0 : *std::max_element(placed.begin(), placed.end()) + 1;
}

// One instant belongs to what begins there, not to what ends there; a slice without length is in the way of what began
// before it.
uint32_t most_at_once(const std::vector<Span>& slices) {
  uint32_t most = 0;
  for (int64_t t = 0; t < 45; ++t) {
    uint32_t running = 0;
    uint32_t running_before = 0;
    bool point = false;
    for (const Span& slice : slices) {
      running += slice.start_ns <= t && t < slice.end_ns ? 1 : 0;
      running_before += slice.start_ns < t && t < slice.end_ns ? 1 : 0;
      point = point || (slice.start_ns == t && slice.end_ns == t);
    }
    most = std::max({most, running, running_before + (point ? 1 : 0)});
  }
  return most;
}

TEST(Lanes, WorkOfADeviceIsSideBySideInAsFewLanesAsCanBe) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<Span> slices = random_slices(seed);
    std::sort(slices.begin(), slices.end(), [](const Span& a, const Span& b) {
      return std::tie(a.start_ns, a.end_ns) < std::tie(b.start_ns, b.end_ns);
    });
    const auto placed = place_all<DisjointLanes>(slices);
    EXPECT_EQ(lanes_of(placed), most_at_once(slices)) << seed;
    for (size_t b = 0; b < slices.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        EXPECT_TRUE(placed[a] != placed[b] || slices[a].end_ns <= slices[b].start_ns) << seed;
      }
    }
  }
}

TEST(Lanes, CallsOfAThreadLieWithinEachOtherOrApart) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<Span> slices = random_slices(seed);
    std::sort(slices.begin(), slices.end(), [](const Span& a, const Span& b) {
      return std::tie(a.start_ns, b.end_ns) < std::tie(b.start_ns, a.end_ns);
    });
    const auto placed = place_all<NestedLanes>(slices);
    bool nested = true;
    for (size_t b = 0; b < slices.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        const bool fits = slices[a].end_ns <= slices[b].start_ns || slices[a].end_ns >= slices[b].end_ns;
        nested = nested && fits;
        EXPECT_TRUE(placed[a] != placed[b] || fits) << seed;
      }
    }
    EXPECT_TRUE(!nested || lanes_of(placed) <= 1) << seed;
  }
}

TEST(Lanes, ACallThatOutlivesItsCallerHasALaneOfItsOwn) {
  EXPECT_EQ(place_all<NestedLanes>({{0, 10}, {2, 8}, {5, 12}, {6, 7}, {13, 14}}),
            (std::vector<uint32_t>{0, 0, 1, 0, 0}));
  EXPECT_EQ(place_all<DisjointLanes>({{0, 10}, {2, 8}, {5, 12}, {8, 9}, {13, 14}}),
            (std::vector<uint32_t>{0, 1, 2, 1, 0}));
}

}  // namespace
}  // namespace aaco
