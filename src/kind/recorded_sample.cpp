// SPDX-License-Identifier: MIT
#include "kind/recorded_sample.h"

#include <fmt/format.h>
#include <map>
#include <string>
#include <system_error>

#include "base/json/json.h"
#include "kind/model_run/load/run_load.h"
#include "model/identity/default_options.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// From what the session keeps of its runtime (runtime/ort_config.json). Sessions of before the work was recorded have
// the options alone there.
Result<WorkFacts> work_of(const fs::path& bundle, const std::string& provider) {
  const fs::path path = bundle / layout::kRuntimeConfig;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return WorkFacts();
  }
  using Options = std::map<std::string, std::string>;
  AACO_ASSIGN(const Json config, read_json(path));
  WorkFacts work;
  if (config.is_object() && config.contains("work")) {
    AACO_ASSIGN(work, from_json_value<WorkFacts>(config["work"], path.string()));
  }
  if (!work.contains(work_group::kOptions) && config.is_object() && config.contains("provider_options") &&
      config.contains("session_entries")) {
    AACO_ASSIGN(const auto of_provider, from_json_value<Options>(config["provider_options"], path.string()));
    AACO_ASSIGN(const auto of_session, from_json_value<Options>(config["session_entries"], path.string()));
    for (const auto& [key, value] : options_set(provider, of_provider, of_session)) {
      work[work_group::kOptions][key] = {value, ""};
    }
    work.try_emplace(work_group::kOptions);
  }
  return work;
}

}  // namespace

Result<NamedSample> recorded_sample(const OpenSession& session, const Analysis& analysis) {
  NamedSample named;
  named.sample =
      make_run_sample(session.recording, analysis, session.environment,
                      {session.info.session_id, session.info.created_utc, session.status, session.info.status_reason});
  WorkFacts& work = named.sample.configuration.work;
  AACO_ASSIGN(work, work_of(session.path, session.recording.facts.provider));
  AACO_ASSIGN(const std::optional<LoadFacts> load, read_load_facts(session));
  if (load && work.contains(work_group::kOptions)) {  // a run alone has none: the default
    work[work_group::kOptions]["load"] = {
        fmt::format("{} {:g} requests a second", word_of(load->arrivals), load->rate_per_s), ""};
  }
  return named;
}

}  // namespace aaco
