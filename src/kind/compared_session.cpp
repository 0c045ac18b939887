// SPDX-License-Identifier: MIT
#include "kind/compared_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "kind/all_kinds.h"
#include "session/bundle/layout.h"
#include "session/catalog/baseline.h"
#include "session/catalog/catalog.h"
#include "session/session_info.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// Members of a baseline of several samples, in the place of the sample of a run.
constexpr const char* kKindMember = "session_kind";
constexpr const char* kEnvironmentMember = "environment";
constexpr const char* kSamplesMember = "samples";

bool is_compared_by(const Kind& kind, SampleFunction read) {
  return read == nullptr ? kind.run_sample != nullptr : kind.samples == read;
}

// The kind, where it is one of those that are compared so.
Result<const Kind*> expect_kind(const SessionKind& kind, SampleFunction read, const fs::path& path) {
  const Kind* const known_kind = find_kind(kind);
  if (known_kind == nullptr) {
    return unknown_kind(path, kind);
  }
  if (is_compared_by(*known_kind, read)) {
    return known_kind;
  }
  std::vector<std::string> wanted;
  for (const Kind* other : all_kinds()) {
    if (is_compared_by(*other, read)) {
      wanted.emplace_back(other->traits.id);
    }
  }
  return Error{
      ErrorKind::kUsage,
      fmt::format("{}: is a session of kind {}, not {}", path.string(), kind.word(), fmt::join(wanted, " or ")),
      "give two sessions of one kind; aaco sessions list shows which there are"};
}

Result<JsonValue> session_reference(const fs::path& path, const SessionInfo& info) {
  AACO_ASSIGN(const std::string sha256, sha256_of_file(path / layout::kSession));
  return JsonValue(Json{{"kind", "session"},
                        {"session_id", info.session_id},
                        {"path", path.string()},
                        {"session_json_sha256", sha256},
                        {"created_utc", info.created_utc}});
}

ComparedSession side_of(const SessionInfo& info, const fs::path& path) {
  ComparedSession side;
  side.kind = info.kind;
  side.session_id = info.session_id;
  side.path = path;
  return side;
}

Result<ComparedSession> run_side(const fs::path& path) {
  AACO_ASSIGN(OpenSession session, open_session(path));
  AACO_ASSIGN(const Kind* const kind, expect_kind(session.info.kind, nullptr, path));
  ComparedSession run = side_of(session.info, session.path);
  AACO_ASSIGN(run.reference, session_reference(session.path, session.info));
  run.analysis = analyse(session.recording);
  AACO_ASSIGN(run.samples.emplace_back(), kind->run_sample(session, *run.analysis));
  run.environment = session.environment;
  run.session = std::move(session);
  return run;
}

// A document names a sample's device as "cuda:0", and the lockbox lies beside it. What judges the sample needs both.
void add_surroundings(const Json& environment, std::vector<NamedSample>& samples) {
  for (NamedSample& named : samples) {
    RunSample& sample = named.sample;
    const std::string& backend = sample.configuration.backend;
    if (sample.environment->is_null()) {
      sample.environment = environment;
    }
    if (sample.device_kind == DeviceKind::kUnknown && !backend.empty() && !backend.starts_with("cpu")) {
      sample.device_kind = DeviceKind::kGpu;
    }
  }
}

struct SessionDocument {
  SessionInfo info;
  fs::path file;
  JsonValue json;
};

Result<SessionDocument> session_document(SampleFunction read, const fs::path& path) {
  SessionDocument document;
  AACO_ASSIGN(document.info, read_session_info(path));
  const SessionInfo& info = document.info;
  AACO_ASSIGN(const Kind* const kind, expect_kind(info.kind, read, path));
  if (const SessionStatus status = effective_status(info); status != SessionStatus::kComplete && !kind->has_members) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is {}: {}", path.string(), session_status_name(status), info.status_reason),
                 "give one that was measured to its end"};
  }
  document.file = path / kind->traits.document;
  AACO_ASSIGN(document.json, read_json(document.file));
  return document;
}

Result<ComparedSession> document_side(SampleFunction read, const fs::path& path) {
  AACO_ASSIGN(const SessionDocument document, session_document(read, path));
  ComparedSession side = side_of(document.info, path);
  AACO_ASSIGN(side.samples, read(*document.json, document.file.string()));
  AACO_ASSIGN(side.reference, session_reference(path, document.info));
  std::error_code ignored;
  if (fs::exists(path / layout::kEnvironment, ignored)) {
    AACO_ASSIGN(side.environment, read_json(path / layout::kEnvironment));
  }
  add_surroundings(side.environment, side.samples);
  return side;
}

bool has_samples(const Json& kept) { return kept.is_object() && kept.contains(kSamplesMember); }

Result<ComparedSession> baseline_side(SampleFunction read, const fs::path& path) {
  AACO_ASSIGN(const Baseline baseline, read_baseline(path));
  ComparedSession side;
  const std::string source = path.string();
  const Json& kept = *baseline.sample;
  AACO_ASSIGN(side.samples, baseline_samples(kept, source));
  if (has_samples(kept)) {
    AACO_ASSIGN(side.kind, from_json_value<SessionKind>(kept.value(kKindMember, Json("")), source));
    AACO_TRY(expect_kind(side.kind, read, path));
    side.environment = kept.value(kEnvironmentMember, Json());
  } else if (read != nullptr) {
    return Error{ErrorKind::kUsage, source + ": is the baseline of a run, not of a session of this kind",
                 "aaco baseline save makes one of such a session"};
  }
  side.session_id = baseline.session_id;
  side.path = path;
  AACO_ASSIGN(const std::string sha256, sha256_of_file(path));
  side.reference = Json{{"kind", "baseline"},
                        {"path", source},
                        {"sha256", sha256},
                        {"saved_utc", baseline.saved_utc},
                        {"aaco_version", baseline.aaco_version},
                        {"session_id", baseline.session_id},
                        {"session_path", baseline.session_path},
                        {"session_json_sha256", baseline.session_json_sha256},
                        {"created_utc", side.samples.front().sample.created_utc}};
  return side;
}

Result<ComparedSession> file_side(SampleFunction read, const fs::path& path) {
  if (read == nullptr) {
    return baseline_side(read, path);
  }
  AACO_ASSIGN(const Json json, read_json(path));
  if (is_baseline(json)) {
    return baseline_side(read, path);
  }
  ComparedSession side;
  side.path = path;
  AACO_ASSIGN(side.samples, read(json, path.string()));
  AACO_ASSIGN(const std::string sha256, sha256_of_file(path));
  side.reference = Json{{"kind", "document"}, {"path", path.string()}, {"sha256", sha256}};
  return side;
}

// A name that is a file's and of no file is no session's.
Result<void> expect_no_file_name(SampleFunction read, const std::string& text) {
  if (fs::path(text).extension() != ".json") {
    return {};
  }
  return read == nullptr ? Error{ErrorKind::kUsage, text + ": there is no such baseline file",
                                 "aaco baseline list shows those there are, aaco baseline save makes one"}
                         : Error{ErrorKind::kUsage, text + ": there is no such file",
                                 "aaco baseline save makes one, and so does --output of the command that measures"};
}

}  // namespace

Result<const Kind*> kind_of_session(const fs::path& sessions_root, const std::string& text) {
  AACO_ASSIGN(const fs::path path, find_session(sessions_root, text));
  AACO_ASSIGN(const SessionInfo info, read_session_info(path));
  const Kind* const kind = find_kind(info.kind);
  return kind == nullptr ? unknown_kind(path, info.kind) : Result<const Kind*>(kind);
}

Result<void> expect_compared(const Kind& kind) {
  if (kind.run_sample == nullptr && kind.samples == nullptr) {
    return Error{ErrorKind::kUsage, fmt::format("sessions of kind {} are not compared", kind.traits.id),
                 kind.has_members ? "compare the sessions of its members, which aaco report names"
                                  : "aaco report shows each of them"};
  }
  return {};
}

SampleFunction sample_function(const Kind& kind) { return kind.run_sample == nullptr ? kind.samples : nullptr; }

Result<JsonValue> load_document(SampleFunction read, const fs::path& sessions_root, const std::string& text) {
  std::error_code ignored;
  if (fs::is_regular_file(text, ignored)) {
    AACO_ASSIGN(Json json, read_json(text));
    return JsonValue(std::move(json));
  }
  AACO_TRY(expect_no_file_name(read, text));
  AACO_ASSIGN(const fs::path path, find_session(sessions_root, text));
  AACO_ASSIGN(SessionDocument document, session_document(read, path));
  return std::move(document.json);
}

Result<ComparedSession> load_session(SampleFunction read, const fs::path& sessions_root, const std::string& text) {
  AACO_ASSIGN(const fs::path path, find_session(sessions_root, text));
  return read == nullptr ? run_side(path) : document_side(read, path);
}

Result<ComparedSession> load_baseline_or_session(SampleFunction read, const fs::path& sessions_root,
                                                 const std::string& text) {
  std::error_code ignored;
  if (fs::is_regular_file(text, ignored)) {
    return file_side(read, text);
  }
  AACO_TRY(expect_no_file_name(read, text));
  return load_session(read, sessions_root, text);
}

Result<void> open_recorded_session(ComparedSession& run) {
  if (run.session) {
    return {};
  }
  const auto gone = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, fmt::format("the baseline's session {} {}", run.session_id, why),
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

Result<std::vector<NamedSample>> baseline_samples(const Json& kept, const std::string& source) {
  std::vector<NamedSample> samples;
  if (!has_samples(kept)) {
    AACO_ASSIGN(samples.emplace_back(), parse_named_sample(kept, source));
    return samples;
  }
  for (const Json& sample : kept.at(kSamplesMember)) {
    AACO_ASSIGN(samples.emplace_back(), parse_named_sample(sample, source));
  }
  if (samples.empty()) {
    return Error{ErrorKind::kUsage, source + ": holds no sample",
                 "the file was edited or is damaged; save the baseline again"};
  }
  add_surroundings(kept.value(kEnvironmentMember, Json()), samples);
  return samples;
}

Json baseline_sample(const ComparedSession& session) {
  if (session.session) {
    return session.samples.front();
  }
  Json samples = session.samples;
  for (Json& sample : samples) {
    sample[kEnvironmentMember] = nullptr;  // it is kept once for all of them
  }
  return {
      {kKindMember, session.kind}, {kEnvironmentMember, *session.environment}, {kSamplesMember, std::move(samples)}};
}

}  // namespace aaco
