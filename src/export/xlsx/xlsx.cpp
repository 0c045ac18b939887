// SPDX-License-Identifier: MIT
// A workbook (Office Open XML, ECMA-376): a sheet for each table of the analyses that has rows, behind one that names
// all tables and one that says what their columns mean.
#include <exception>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/tables/analysis_tables.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "export/export_format.h"
#include "export/xlsx/sheet.h"

namespace aaco {

namespace {

constexpr const char* kXmlStart = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";  // of each part
constexpr const char* kOffice = "http://schemas.openxmlformats.org/officeDocument/2006";
constexpr const char* kPackage = "http://schemas.openxmlformats.org/package/2006";
constexpr const char* kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

struct ContentRow {
  std::string table;
  std::string meaning;
  int64_t rows = 0;
};

struct ColumnRow {
  std::string table;
  std::string column;
  std::string unit;
  std::string meaning;
};

}  // namespace

template <>
struct RowSchema<ContentRow> {
  static constexpr const char* kName = "contents";
  static auto columns() {
    using Row = ContentRow;
    return std::tuple(row_column("table", &Row::table, "", "name of the sheet"),
                      row_column("meaning", &Row::meaning, "", "what a row is"),
                      row_column("rows", &Row::rows, "1", "of the table"));
  }
};

template <>
struct RowSchema<ColumnRow> {
  static constexpr const char* kName = "columns";
  static auto columns() {
    using Row = ColumnRow;
    return std::tuple(row_column("table", &Row::table, "", "name of the sheet"),
                      row_column("column", &Row::column, "", "its title, without the unit"),
                      row_column("unit", &Row::unit, "", "of its numbers; 1: a count or a ratio"),
                      row_column("meaning", &Row::meaning, "", "what it holds"));
  }
};

namespace {

class Workbook {
 public:
  Workbook(const EventTable& events, OutputFile& file) : events_(events), archive_(file) {}

  Result<void> write() {
    const TraceSummary summary = summarise_trace(events_);
    for (const AnalysisTable& table : all_analysis_tables()) {
      AACO_TRY(add(table, summary));
      end_if_interrupted();
    }
    AACO_TRY(add_rows(contents_));
    AACO_TRY(add_rows(columns_));
    add_parts();
    return archive_.finish();
  }

  ExportCounts counts() const {
    ExportCounts counts;
    counts.events = events_.size();
    counts.remark("rows of tables", losses_.rows, true, "a sheet holds 1,048,576");
    counts.remark("texts", losses_.cut, false, "a cell holds 32,767 characters: the rest is left out");
    counts.remark("characters", losses_.controls, false, "XML cannot hold them: U+FFFD stands there");
    return counts;
  }

 private:
  Result<void> add(const AnalysisTable& table, const TraceSummary& summary) {
    TablePieces pieces(table, events_, summary);
    const Table* piece = pieces.next();
    if (piece->row_count == 0) {
      contents_.push_back({table.name, table.meaning, 0});
      return {};
    }
    const std::vector<ColumnInfo> columns = pieces.columns();
    const uint64_t left_before = losses_.rows;
    Sheet sheet = next_sheet(table.name, columns);
    for (; piece != nullptr; piece = pieces.next()) {
      sheet.add(*piece);
      end_if_interrupted();
    }
    contents_.push_back({table.name, table.meaning, static_cast<int64_t>(sheet.rows() + losses_.rows - left_before)});
    for (const ColumnInfo& column : columns) {
      columns_.push_back({table.name, column.name, column.unit, column.meaning});
    }
    return sheet.end();
  }

  template <class Row>
  Result<void> add_rows(const std::vector<Row>& rows) {
    Sheet sheet = next_sheet(RowSchema<Row>::kName, column_infos<Row>());
    sheet.add(to_table(rows));
    return sheet.end();
  }

  Sheet next_sheet(std::string name, const std::vector<ColumnInfo>& columns) {
    sheets_.push_back(std::move(name));
    return {archive_, fmt::format("xl/worksheets/sheet{}.xml", sheets_.size()), columns, losses_};
  }

  // The two sheets that were made last come first.
  std::string sheet_list() const {
    std::string list;
    const size_t count = sheets_.size();
    for (size_t i = 0; i < count; ++i) {
      const size_t number = (i + count - 2) % count + 1;
      list += fmt::format(R"(<sheet name="{}" sheetId="{}" r:id="rId{}"/>)", sheets_[number - 1], number, number);
    }
    return list;
  }

  void add_parts() {
    std::string types;
    std::string links;
    for (size_t i = 1; i <= sheets_.size(); ++i) {
      types += fmt::format(R"(<Override PartName="/xl/worksheets/sheet{}.xml" ContentType=)"
                           R"("application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>)",
                           i);
      links += fmt::format(R"(<Relationship Id="rId{}" Type="{}/relationships/worksheet" )"
                           R"(Target="worksheets/sheet{}.xml"/>)",
                           i, kOffice, i);
    }
    archive_.add("xl/workbook.xml",
                 fmt::format(R"({}<workbook xmlns="{}" xmlns:r="{}/relationships"><sheets>{}</sheets></workbook>)",
                             kXmlStart, kMain, kOffice, sheet_list()));
    archive_.add("xl/_rels/workbook.xml.rels",
                 fmt::format(R"({}<Relationships xmlns="{}/relationships">{}<Relationship Id="rId{}" )"
                             R"(Type="{}/relationships/styles" Target="styles.xml"/></Relationships>)",
                             kXmlStart, kPackage, links, sheets_.size() + 1, kOffice));
    archive_.add(
        "xl/styles.xml",  // a plain format, and a bold one for titles
        fmt::format(R"({}<styleSheet xmlns="{}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/>)"
                    R"(</font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2">)"
                    R"(<fill><patternFill patternType="none"/></fill><fill><patternFill )"
                    R"(patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/>)"
                    R"(<bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" )"
                    R"(fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" )"
                    R"(fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" )"
                    R"(borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" )"
                    R"(xfId="0" builtinId="0"/></cellStyles></styleSheet>)",
                    kXmlStart, kMain));
    archive_.add("_rels/.rels",
                 fmt::format(R"({}<Relationships xmlns="{}/relationships"><Relationship Id="rId1" )"
                             R"(Type="{}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>)",
                             kXmlStart, kPackage, kOffice));
    archive_.add(
        "[Content_Types].xml",
        fmt::format(R"({}<Types xmlns="{}/content-types"><Default Extension="rels" ContentType=)"
                    R"("application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" )"
                    R"(ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType=)"
                    R"("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override )"
                    R"(PartName="/xl/styles.xml" ContentType=)"
                    R"("application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>{}</Types>)",
                    kXmlStart, kPackage, types));
  }

  const EventTable& events_;
  ZipArchive archive_;
  SheetLosses losses_;
  std::vector<std::string> sheets_;
  std::vector<ContentRow> contents_;
  std::vector<ColumnRow> columns_;
};

}  // namespace

Result<ExportCounts> write_xlsx(const EventTable& events, const std::filesystem::path& path) {
  AACO_TRY(expect_analysis_memory(events));
  AACO_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::create(path));
  Workbook workbook(events, *file);
  try {
    AACO_TRY(workbook.write());
  } catch (const std::exception& exception) {  // memory, or an interrupt: nothing is left of the file
    return error_of(exception);
  }
  AACO_ASSIGN(const uint64_t bytes, file->finish());
  ExportCounts counts = workbook.counts();
  counts.bytes = bytes;
  return counts;
}

}  // namespace aaco
