// SPDX-License-Identifier: MIT
// For tests: a small session whose right content is known.
#pragma once

#include <string>
#include <vector>

#include "session/bundle/layout.h"
#include "session/session.h"
#include "session/test_kinds.h"

namespace aaco {

// Row i starts at 1000 i and takes i us.
inline std::vector<IterationRow> test_iterations(int64_t count) {
  std::vector<IterationRow> rows;
  for (int64_t i = 0; i < count; ++i) {
    IterationRow row;
    row.iter_idx = i;
    row.phase = i < count / 10 ? IterationPhase::kWarmup : IterationPhase::kMeasure;
    row.t_start_ns = 1000 * i;
    row.t_end_ns = 2000 * i;
    row.latency_ms = static_cast<double>(i) / 1000;
    rows.push_back(row);
  }
  return rows;
}

inline SessionInfo test_info() {
  SessionInfo info;
  info.kind = test_kind::kMeasured;
  info.command_line = {"aaco", "run", "--model", "tiny"};
  info.planes["telemetry"] = {PlaneStatus::kNotRequested, ""};
  info.facts.model_name = "tiny";
  info.facts.backend = "cpu";
  info.facts.batch = 4;
  info.facts.input_shapes = {{"x", {4, 3, 48}}, {"rate", {}}};
  return info;
}

// A session with an environment, 100 iterations and 3 samples of telemetry, still open.
inline Result<SessionWriter> start_test_session(const std::filesystem::path& root) {
  AACO_ASSIGN(SessionWriter writer, SessionWriter::create(root, test_info()));
  AACO_TRY(writer.write_text(layout::kEnvironment, "{\"kernel\": \"test\"}\n"));
  AACO_TRY(writer.write_rows<IterationRow>(layout::kIterations, test_iterations(100)));
  std::vector<SystemRow> system(3);
  system[1].cpu_pct = 50;
  AACO_TRY(writer.write_rows<SystemRow>(layout::kSystemEvents, system));
  return writer;
}

inline Result<SessionWriter> closed_test_session(const std::filesystem::path& root) {
  AACO_ASSIGN(SessionWriter writer, start_test_session(root));
  AACO_TRY(writer.close(SessionStatus::kComplete, ""));
  return writer;
}

}  // namespace aaco
