// SPDX-License-Identifier: MIT
// Samples of the program counter by kernel and instruction: how often each was met and, where the hardware took the
// sample (the stochastic method), what the wave did. A sample names a dispatch; its kernel is the one that the trace
// has for that dispatch, or for the sample's correlation where dispatches are not numbered.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/timeline/samples/sample_reader.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"

namespace aaco {

// Samples of one instruction with one outcome.
struct SampledOutcome {
  StringId cause = kEmptyString;
  uint32_t samples = 0;
  WaveOutcome outcome = WaveOutcome::kNotRecorded;
};

// With addresses (JSON) one instruction; without them (CSV) those that have their text and source line in common.
struct SampledInstruction {
  EventRow sample = 0;  // one of its own, which has its text, line and address
  uint32_t samples = 0;
  uint32_t issued = 0;
  uint32_t first_outcome = 0;  // index of PcSamples::outcomes, the most frequent first
  uint32_t outcomes = 0;
};

struct SampledKernel {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  StringId name = kEmptyString;  // of samples whose kernel is not known: of any number of kernels
  bool stochastic = false;
  uint64_t dispatches = 0;  // with a sample
  uint64_t samples = 0;
  uint64_t issued = 0;
  uint64_t not_issued = 0;
  uint64_t with_waves = 0;    // samples that have it
  uint64_t active_waves = 0;  // on the compute unit, added up over these
  uint64_t with_lanes = 0;
  uint64_t active_lanes = 0;
  size_t first_instruction = 0;  // index of PcSamples::instructions, the most frequent first
  size_t instructions = 0;
};

struct PcSamples {
  std::vector<SampledKernel> kernels;  // by recording and device, the most sampled first
  GrowingArray<SampledInstruction> instructions;
  GrowingArray<SampledOutcome> outcomes;
  uint64_t samples = 0;
};

// Samples without a kernel are losses.
PcSamples pc_samples(const EventTable& events, LossTable& losses);

// "WAITCNT" of ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT; any other text as it is.
std::string_view cause_name(std::string_view cause);

}  // namespace aaco
