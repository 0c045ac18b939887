// SPDX-License-Identifier: MIT
#include "cli/compare/compared_pair.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

#include "base/json/json.h"
#include "kind/all_kinds.h"
#include "kind/compared_session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// Documents of samples are small. A trace can be gigabytes of JSON, which is not read twice to find out what it is.
constexpr uintmax_t kLargestDocument = uintmax_t{16} << 20;

// The first kind whose samples the file holds; null for any other file.
const Kind* kind_of_document(const std::string& sessions_root, const fs::path& path) {
  std::error_code error;
  if (const uintmax_t bytes = fs::file_size(path, error); error || bytes > kLargestDocument) {
    return nullptr;
  }
  for (const Kind* kind : all_kinds()) {
    if (kind->samples != nullptr && load_baseline_or_session(kind->samples, sessions_root, path.string())) {
      return kind;
    }
  }
  return nullptr;
}

// The session whose report the file is, as `aaco report --format json` wrote it; "" of any other file.
std::string session_of_report(const fs::path& path) {
  std::error_code error;
  if (const uintmax_t bytes = fs::file_size(path, error); error || bytes > kLargestDocument) {
    return "";
  }
  const Result<Json> json = read_json(path);
  if (!json || !json->is_object() || !json->contains("sections") || !json->value("footer", Json()).is_string() ||
      !json->value("subtitle", Json()).is_string()) {
    return "";
  }
  constexpr std::string_view kBefore = "Session ";
  const std::string subtitle = json->value("subtitle", "");
  return json->value("footer", "").starts_with("aaco ") && subtitle.starts_with(kBefore)
             ? subtitle.substr(kBefore.size(), subtitle.find(',') - kBefore.size())
             : "";
}

// A report is text about figures: it lacks the processes' own, on which an interval rests.
Result<void> expect_no_report(const std::string& first, const std::string& second) {
  const std::string before = session_of_report(first);
  const std::string after = session_of_report(second);
  if (before.empty() && after.empty()) {
    return {};
  }
  return Error{ErrorKind::kUsage,
               fmt::format("{}: a report of session {}, which has no samples to compare",
                           before.empty() ? second : first, before.empty() ? after : before),
               fmt::format("compare the sessions: aaco diff {} {}", before.empty() ? first : before,
                           after.empty() ? second : after)};
}

}  // namespace

Result<ComparedPair> compared_pair(const std::string& sessions_root, const std::string& first,
                                   const std::string& second) {
  AACO_TRY(expect_no_report(first, second));
  std::error_code error;
  if (fs::is_regular_file(second, error)) {
    const Kind* const kind = kind_of_document(sessions_root, second);
    return kind == nullptr ? ComparedPair{.form = PairForm::kTraces}
                           : ComparedPair{PairForm::kDocuments, kind->samples, kind->compared_value};
  }
  const Result<const Kind*> kind = kind_of_session(sessions_root, second);
  if (!kind) {
    // A folder that is no session may be a folder of trace files.
    return fs::is_directory(second, error) ? Result<ComparedPair>(ComparedPair{.form = PairForm::kTraces})
                                           : Result<ComparedPair>(kind.error());
  }
  const bool is_measured = (*kind)->traits.has_iterations || (*kind)->samples != nullptr || (*kind)->has_members;
  if (is_measured && fs::is_regular_file(first, error)) {
    const SampleFunction read = (*kind)->run_sample == nullptr ? (*kind)->samples : nullptr;
    if (const auto baseline = load_baseline_or_session(read, sessions_root, first); !baseline) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{} does not compare with a session of kind {}: {}", first, (*kind)->traits.id,
                               baseline.error().message),
                   "compare two traces, two sessions of one kind, or a session with a baseline of it"};
    }
  }
  return ComparedPair{.form = is_measured ? PairForm::kSessions : PairForm::kTraces};
}

}  // namespace aaco
