// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "cli/diff_command.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json_text.h"
#include "import/machines.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/session_info.h"
#include "verdict/overlap_compare.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct Side {
  fs::path bundle;
  JsonValue document;
};

Result<Side> load(const std::string& sessions, const std::string& name, const SessionKindTraits& kind) {
  AACO_ASSIGN(const fs::path bundle, find_session(sessions, name));
  AACO_ASSIGN(const SessionInfo info, read_session_info(bundle));
  if (!(info.kind == SessionKind(kind))) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of kind {}, not of {}", bundle.string(), info.kind.word(), kind.command),
                 fmt::format("give a session of {}", kind.command)};
  }
  if (info.status != SessionStatus::kComplete) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is {}: {}", bundle.string(), session_status_name(info.status), info.status_reason),
                 "give one that was measured to its end"};
  }
  AACO_ASSIGN(Json document, read_json(bundle / layout::kOverlap));
  return Side{bundle, JsonValue(std::move(document))};
}

// The documents of a sweep name devices as "cpu:0": whether both were the same machine, the lockboxes say.
bool is_on_gpu(const Side& side) {
  const Json devices = side.document->value("devices", Json::array());
  return std::any_of(devices.begin(), devices.end(), [](const Json& device) {
    return device.is_string() && !device.get_ref<const std::string&>().starts_with("cpu");
  });
}

Result<void> check_machine(const Side& baseline, const Side& test, bool allow_different) {
  const std::string difference =
      imports::machine_difference(baseline.bundle, test.bundle, is_on_gpu(baseline) && is_on_gpu(test));
  if (difference.empty() || allow_different) {
    return {};
  }
  return Error{ErrorKind::kInvalid, "the two were not measured on the same machine (baseline / test): " + difference,
               "measure both on one machine, or compare the machines with --allow-different"};
}

template <class Document>
using Read = Result<Document> (*)(const Json&, std::string_view);
template <class Document>
using Compare = PairComparisons (*)(const Document&, const Document&, const CompareOptions&);

template <class Document>
Result<int> diff(const DiffFlags& flags, const SessionKindTraits& kind, Read<Document> read, Compare<Document> compare,
                 const char* what) {
  if (flags.rerun || flags.format == "html" || !flags.output.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("sessions of {} are compared as text or JSON, as they were recorded", kind.command),
                 "leave out --rerun, --output and --format html; aaco report shows each session"};
  }
  AACO_ASSIGN(const Side baseline, load(flags.sessions_folder, flags.baseline, kind));
  AACO_ASSIGN(const Side test, load(flags.sessions_folder, flags.session, kind));
  AACO_ASSIGN(const Document before, read(*baseline.document, baseline.bundle.string()));
  AACO_ASSIGN(const Document after, read(*test.document, test.bundle.string()));
  AACO_TRY(check_machine(baseline, test, flags.allow_different));
  AACO_ASSIGN(const CompareOptions options, compare_options_of(flags, test.bundle));
  const PairComparisons comparisons = compare(before, after, options);
  AACO_TRY(make_folders((test.bundle / layout::kVerdict).parent_path()));
  AACO_TRY(write_json(test.bundle / layout::kVerdict, Json(comparisons)));
  fmt::print("{}", flags.format == "json"
                       ? indented_json_text(Json(comparisons))
                       : report::render_lines(report::build_pair_comparison_report(comparisons, what)));
  return exit_code_of(comparisons, flags.allow_inconclusive);
}

}  // namespace

Result<int> compare_as_copies(const DiffFlags& flags) {
  return diff<CopyDocument>(flags, session_kind::kCopyOverlap, read_copy_document, compare_copies, "round");
}

Result<int> compare_as_overlap_sweeps(const DiffFlags& flags) {
  return diff<OverlapSweep>(flags, session_kind::kOverlapSweep, read_overlap_sweep, compare_overlap_sweeps, "step");
}

}  // namespace aaco
