// SPDX-License-Identifier: MIT
#include "kind/model_run/tried/tried_alternative.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace aaco {

namespace {

// The reader of what alternatives_json() writes.
TriedAlternative alternative_of(const Json& entry) {
  TriedAlternative tried;
  tried.name = entry.at("name").get<std::string>();
  tried.bundle = entry.at("bundle").get<std::string>();
  tried.missing = entry.at("reason").get<std::string>();
  if (const Json& gain = entry.at("gain"); !gain.is_null()) {
    tried.time = RatioEstimate{.ratio = 1 / gain.at("value").get<double>(),
                               .interval = {1 / gain.at("high").get<double>(), 1 / gain.at("low").get<double>()}};
    tried.base_ns = entry.at("run_ns").get<double>();
    tried.ns = entry.at("alternative_ns").get<double>();
    tried.batch = entry.at("batch").get<int64_t>();
    tried.pairs = entry.at("pairs").get<int64_t>();
  }
  return tried;
}

}  // namespace

Json alternatives_json(const std::vector<TriedAlternative>& tried) {
  Json json = Json::array();
  for (const TriedAlternative& alternative : tried) {
    Json& entry = json.emplace_back();
    entry["name"] = alternative.name;
    entry["bundle"] = alternative.bundle.string();
    entry["gain"] = nullptr;
    entry["reason"] = alternative.missing;
    if (alternative.time) {
      entry["gain"] = {{"value", 1 / alternative.time->ratio},
                       {"low", 1 / alternative.time->interval.high},
                       {"high", 1 / alternative.time->interval.low}};
      entry["run_ns"] = alternative.base_ns;
      entry["alternative_ns"] = alternative.ns;
      entry["batch"] = alternative.batch;
      entry["pairs"] = alternative.pairs;
    }
  }
  return json;
}

Result<void> keep_alternatives(const std::filesystem::path& bundle, const std::vector<TriedAlternative>& tried) {
  AACO_ASSIGN(const SessionInfo before, read_session_info(bundle));
  AACO_ASSIGN(SessionWriter session, SessionWriter::reopen(bundle));
  const Result<void> written = session.write_json_file(kTriedDocument, alternatives_json(tried));
  const Result<void> closed = session.close(before.status, before.status_reason);
  return written ? closed : written;
}

Result<std::vector<TriedAlternative>> read_alternatives(const OpenSession& session) {
  const std::filesystem::path document = session.path / kTriedDocument;
  std::vector<TriedAlternative> tried;
  std::error_code ignored;
  if (!std::filesystem::exists(document, ignored)) {
    return tried;
  }
  AACO_ASSIGN(const Json json, read_json(document));
  try {
    for (const Json& entry : json) {
      tried.push_back(alternative_of(entry));
    }
  } catch (const Json::exception& error) {
    return Error{ErrorKind::kUsage, document.string() + ": " + error.what(), "the session is damaged"};
  }
  return tried;
}

std::string words_of_gain(const TriedAlternative& tried) {
  if (!tried.time) {
    return "no data: " + tried.missing;
  }
  const Interval times{1 / tried.time->interval.high, 1 / tried.time->interval.low};
  const double gain = 1 / tried.time->ratio;
  const bool is_decided = times.low > 1 || times.high < 1;
  return fmt::format("{}{:.3g} times as fast ({:.3g} to {:.3g}, {} pairs)",
                     is_decided ? "" : "within the noise: ", gain, times.low, times.high, tried.pairs);
}

}  // namespace aaco
