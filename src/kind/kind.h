// SPDX-License-Identifier: MIT
// A kind of session, whole. To add one: a folder that defines its Kind, and its line in all_kinds.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_run/results.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "engine/progress.h"
#include "engine/worker_role.h"
#include "report/report_model.h"
#include "session/session.h"
#include "session/session_kind.h"
#include "verdict/named_sample.h"

namespace aaco {

// The samples of a kind's document, which `source` names in errors. Kinds that share it are compared with each other.
using SampleFunction = Result<std::vector<NamedSample>> (*)(const Json& document, const std::string& source);

// Runs two recorded sessions again, their processes alternating; the two new bundles. Errors: kUnavailable where a
// recorded session does not hold what that takes, or this machine does not.
using Rerun = Result<std::pair<std::filesystem::path, std::filesystem::path>> (*)(const std::filesystem::path& baseline,
                                                                                  const std::filesystem::path& test,
                                                                                  const std::string& sessions,
                                                                                  const ProgressCallback& progress);

struct Kind {
  SessionKindTraits traits;
  std::span<const WorkerRole> roles = {};  // of its processes
  Result<report::Report> (*report)(const OpenSession& session) = nullptr;
  // The same with every row and exact numbers, for CSV; null: `report` has them.
  Result<report::Report> (*exact_report)(const OpenSession& session) = nullptr;
  // The median that stands for a session in a list, where its summary has none: in milliseconds; none where nothing
  // may be said of its speed. Null: a session of this kind has no such median.
  std::optional<double> (*p50_ms)(const std::filesystem::path& bundle) = nullptr;

  // What a comparison takes of a session. Two sessions of kinds with a run_sample are compared as runs, node by node;
  // others sample by sample, paired by name. A kind that has neither is not compared.
  Result<NamedSample> (*run_sample)(const OpenSession& session, const Analysis& analysis) = nullptr;
  SampleFunction samples = nullptr;
  const char* compared_value = "";  // of each of its samples: "step"
  bool is_per_unit = false;         // its medians are divided by the units of work of an iteration
  // Its document holds what several sessions gave, and says why it lacks a value: it is compared also where not all of
  // them were measured.
  bool has_members = false;
  Rerun rerun = nullptr;
  const char* settled_by =
      "";  // what decides an open comparison of two such sessions, where nothing measures them again
};

}  // namespace aaco
