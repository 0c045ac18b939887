// SPDX-License-Identifier: MIT
#include "kind/model_run/load/run_load.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "analysis/model_run/load/request_load.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "record/journal/row_journal.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kJournalStart = "requests_p";
constexpr const char* kJournalEnd = ".jrn";

std::vector<fs::path> journals_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kJournalStart) && name.ends_with(kJournalEnd)) {
      paths.push_back(entry->path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

fs::path request_journal_path(const fs::path& folder, int64_t process) {
  return folder / fmt::format("{}{}{}", kJournalStart, process, kJournalEnd);
}

Result<void> keep_load(SessionWriter& session, const fs::path& folder, const LoadFacts& load,
                       std::vector<std::string>& warnings) {
  std::vector<RequestRow> requests;
  for (const fs::path& journal : journals_in(folder)) {
    bool torn = false;
    AACO_ASSIGN(std::vector<RequestRow> rows, read_row_journal<RequestRow>(journal, &torn));
    std::ranges::move(rows, std::back_inserter(requests));
    if (torn) {
      warnings.push_back(fmt::format("the journal {} ends in a torn row", journal.filename().string()));
    }
  }
  std::ranges::stable_sort(requests, {}, &RequestRow::process);
  AACO_TRY(session.write_rows<RequestRow>(kRequestTable, requests));
  return session.write_json_file(kLoadDocument, Json(load));
}

Result<std::optional<LoadFacts>> read_load_facts(const OpenSession& session) {
  const fs::path document = session.path / kLoadDocument;
  std::error_code ignored;
  if (!fs::exists(document, ignored)) {
    return std::optional<LoadFacts>();
  }
  AACO_ASSIGN(const Json json, read_json(document));
  AACO_ASSIGN(const LoadFacts load, from_json_value<LoadFacts>(json, document.string()));
  return std::optional(load);
}

Result<std::optional<RunLoad>> read_load(const OpenSession& session) {
  AACO_ASSIGN(const std::optional<LoadFacts> facts, read_load_facts(session));
  if (!facts) {
    return std::optional<RunLoad>();
  }
  RunLoad load;
  load.load = *facts;
  uint64_t left_bytes = kMaxUnpackedBytes;
  AACO_ASSIGN(load.requests, read_parquet_rows<RequestRow>(session.path / kRequestTable, left_bytes));
  load.has_tokens = session.recording.facts.prompt_tokens > 0;
  return std::optional(std::move(load));
}

std::vector<MetricRow> load_rows(const RunLoad& load) {
  return metric_rows(load_metric_infos(), load_metrics(load.load, load.requests, load.has_tokens));
}

std::string saturation_of(const RunLoad& load) {
  const std::optional<LoadRates> rates = load_rates(load.requests);
  if (!rates || rates->offered() < 1) {
    return "";
  }
  return fmt::format(
      "saturated: {:.3g} requests a second arrived ({:g} were asked for), and {:.3g} can be served, so that the queue "
      "grows as long as they come; give a rate below {:.3g} a second",
      rates->arrived_per_s, load.load.rate_per_s, rates->served_per_s, rates->served_per_s);
}

Json load_json(const RunLoad& load) {
  Json json = Json(load.load);
  json["requests"] = load.requests.size();
  json["saturated"] = !saturation_of(load).empty();
  json["metrics"] = load_rows(load);
  return json;
}

}  // namespace aaco
