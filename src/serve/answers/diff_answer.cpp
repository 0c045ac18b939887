// SPDX-License-Identifier: MIT
#include "serve/answers/diff_answer.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <variant>

#include "analysis/timeline/trace_diff/trace_diff.h"
#include "base/json/json.h"
#include "base/text/utf8.h"
#include "kind/session_comparison.h"
#include "kind/trace/trace_kind.h"
#include "kind/trace/trace_source.h"
#include "report/diff_report.h"
#include "report/sinks.h"
#include "report/trace_diff/trace_diff_report.h"
#include "session/session.h"

namespace aaco::serve {

namespace {

constexpr size_t kRows = 200;

Result<bool> is_trace(const std::string& session) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(session));
  return info.kind == SessionKind(kTrace.traits);
}

Result<JsonValue> trace_diff_answer(const std::string& before, const std::string& after) {
  AACO_ASSIGN(const imports::LoadedTrace first, imports::load_trace({{before}, ""}));
  AACO_ASSIGN(const imports::LoadedTrace second, imports::load_trace({{after}, ""}));
  const TraceDiff diff = diff_traces(first.events, second.events);
  return JsonValue(
      Json{{"report", report::render_json(report::build_trace_diff_report(diff, first.origin, second.origin, kRows))},
           {"document", report::trace_diff_json(diff, first.origin, second.origin)}});
}

// Of runs the page of both sides, with plots; of others the verdicts.
Result<report::Report> comparison_report(SessionComparison& comparison) {
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  if (diff == nullptr) {
    return build_comparison_summary(comparison, std::nullopt);
  }
  AACO_TRY(open_recorded_session(comparison.baseline));
  return report::build_diff_report({*comparison.baseline.session, *comparison.baseline.analysis},
                                   {*comparison.test.session, *comparison.test.analysis}, diff_json(*diff));
}

}  // namespace

Result<JsonValue> diff_answer(const std::string& sessions, const std::string& before, const std::string& after) {
  AACO_ASSIGN(const bool first_is_trace, is_trace(before));
  AACO_ASSIGN(const bool second_is_trace, is_trace(after));
  if (first_is_trace && second_is_trace) {
    return trace_diff_answer(before, after);
  }
  if (first_is_trace || second_is_trace) {  // a trace that was imported has no iterations to judge
    return Error{ErrorKind::kUsage,
                 fmt::format("{} is an imported trace, {} is not", as_utf8(first_is_trace ? before : after),
                             as_utf8(first_is_trace ? after : before)),
                 "compare two traces, or two sessions that were measured"};
  }
  AACO_ASSIGN(SessionComparison comparison, compare_sessions({sessions, before, after, {}}));
  const Json document = verdict_json(comparison);
  AACO_ASSIGN(const report::Report report, comparison_report(comparison));
  return JsonValue(Json{{"report", report::render_json(report)}, {"document", document}});
}

}  // namespace aaco::serve
