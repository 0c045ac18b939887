// SPDX-License-Identifier: MIT
// One side of a comparison as a user names it: a baseline file, a document that a command wrote, or a session.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "kind/kind.h"

namespace aaco {

struct ComparedSession {
  SessionKind kind;            // unknown where a document does not say
  std::string session_id;      // "" where a document does not say
  std::filesystem::path path;  // of the session, or the file
  // Each with its lockbox, where there is one.
  std::vector<NamedSample> samples;
  JsonValue environment;               // the lockbox; null where a document does not say
  JsonValue reference;                 // regress/baseline_ref.json: kind, path, id, hash
  std::optional<OpenSession> session;  // of a run that was not read from a baseline file
  std::optional<Analysis> analysis;
};

// The kind of a session, as find_session. Errors: kUsage too for one that this version does not know.
Result<const Kind*> kind_of_session(const std::filesystem::path& sessions_root, const std::string& text);

// Errors: kUsage for a kind that is not compared.
Result<void> expect_compared(const Kind& kind);
// How such a kind is compared: by the samples of its document, or, where this is null, as runs.
SampleFunction sample_function(const Kind& kind);

// The JSON of a file, or the document of a session of a kind with this reader. Errors: kUsage for another session, and
// for one that was not recorded to its end where its document does not say what it lacks.
Result<JsonValue> load_document(SampleFunction read, const std::filesystem::path& sessions_root,
                                const std::string& text);

// A session, as find_session; `read` as sample_function gives it. Errors: as of load_document.
Result<ComparedSession> load_session(SampleFunction read, const std::filesystem::path& sessions_root,
                                     const std::string& text);

// A file is a baseline, or a document that `read` takes; all else is a session. Errors: kUsage when it is none of
// these.
Result<ComparedSession> load_baseline_or_session(SampleFunction read, const std::filesystem::path& sessions_root,
                                                 const std::string& text);

// Opens the session that a baseline file was saved from, where it still lies there unchanged. kUsage else.
Result<void> open_recorded_session(ComparedSession& run);

// What a baseline file keeps of a session: the sample of a run; else all samples, with their kind and the lockbox. And
// the samples of what it keeps. Errors: kUsage naming `source` for a damaged one.
Json baseline_sample(const ComparedSession& session);
Result<std::vector<NamedSample>> baseline_samples(const Json& kept, const std::string& source);

}  // namespace aaco
