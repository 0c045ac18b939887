// SPDX-License-Identifier: MIT
#include "import/compared_run.h"

#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "model/identity/default_options.h"
#include "session/catalog/baseline.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/session_info.h"
#include "verdict/training_sample.h"

namespace aaco::imports {

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

Result<ComparedRun> run_of(const fs::path& path) {
  AACO_ASSIGN(OpenSession session, open_session(path));
  if (!session.info.kind.is_known()) {
    return unknown_kind(path, session.info.kind);
  }
  if (const SessionKindTraits& kind = session.info.kind.traits(); kind.is_of_queue) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of {}, not of a model's run", path.string(), kind.command),
                 fmt::format("{} compare compares two of them", kind.command)};
  }
  AACO_ASSIGN(const std::string sha256, sha256_of_file(session.path / layout::kSession));
  Analysis analysis = analyse(session.recording);
  ComparedRun run;
  run.sample =
      make_run_sample(session.recording, analysis, session.environment,
                      {session.info.session_id, session.info.created_utc, session.status, session.info.status_reason});
  AACO_ASSIGN(run.sample.configuration.work, work_of(session.path, session.recording.facts.provider));
  if (session.info.kind == SessionKind(session_kind::kTraining) && run.sample.status == SessionStatus::kComplete) {
    AACO_ASSIGN(const TrainingRunDocument training, imports::load_training(session.path));
    describe_training(training, run.sample);
  }
  run.reference = Json{{"kind", "session"},
                       {"session_id", session.info.session_id},
                       {"path", session.path.string()},
                       {"session_json_sha256", sha256},
                       {"created_utc", session.info.created_utc}};
  run.session = std::move(session);
  run.analysis = std::move(analysis);
  return run;
}

Result<ComparedRun> run_of_baseline(const fs::path& path) {
  AACO_ASSIGN(const Baseline baseline, read_baseline(path));
  ComparedRun run;
  AACO_ASSIGN(run.sample, parse_run_sample(baseline.sample, path.string()));
  AACO_ASSIGN(const std::string sha256, sha256_of_file(path));
  run.reference = Json{{"kind", "baseline"},
                       {"path", path.string()},
                       {"sha256", sha256},
                       {"saved_utc", baseline.saved_utc},
                       {"aaco_version", baseline.aaco_version},
                       {"session_id", baseline.session_id},
                       {"session_path", baseline.session_path},
                       {"session_json_sha256", baseline.session_json_sha256},
                       {"created_utc", run.sample.created_utc}};
  return run;
}

}  // namespace

Result<TrainingRunDocument> load_training(const fs::path& bundle) {
  const fs::path path = bundle / layout::kTraining;
  AACO_ASSIGN(const Json document, read_json(path));
  return read_training_run(document, path.string());
}

Result<ComparedRun> load_session(const fs::path& sessions_root, const std::string& text) {
  AACO_ASSIGN(const fs::path path, find_session(sessions_root, text));
  return run_of(path);
}

Result<ComparedRun> load_baseline_or_session(const fs::path& sessions_root, const std::string& text) {
  std::error_code ignored;
  if (fs::is_regular_file(text, ignored)) {
    return run_of_baseline(text);
  }
  if (fs::path(text).extension() == ".json") {
    return Error{ErrorKind::kUsage, text + ": there is no such baseline file",
                 "aaco baseline list shows those there are, aaco baseline save makes one"};
  }
  return load_session(sessions_root, text);
}

Result<void> open_recorded_session(ComparedRun& run) {
  if (run.session) {
    return {};
  }
  const auto gone = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, fmt::format("the baseline's session {} {}", run.sample.session_id, why),
                 "a page of both sides needs both sessions: give --baseline a session, or use --format text"};
  };
  const fs::path path = run.reference->value("session_path", "");
  const Result<std::string> sha256 = sha256_of_file(path / layout::kSession);
  if (!sha256) {
    return gone("is no more at " + path.string());
  }
  if (*sha256 != run.reference->value("session_json_sha256", "")) {
    return gone("was changed since the baseline was saved: " + path.string());
  }
  AACO_ASSIGN(OpenSession session, open_session(path));
  run.analysis = analyse(session.recording);
  run.session = std::move(session);
  return {};
}

}  // namespace aaco::imports
