// SPDX-License-Identifier: MIT
// A made-up training for the tests: what follows from it is known.
#pragma once

#include <string>
#include <utility>

#include "kind/training/document/training_run_document.h"
#include "kind/training/training_kind.h"
#include "session/session.h"

namespace aaco::report::test {

// 10 steps of 100 ms after 2 of warm-up, parts of 80 ms, a loss that falls from 6.9 to 2.
inline TrainingProcess training_process(int64_t process) {
  TrainingProcess one;
  one.process = process;
  one.pid = 100 + process;
  one.load_ms = 2.5;
  one.steps = 10;
  one.wall_ns = 1'000'000'000;
  one.stationary = true;
  one.p50_ns = 1e8;
  one.dispatch_p50_ns = 2e6;
  one.allocated_bytes = 10'000'000;
  one.peak_bytes = 20'000'000;
  one.library_bytes = 5'000'000;
  one.losses = {6.9, 6, 5, 4.5, 4, 3.5, 3, 2.7, 2.4, 2.2, 2.1, 2};
  one.parts = {{"forward", "products", 6e7},
               {"backward", "attention", 1.5e7},
               {"optimizer", "optimizer", 5e6},
               {"forward", "", 6.5e7}};
  return one;
}

inline TrainingRunDocument training_document() {
  TrainingRunDocument document;
  document.version = "0.1.0";
  document.created_utc = "2026-01-01T12:00:00Z";
  document.bundle = "s/d/run";
  TrainingRequest& request = document.request;
  request.version = 4;
  request.preset = "nano";
  request.device = "cpu:0";
  request.vocabulary = 1000;
  request.hidden = 64;
  request.layers = 2;
  request.heads = 4;
  request.kv_heads = 2;
  request.inner = 128;
  request.sequences = 4;
  request.length = 64;
  request.precision = "bf16";
  request.dispatch = "graph";
  request.steps = 10;
  request.warmup = 2;
  document.work = {.parameters = 123'456,
                   .tokens = 256,
                   .sequences = 4,
                   .operations = 60,
                   .flops = 3.2e9,
                   .model_flops = 3e9,
                   .ideal_bytes = 1.4e9,
                   .streams = 2,
                   .parts = {{"forward", "products", 30, 2.4e9, 6e8},
                             {"backward", "attention", 20, 8e8, 4e8},
                             {"optimizer", "optimizer", 10, 0, 4e8}},
                   .modules = {},
                   .memory = {},
                   .pytorch_peak_bytes = {}};
  document.device = DeviceFacts();
  document.device->id = "cpu:0";
  document.device->name = "A & B";
  document.types = {{"residual", "bf16"}, {"sums", "fp32"}};
  document.gates = {{"loss", true, "6.9", "finite"}, {"gradients", true, "largest error 1e-06", "at most 1e-04"}};
  document.roof = ProductRoof{1e11, 2048, "bf16"};
  document.notes = {"queries, keys & values by one product"};
  document.processes = {training_process(0), training_process(1), training_process(2)};
  document.figures = training_figures(document.work, document.processes, document.roof);
  return document;
}

inline OpenSession training_session(const TrainingRunDocument& document,
                                    SessionStatus status = SessionStatus::kComplete) {
  OpenSession session;
  session.path = "sessions/d/s";
  session.info.kind = kTraining.traits;
  session.info.session_id = "20260101_120000_abcdef";
  session.info.created_utc = document.created_utc;
  session.info.status = session.status = status;
  session.info.status_reason = status == SessionStatus::kComplete ? "" : "the device is <gone>";
  session.info.facts.model_name = "llama";
  session.info.facts.backend = "cpu:0";
  for (const TrainingProcess& process : document.processes) {
    for (int64_t step = 0; step < static_cast<int64_t>(process.losses.size()); ++step) {
      IterationRow row;
      row.process = process.process;
      row.iter_idx = step;
      row.phase = step < document.request.warmup ? IterationPhase::kWarmup : IterationPhase::kMeasure;
      row.t_start_ns = step * 100'000'000;
      row.t_end_ns = row.t_start_ns + 100'000'000 + (step * 7919 + process.process * 104729) % 3'000'000;
      row.latency_ms = static_cast<double>(row.t_end_ns - row.t_start_ns) / 1e6;
      session.recording.iterations.push_back(row);
    }
  }
  return session;
}

}  // namespace aaco::report::test
