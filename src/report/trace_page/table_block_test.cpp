// SPDX-License-Identifier: MIT
#include "report/trace_page/table_block.h"

#include <gtest/gtest.h>

#include "analysis/timeline/tables/table_maker.h"

namespace aaco::report {
namespace {

Table table_of(int64_t second) {
  TableMaker<int64_t> table("operators");
  table.integers("host_ns", "ns", "on the host", [](int64_t) { return 7; })
      .integers("device_ns", "ns", "on a device", [](int64_t value) { return value; });
  table.add(0);
  table.add(second);
  return table.finish();
}

TEST(TableBlock, LeavesOutZerosWhereTheyTellNothing) {
  EXPECT_EQ(table_block(table_of(0), {.columns = {}, .zeros = false}).columns.size(), 1U);
  EXPECT_EQ(table_block(table_of(5), {.columns = {}, .zeros = false}).columns.size(), 2U);  // one is not zero
  EXPECT_EQ(table_block(table_of(0), {}).columns.size(), 2U);
}

}  // namespace
}  // namespace aaco::report
