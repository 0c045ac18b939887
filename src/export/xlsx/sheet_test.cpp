// SPDX-License-Identifier: MIT
#include "export/xlsx/sheet.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <zlib.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

uint32_t number_at(const std::string& bytes, size_t at, size_t length) {
  uint32_t value = 0;
  for (size_t i = length; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// The first entry of an archive, by its local header, unpacked.
std::string first_entry(const std::string& archive) {
  EXPECT_EQ(number_at(archive, 0, 4), 0x04034B50U);
  const size_t name_bytes = number_at(archive, 26, 2);
  const uint32_t packed_bytes = number_at(archive, 18, 4);
  std::string text(number_at(archive, 22, 4), '\0');
  z_stream stream{};
  EXPECT_EQ(::inflateInit2(&stream, -15), Z_OK);
  std::string packed = archive.substr(30 + name_bytes, packed_bytes);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  ::inflateEnd(&stream);
  EXPECT_EQ(::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())),
            number_at(archive, 14, 4));
  return text;
}

struct WrittenSheet {
  std::string xml;
  SheetLosses losses;
};

WrittenSheet written(const Table& table) {
  const auto folder = TemporaryFolder::create();
  EXPECT_TRUE(folder);
  const auto file = OutputFile::create(folder->path() / "x.zip");
  EXPECT_TRUE(file);
  WrittenSheet result;
  ZipArchive archive(**file);
  std::vector<ColumnInfo> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back(column.info);
  }
  Sheet sheet(archive, "sheet", columns, result.losses);
  sheet.add(table);
  EXPECT_TRUE(sheet.end() && archive.finish() && (*file)->finish());
  result.xml = first_entry(*read_file(folder->path() / "x.zip"));
  return result;
}

Table table_of(TableColumn column, size_t rows) {
  Table table{"t", {}, rows};
  table.columns.push_back(std::move(column));
  return table;
}

TEST(Sheet, ColumnsAreNamedByLetters) {
  EXPECT_EQ(column_letters(0), "A");
  EXPECT_EQ(column_letters(25), "Z");
  EXPECT_EQ(column_letters(26), "AA");
  EXPECT_EQ(column_letters(701), "ZZ");
  EXPECT_EQ(column_letters(702), "AAA");
}

// A cell's number is a double: 2^53 + 1 would be another.
TEST(Sheet, NumbersThatACellCannotHoldAreTexts) {
  const int64_t exact = int64_t{1} << 53;
  const std::string xml =
      written(table_of(
                  {{"n", ColumnType::kInt64, "ns", "", true}, std::vector<int64_t>{exact, exact + 1, 7}, {1, 1, 0}}, 3))
          .xml;
  EXPECT_NE(xml.find(R"(<c r="A1" t="inlineStr" s="1"><is><t xml:space="preserve">n [ns]</t></is></c>)"), xml.npos)
      << xml;
  EXPECT_NE(xml.find(R"(<c r="A2"><v>9007199254740992</v></c>)"), xml.npos) << xml;
  EXPECT_NE(xml.find(R"(<t xml:space="preserve">9007199254740993</t>)"), xml.npos) << xml;
  EXPECT_NE(xml.find(R"(<row r="4"></row>)"), xml.npos) << "a null is an empty cell";
  EXPECT_NE(xml.find(R"(<autoFilter ref="A1:A4"/>)"), xml.npos);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string reals =
      written(table_of({{"x", ColumnType::kDouble, "1", "", false}, std::vector<double>{0.1, infinite}, {}}, 2)).xml;
  EXPECT_NE(reals.find("<v>0.1</v>"), reals.npos) << reals;
  EXPECT_NE(reals.find(">inf</t>"), reals.npos) << reals;
}

TEST(Sheet, TextsAreThoseOfTheTable) {
  const std::string longest(kMostCellText - 1, 'x');
  const WrittenSheet sheet =
      written(table_of({{"name", ColumnType::kString, "", "", false},
                        std::vector<std::string>{"a<b>&c", "=1+1", "_x0041_", "a\x01z", longest + "\xC3\xA4"},
                        {}},
                       5));
  for (const char* part : {">a&lt;b&gt;&amp;c<", ">=1+1<", ">_x005F_x0041_<", ">a\xEF\xBF\xBDz<"}) {
    EXPECT_NE(sheet.xml.find(part), sheet.xml.npos) << part;
  }
  EXPECT_NE(sheet.xml.find(longest + "</t>"), sheet.xml.npos) << "cut between characters";
  EXPECT_EQ(sheet.losses.controls, 1U);
  EXPECT_EQ(sheet.losses.cut, 1U);
}

TEST(Sheet, RowsBeyondExcelsLimitAreCounted) {
  const size_t rows = kMostSheetRows + 4;  // with the title five more than there is room for
  const WrittenSheet sheet =
      written(table_of({{"n", ColumnType::kInt64, "1", "", false}, std::vector<int64_t>(rows, 1), {}}, rows));
  EXPECT_EQ(sheet.losses.rows, 5U);
  EXPECT_NE(sheet.xml.find(R"(<row r="1048576">)"), sheet.xml.npos);
  EXPECT_EQ(sheet.xml.find(R"(<row r="1048577">)"), sheet.xml.npos);
}

}  // namespace
}  // namespace aaco
