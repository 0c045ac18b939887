// SPDX-License-Identifier: MIT
#include "report/table/csv_cell.h"

#include <gtest/gtest.h>

namespace aaco::report {
namespace {

TEST(CsvCell, IsQuotedWhereRfc4180Asks) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell(""), "\"\"");
  EXPECT_EQ(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
}

TEST(CsvCell, IsNoFormula) {
  for (const char* text : {"=1+2", "+cmd|' /C calc'!A0", "-1+2", "@SUM(1)", "--help", "-x", "=", "-(1)", "- 5 a(1)"}) {
    const bool single = std::string_view(text).size() == 1;
    EXPECT_EQ(csv_cell(text), (single ? "" : "'") + std::string(text)) << text;
  }
  EXPECT_EQ(csv_cell("\t=1"), "'\t=1");
  EXPECT_EQ(csv_cell("\tx"), "'\tx");
  EXPECT_EQ(csv_cell("\r=1"), "'\uFFFD0d=1");
  EXPECT_EQ(csv_cell("  =1"), "'  =1");
  EXPECT_EQ(csv_cell("\"=1"), "\"'\"\"=1\"");
  EXPECT_EQ(csv_cell("'=1"), "''=1");
  EXPECT_EQ(csv_cell("\uFF1D1"), "'\uFF1D1");
}

TEST(CsvCell, LeavesNumbersAndWordsAlone) {
  for (const char* text : {"-3.5", "+5", "-0", "-1e-9", "-43 %", "+1.2 ms", "-12.3 GB/s", "-inf", "-", "+", "-1e999",
                           "a=b", "3+4", "gemm@stream", "void f(int)", "'quoted'"}) {
    EXPECT_EQ(csv_cell(text), text);
  }
}

TEST(CsvCell, SteersNoTerminalAndIsUtf8) {
  EXPECT_EQ(csv_cell("a\x1b[31m"), "a\uFFFD1b[31m");
  EXPECT_EQ(csv_cell("2026\xff"), "2026\uFFFDff");
}

}  // namespace
}  // namespace aaco::report
