// SPDX-License-Identifier: MIT
// Samples of the program counter.
#include <algorithm>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

const char* method_name(const SampledKernel& kernel) { return kernel.stochastic ? "stochastic" : "host_trap"; }

std::optional<double> mean(uint64_t sum, uint64_t count) {
  return count == 0 ? std::nullopt : std::optional(static_cast<double>(sum) / static_cast<double>(count));
}

template <class Row>
void add_kernel_columns(TableMaker<Row>& table, const EventTable& events) {
  add_device_columns(table);
  table
      .texts("name", "of the kernel; null where the trace does not hold it",
             [&](const Row& row) { return known_text(events, row.device.name); })
      .texts("method", "host_trap or stochastic",
             [](const Row& row) { return std::optional<std::string>(method_name(row.device)); });
}

}  // namespace

Table sampled_kernels_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    const SampledKernel& device;  // a kernel's are its device's
  };
  TableMaker<Row> table("sampled_kernels");
  add_kernel_columns(table, events);
  const auto of_stochastic = [](const Row& row, uint64_t count) {
    return row.device.stochastic ? std::optional(to_integer(count)) : std::nullopt;
  };
  table
      .integers("dispatches", "1", "that have a sample",
                [](const Row& row) { return to_integer(row.device.dispatches); })
      .integers("samples", "1", "", [](const Row& row) { return to_integer(row.device.samples); })
      .integers("issued", "1", "samples in which the wave issued the instruction; null by host trap",
                [=](const Row& row) { return of_stochastic(row, row.device.issued); })
      .integers("not_issued", "1", "samples in which it did not",
                [=](const Row& row) { return of_stochastic(row, row.device.not_issued); })
      .reals("mean_active_waves", "1", "on the compute unit, over the samples that have it",
             [](const Row& row) { return mean(row.device.active_waves, row.device.with_waves); })
      .reals("mean_active_lanes", "1", "of the sampled wave",
             [](const Row& row) { return mean(row.device.active_lanes, row.device.with_lanes); });
  for (const SampledKernel& kernel : summary.samples.kernels) {
    table.add({kernel});
  }
  return table.finish();
}

Table sampled_instructions_table(const EventTable& events, const TraceSummary& summary, RowRange rows) {
  struct Row {
    const SampledKernel& device;
    PcSample sample;
    StringId instruction;
    const SampledOutcome& outcome;
  };
  TableMaker<Row> table("sampled_instructions");
  add_kernel_columns(table, events);
  const auto address = [](const Row& row, uint64_t value) {
    const bool known = row.sample.code_object != 0 || row.sample.offset != 0;
    return known ? std::optional(to_integer(value)) : std::nullopt;
  };
  table
      .texts("instruction", "as disassembled; null where the profiler could not",
             [&](const Row& row) { return known_text(events, row.instruction); })
      .texts("source", "file and line", [&](const Row& row) { return known_text(events, row.sample.source); })
      .integers("code_object", "", "as the trace numbers it; null where it has no addresses",
                [=](const Row& row) { return address(row, row.sample.code_object); })
      .integers("offset", "bytes", "in the code object",
                [=](const Row& row) { return address(row, row.sample.offset); })
      .texts("outcome", "issued or not issued; null by host trap",
             [](const Row& row) {
               return row.outcome.outcome == WaveOutcome::kNotRecorded
                          ? std::nullopt
                          : std::optional<std::string>(word_of(row.outcome.outcome));
             })
      .texts("cause", "type of the issued instruction, or reason why it was not issued",
             [&](const Row& row) {
               const std::string_view name = cause_name(events.strings[row.outcome.cause]);
               return name.empty() ? std::nullopt : std::optional(std::string(name));
             })
      .integers("samples", "1", "", [](const Row& row) { return int64_t{row.outcome.samples}; });
  const PcSamples& samples = summary.samples;
  if (samples.kernels.empty()) {
    return table.finish();
  }
  const SampleReader reader(events);
  const size_t behind = rows.first + std::min(rows.count, SIZE_MAX - rows.first);
  size_t at = 0;
  for (const SampledKernel& kernel : samples.kernels) {
    for (size_t i = 0; i < kernel.instructions && at < behind; ++i) {
      const SampledInstruction& sampled_instruction = samples.instructions[kernel.first_instruction + i];
      for (size_t outcome = 0; outcome < sampled_instruction.outcomes; ++outcome, ++at) {
        if (at >= rows.first && at < behind) {
          table.add({kernel, reader.read(sampled_instruction.sample), events.name[sampled_instruction.sample],
                     samples.outcomes[sampled_instruction.first_outcome + outcome]});
        }
      }
    }
  }
  return table.finish();
}

}  // namespace aaco
