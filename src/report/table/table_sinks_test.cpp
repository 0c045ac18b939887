// SPDX-License-Identifier: MIT
#include "report/table/table_sinks.h"

#include <algorithm>
#include <cmath>
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

// A number is none of the texts that a spreadsheet takes for a formula, whatever its sign.
TEST(TableSinks, CsvGuardsTextsAndNoNumbers) {
  const auto sink = make_table_sink(TableForm::kCsv);
  EXPECT_EQ(sink->add(piece_of({"=1+2"}, {-35}, {})), "name,n\n'=1+2,-35\n");
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

TEST(TableSinks, NotANumberHasNoSign) {
  Table piece{"t", {}, 1};
  piece.columns.push_back({{"x", ColumnType::kDouble, "1", "", false}, std::vector<double>{-std::nan("")}, {}});
  for (const TableForm form : {TableForm::kText, TableForm::kCsv}) {
    const auto sink = make_table_sink(form);
    const std::string text = sink->add(piece) + sink->end();
    EXPECT_NE(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("-nan"), std::string::npos) << text;
  }
}

// Only the table for people stops, and says so.
TEST(TableSinks, TextStopsAfterAHundredThousandRows) {
  const std::vector<std::string> names(50'000, "x");
  const std::vector<int64_t> numbers(50'000, 1);
  const auto text = make_table_sink(TableForm::kText), csv = make_table_sink(TableForm::kCsv);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(text->add(piece_of(names, numbers, {})), "");
    csv->add(piece_of(names, numbers, {}));
  }
  EXPECT_FALSE(text->full());  // 100,000 are all
  EXPECT_EQ(text->add(piece_of({"y"}, {2}, {})), "");
  EXPECT_TRUE(text->full());
  const std::string shown = text->end();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1 + 100'000 + 1);
  EXPECT_NE(shown.find("There are more than these 100000 rows: --csv or --json prints all.\n"), std::string::npos);
  EXPECT_EQ(csv->add(piece_of({"y"}, {2}, {})), "y,2\n");
  EXPECT_FALSE(csv->full());
}

}  // namespace
}  // namespace aaco::report
