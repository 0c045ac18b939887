// SPDX-License-Identifier: MIT
// What a session of a run under load keeps of it, and how it is read again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metric/metric_rows.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "record/load.h"
#include "record/request_row.h"
#include "session/session.h"

namespace aaco {

inline constexpr const char* kRequestTable = "metrics/requests.parquet";
inline constexpr const char* kLoadDocument = "metrics/load.json";

struct RunLoad {
  LoadFacts load;
  std::vector<RequestRow> requests;
  bool has_tokens = false;
};

// Of a process, in the folder of the run's journals.
std::filesystem::path request_journal_path(const std::filesystem::path& folder, int64_t process);

// Stores the requests of the journals in `folder` as rows, and what was asked for as a document. Torn tails go to
// `warnings`. Errors: a journal that cannot be read, a file that cannot be written.
Result<void> keep_load(SessionWriter& session, const std::filesystem::path& folder, const LoadFacts& load,
                       std::vector<std::string>& warnings);

// None where the run had no load. Errors: kUsage for a damaged document or table.
Result<std::optional<RunLoad>> read_load(const OpenSession& session);
// How requests came, without them.
Result<std::optional<LoadFacts>> read_load_facts(const OpenSession& session);

std::vector<MetricRow> load_rows(const RunLoad& load);
// Why latency is no figure where the queue grows; empty where it does not.
std::string saturation_of(const RunLoad& load);
// What was asked for, and the figures.
Json load_json(const RunLoad& load);

}  // namespace aaco
