// SPDX-License-Identifier: MIT
#include "report/table_sinks.h"

#include <gtest/gtest.h>

namespace aaco::report {
namespace {

Table piece_of(std::vector<std::string> names, std::vector<int64_t> numbers, std::vector<uint8_t> valid) {
  Table table{"t", {}, names.size()};
  table.columns.push_back({{"name", ColumnType::kString, "", "", false}, std::move(names), {}});
  table.columns.push_back({{"n", ColumnType::kInt64, "1", "", true}, std::move(numbers), std::move(valid)});
  return table;
}

std::string all(TableForm form) {
  const auto sink = make_table_sink(form);
  std::string text = sink->add(piece_of({"a,\"b\"", ""}, {7, 0}, {1, 0}));
  text += sink->add(piece_of({"c"}, {9}, {}));
  return text + sink->end();
}

TEST(TableSinks, CsvQuotesAndLeavesNullsOut) {
  EXPECT_EQ(all(TableForm::kCsv), "name,n\n\"a,\"\"b\"\"\",7\n\"\",\nc,9\n");
}

TEST(TableSinks, JsonIsOneArrayOverAllPieces) {
  EXPECT_EQ(all(TableForm::kJson),
            "[\n {\"name\":\"a,\\\"b\\\"\",\"n\":7},\n {\"name\":\"\",\"n\":null},\n {\"name\":\"c\",\"n\":9}\n]\n");
  EXPECT_EQ(make_table_sink(TableForm::kJson)->end(), "[]\n");
}

TEST(TableSinks, PeopleSeeADashForNull) {
  const std::string text = all(TableForm::kText);
  EXPECT_NE(text.find("-\n"), std::string::npos) << text;
  EXPECT_EQ(make_table_sink(TableForm::kText)->add(piece_of({"x"}, {1}, {})), "");
}

}  // namespace
}  // namespace aaco::report
