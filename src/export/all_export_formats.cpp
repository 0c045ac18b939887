// SPDX-License-Identifier: MIT
#include "export/export_format.h"

namespace aaco {

namespace {

constexpr ExportFormat kFormats[] = {
    {"perfetto", "Perfetto's protobuf (.pftrace), for ui.perfetto.dev and trace_processor", write_perfetto},
    {"chrome", "Chrome's JSON as PyTorch writes it, for viewers and analysers of Kineto traces", write_chrome},
    {"xlsx", "a workbook of what the report says, a sheet for each table", write_xlsx},
    {"parquet", "a folder of Parquet tables, for DuckDB, pandas, Polars", write_parquet_folder},
};

}  // namespace

std::span<const ExportFormat> all_export_formats() { return kFormats; }

}  // namespace aaco
