// SPDX-License-Identifier: MIT
#include "base/process/ordered_parts.h"

#include <gtest/gtest.h>
#include <new>
#include <vector>

namespace aaco {
namespace {

TEST(OrderedParts, AreTakenInOrderByWhoeverDidThem) {
  for (const size_t workers : {1, 2, 5}) {
    std::vector<size_t> last(workers, SIZE_MAX);
    std::vector<size_t> delivered;
    do_in_order(
        1000, workers, [&](size_t worker, size_t part) { last[worker] = part; },
        [&](size_t worker, size_t part) {
          EXPECT_EQ(last[worker], part);
          delivered.push_back(part);
          return true;
        });
    ASSERT_EQ(delivered.size(), 1000);
    for (size_t i = 0; i < delivered.size(); ++i) {
      EXPECT_EQ(delivered[i], i);
    }
  }
}

TEST(OrderedParts, NothingIsTakenBehindTheOneThatEndsIt) {
  for (const size_t workers : {1, 4}) {
    size_t delivered = 0;
    do_in_order(
        100, workers, [](size_t /*worker*/, size_t /*part*/) {},
        [&](size_t /*worker*/, size_t part) {
          ++delivered;
          return part < 10;
        });
    EXPECT_EQ(delivered, 11);
  }
}

TEST(OrderedParts, WhatAWorkerThrowsIsThrown) {
  for (const size_t workers : {1, 3}) {
    size_t delivered = 0;
    const auto work = [](size_t /*worker*/, size_t part) {
      if (part == 7) {
        throw std::bad_alloc();
      }
    };
    EXPECT_THROW(do_in_order(100, workers, work,
                             [&](size_t /*worker*/, size_t /*part*/) {
                               ++delivered;
                               return true;
                             }),
                 std::bad_alloc);
    EXPECT_LE(delivered, 7);
  }
}

TEST(OrderedParts, NoPartsAreNoWork) {
  do_in_order(0, workers_for(0), [](size_t, size_t) { FAIL(); }, [](size_t, size_t) { return false; });
  EXPECT_EQ(workers_for(0), 1);
  EXPECT_EQ(workers_for(1), 1);
  EXPECT_GE(workers_for(1000), 1);
}

}  // namespace
}  // namespace aaco
