// SPDX-License-Identifier: MIT
#include "export/analysis_files.h"

#include "analysis/timeline/tables/analysis_tables.h"
#include "base/files/file.h"
#include "session/bundle/layout.h"
#include "session/parquet/parquet.h"

namespace aaco {

Result<void> write_analysis_files(const std::filesystem::path& folder, const EventTable& events,
                                  const TraceSummary& summary) {
  AACO_TRY(make_folders(folder / layout::kAnalyses));
  for (const AnalysisTable& table : all_analysis_tables()) {
    const std::filesystem::path file = folder / layout::analysis_table(table.name);
    TablePieces pieces(table, events, summary);
    AACO_TRY(write_parquet_pieces(file, table.name, pieces.columns(), [&] { return pieces.next(); }));
  }
  return {};
}

}  // namespace aaco
