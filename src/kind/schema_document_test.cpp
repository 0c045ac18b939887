// SPDX-License-Identifier: MIT
// docs/data_schema.md says what the code does: its tables of columns are printed from the row types and tables of the
// program, and every field of session.json and of metrics/training.json is described there.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/host/host_iteration.h"
#include "analysis/timeline/tables/analysis_tables.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "kind/model_run/load/run_load.h"
#include "kind/queue_run/analysis/queue_points.h"
#include "kind/training/document/training_run_document.h"
#include "record/collected_rows.h"
#include "record/events/trace_rows.h"
#include "record/request_row.h"
#include "record/rows.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"
#include "session/session.h"
#include "session/timeline_view.h"

namespace aaco {
namespace {

const std::filesystem::path kDocument = std::filesystem::path(AACO_SOURCE_DIR) / "docs" / "data_schema.md";
constexpr const char* kBegin = "<!-- columns: begin -->\n";
constexpr const char* kEnd = "<!-- columns: end -->\n";

const char* type_name(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "int64";
    case ColumnType::kDouble:
      return "double";
    case ColumnType::kString:
      break;
  }
  return "string";
}

std::string section(const std::string& file, const std::string& table, const char* meaning,
                    const std::vector<ColumnInfo>& columns) {
  std::string text = fmt::format(
      "\n### {}\n\nTable `{}`: {}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", file, table, meaning);
  for (const ColumnInfo& column : columns) {
    text += fmt::format("| `{}` | {}{} | {} | {} |\n", column.name, type_name(column.type),
                        column.nullable ? ", nullable" : "", column.unit, column.meaning);
  }
  return text;
}

template <class Row>
std::string section(const char* file) {
  return section(file, RowSchema<Row>::kName, RowSchema<Row>::kMeaning, column_infos<Row>());
}

std::string analysis_sections() {
  std::string text;
  for (const AnalysisTable& table : all_analysis_tables()) {
    std::vector<ColumnInfo> columns;
    for (const TableColumn& column : table.make(EventTable(), TraceSummary()).columns) {
      columns.push_back(column.info);
    }
    text += section(layout::analysis_table(table.name), table.name, table.meaning, columns);
  }
  return text;
}

std::string collected_sections() {
  std::string text;
  CollectedRows().for_each([&]<class Row>(const std::vector<Row>&) {
    text += section<Row>(collected_table_path(RowSchema<Row>::kName).c_str());
  });
  return text;
}

std::string all_sections() {
  return section<IterationRow>(layout::kIterations) + section<KernelRow>(layout::kKernels) + collected_sections() +
         section<GraphNodeRow>(layout::kGraphNodes) + section<GraphEdgeRow>(layout::kGraphEdges) +
         section<OpKernelRow>(layout::kOpKernelMap) + section<KernelGroupRow>(layout::kKernelGroups) +
         section<HostIterationRow>(layout::kHostIterations) + section<TraceRecordingRow>(layout::kTraceRecordings) +
         section<TraceTrackRow>(layout::kTraceTracks) + section<TraceEventRow>(layout::kTraceEvents) +
         section<TraceArgumentRow>(layout::kTraceArguments) + section<TraceMetadataRow>(layout::kTraceMetadata) +
         section<TraceLossRow>(layout::kTraceLosses) + section<RequestRow>(kRequestTable) +
         section<QueuePointRow>(layout::kQueuePoints) + analysis_sections() +
         section("of all planes, for SQL alone", kTimelineView,
                 "what every plane recorded on session time, one row per iteration, node, kernel, event and value of a "
                 "sample",
                 timeline_columns()) +
         "\n";
}

TEST(Schema, document) {
  const Result<std::string> document = read_file(kDocument);
  ASSERT_TRUE(document) << document.error().message;
  const size_t start = document->find(kBegin);
  const size_t end = document->find(kEnd);
  ASSERT_TRUE(start != std::string::npos && end != std::string::npos && start < end) << "the markers are gone";
  const size_t from = start + std::string_view(kBegin).size();
  if (document->substr(from, end - from) == all_sections()) {
    return;
  }
  if (const char* promote = std::getenv("AACO_PROMOTE"); promote != nullptr && *promote == '1') {
    ASSERT_TRUE(write_file_atomically(kDocument, document->substr(0, from) + all_sections() + document->substr(end)));
    return;
  }
  FAIL() << kDocument
         << " does not show the columns of record/rows.h, record/events/trace_rows.h and analysis/timeline/tables: run "
            "this "
            "test with AACO_PROMOTE=1 and "
            "look at the "
         << "change; columns that change their meaning need a new schema version";
}

void expect_documented(const std::string& document, const Json& object, const std::string& where) {
  for (const auto& [name, value] : object.items()) {
    EXPECT_NE(document.find("`" + name + "`"), std::string::npos) << where << name << " is not in " << kDocument;
  }
}

TEST(Schema, every_field_of_session_json_is_described) {
  const Result<std::string> document = read_file(kDocument);
  ASSERT_TRUE(document);
  expect_documented(*document, Json(SessionInfo{}), "");
  expect_documented(*document, Json(RunFacts{}), "facts.");
  expect_documented(*document, Json(ProcessFacts{}), "facts.process_facts.");
  expect_documented(*document, Json(ProfilerCost{}), "facts.profiler_cost.");
  expect_documented(*document, Json(Roofs{}), "facts.roofs.");
  expect_documented(*document, Json(PlaneState{}), "planes.");
}

TEST(Schema, every_field_of_training_json_is_described) {
  const Result<std::string> document = read_file(kDocument);
  ASSERT_TRUE(document);
  const size_t start = document->find("### metrics/training.json");
  ASSERT_NE(start, std::string::npos);
  const std::string section = document->substr(start, document->find("\n## ", start) - start);
  TrainingRunDocument run;
  run.device = DeviceFacts();
  run.roof = ProductRoof();
  run.activity = TrainingActivity();
  expect_documented(section, Json(run), "");
  expect_documented(section, Json(run.request), "request.");
  expect_documented(section, Json(run.work), "work.");
  expect_documented(section, Json(TrainingPart()), "work.parts.");
  expect_documented(section, Json(*run.device), "device.");
  expect_documented(section, Json(TrainingGate()), "gates.");
  expect_documented(section, Json(*run.roof), "roof.");
  expect_documented(section, Json(*run.activity), "activity.");
  expect_documented(section, Json(TrainingProcess()), "processes.");
  expect_documented(section, Json(TrainingPartTime()), "processes.parts.");
  expect_documented(section, Json(run.figures), "figures.");
  expect_documented(section, Json(PartFigure()), "figures.parts.");
}

}  // namespace
}  // namespace aaco
