// SPDX-License-Identifier: MIT
#include "ingest/table/csv_reader.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace aaco {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct ReadOutcome {
  Rows rows;
  std::vector<uint64_t> lines;
  LossTable losses;
  bool last_ended = false;
};

ReadOutcome read(std::string_view text, size_t window_bytes = size_t{1} << 20) {
  ReadOutcome got;
  const auto source = bytes_of(text);
  CsvReader reader(*source, "t.csv", got.losses, window_bytes);
  std::vector<Cell> cells;
  for (;;) {
    const auto more = reader.next(cells);
    if (!more) {
      ADD_FAILURE() << more.error().message;
      return got;
    }
    if (!*more) {
      return got;
    }
    std::vector<std::string>& row = got.rows.emplace_back();
    for (const Cell& cell : cells) {
      row.emplace_back(cell.text);
    }
    got.lines.push_back(reader.line());
    got.last_ended = reader.row_ended();
  }
}

TEST(CsvReader, CellsMayHoldCommasLineEndsAndQuotes) {
  const ReadOutcome got = read("a,\"b, c\",\"two\nlines\",\"say \"\"hi\"\"\"\r\n1,,3,\"\"\n");
  EXPECT_EQ(got.rows, (Rows{{"a", "b, c", "two\nlines", "say \"hi\""}, {"1", "", "3", ""}}));
  EXPECT_EQ(got.lines, (std::vector<uint64_t>{1, 3}));
  EXPECT_TRUE(got.losses.entries().empty());
}

// Every place at which a window may end.
TEST(CsvReader, AnyWindowGivesTheSameRows) {
  const std::string text = "a,\"b\"\"c\"\r\n\"x\ny\",2\r\n\r\nlast,\"q\"\n";
  const Rows whole = read(text).rows;
  ASSERT_EQ(whole.size(), 3);
  for (size_t window = 1; window <= text.size(); ++window) {
    EXPECT_EQ(read(text, window).rows, whole) << window;
  }
}

TEST(CsvReader, ByteOrderMarkAndBlankLinesAreNoCells) {
  const ReadOutcome got = read("\xEF\xBB\xBFid,name\n\n\r\n1,k\n\n");
  EXPECT_EQ(got.rows, (Rows{{"id", "name"}, {"1", "k"}}));
  EXPECT_EQ(got.lines, (std::vector<uint64_t>{1, 4}));
}

TEST(CsvReader, ALastLineWithoutEndMayBeCut) {
  const ReadOutcome got = read("a,b\n1,2");
  EXPECT_EQ(got.rows, (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(got.losses.count(Loss::kUnendedLine), 1);
  EXPECT_FALSE(got.last_ended);
  EXPECT_TRUE(read("a,b\n1,2\n").last_ended);
}

TEST(CsvReader, AnOpenQuoteAtTheEndIsATruncatedTail) {
  const ReadOutcome got = read("a,b\n1,\"name of a ker");
  EXPECT_EQ(got.rows, (Rows{{"a", "b"}}));
  EXPECT_EQ(got.losses.count(Loss::kTruncated), 1);
}

TEST(CsvReader, TextBehindAClosingQuoteIsMalformedAndTheNextRowIsNot) {
  const ReadOutcome got = read("a,b\n\"x\"y,2\n\"z\"w\n3,4\n");
  EXPECT_EQ(got.rows, (Rows{{"a", "b"}, {"3", "4"}}));
  EXPECT_EQ(got.losses.count(Loss::kMalformedEvent), 2);
  EXPECT_EQ(got.losses.entries()[0].example, "t.csv: line 2");
}

TEST(CsvReader, TooManyCellsAreMalformed) {
  const ReadOutcome got = read(std::string(70'000, ',') + "\n1,2\n");
  EXPECT_EQ(got.rows, (Rows{{"1", "2"}}));
  EXPECT_EQ(got.losses.count(Loss::kMalformedEvent), 1);
}

TEST(CsvReader, ARowWithoutEndIsRefusedBeforeItFillsTheMemory) {
  const std::string text = "a\n\"" + std::string(CsvReader::kLongestRow + 1, 'x');
  const auto source = bytes_of(text);
  LossTable losses;
  CsvReader reader(*source, "t.csv", losses);
  std::vector<Cell> cells;
  ASSERT_TRUE(*reader.next(cells));
  const auto more = reader.next(cells);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(more.error().message.starts_with("t.csv: line 2")) << more.error().message;
}

TEST(CsvReader, NothingIsNoRow) {
  EXPECT_TRUE(read("").rows.empty());
  EXPECT_TRUE(read("\n\n").rows.empty());
}

TEST(Cell, IsANumberOnlyWhereThatStandsThere) {
  EXPECT_EQ(cell_of("12", false).integer, 12);
  EXPECT_EQ(cell_of("-7", false).integer, -7);
  EXPECT_EQ(cell_of("8.50", false).type, Cell::Type::kReal);
  EXPECT_EQ(cell_of("1e3", false).real, 1000);
  EXPECT_EQ(cell_of("", false).type, Cell::Type::kNull);
  EXPECT_EQ(cell_of("", true).type, Cell::Type::kText);
  for (const char* text : {"007", "-0", "+5", "-", "0x1f", " 1", "1 ", "nan", "inf", "1e999", "18446744073709551615"}) {
    EXPECT_EQ(cell_of(text, false).type, Cell::Type::kText) << text;
  }
  EXPECT_EQ(cell_of("12", true).type, Cell::Type::kText);
}

}  // namespace
}  // namespace aaco
