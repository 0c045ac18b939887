// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"
#include "workload/training/llama_counts.h"
#include "workload/training/llama_weights.h"

namespace aaco {

namespace {

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const TrainingRequest base, complete_request(version_of(request, 1)));
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(base));
  LabMeasurement found;
  found.table = {{"sequences", "peak memory"}};
  std::vector<double> peaks;
  for (const int64_t factor : {1, 2, 4}) {
    TrainingRequest larger = base;
    larger.sequences = base.sequences * factor;
    progress(fmt::format("a step of {}", counted(larger.sequences, "sequence", "sequences")),
             static_cast<double>(factor) / 5);
    AACO_ASSIGN(const double bytes, peak_bytes(larger));
    peaks.push_back(bytes);
    found.table.push_back({fmt::format("{}", larger.sequences), fmt::format("{:.0f} B", bytes)});
  }
  const auto parameters = static_cast<double>(llama_parameter_count(config.shape));
  const double fixed = 2 * peaks[0] - peaks[1];
  const TrainingMemory memory = llama_memory(config);
  found.facts = {{"parameters", fmt::format("{:.0f}", parameters)}};
  found.value = fixed;
  found.way = fmt::format(
      "Peak = fixed + sequences x rest. From the first two rows: fixed = 2 x {:.0f} - {:.0f} = {:.0f} B. The third "
      "row confirms the line: {:.0f} B by it, {:.0f} measured. Over {:.0f} parameters that is {:.2f} B each.",
      peaks[0], peaks[1], fixed, fixed + 4 * (peaks[0] - fixed), peaks[2], parameters, fixed / parameters);
  found.meaning = fmt::format(
      "By the closed form: weights {:.1f}, gradients {:.1f}, AdamW's two moments {:.1f} B a parameter; the rest is "
      "memory to work in, data, tables and what libraries take, of the same size for every batch. At {} sequences "
      "activations and working memory are {:.0f} % of all: only of those does a smaller batch need less.",
      memory.weights / parameters, memory.gradients / parameters, memory.moments / parameters, base.sequences,
      100 * (memory.activations + memory.working) / memory.total());
  return found;
}

}  // namespace

Lab lab_memory() {
  return {
      .title = "Memory: what stays when the batch shrinks",
      .session = 1,
      .minutes = 10,
      .learn = "Split peak memory into what the parameters cost and what the batch costs, by measuring at two sizes.",
      .question = "How many bytes of peak memory would be left with no sequence at all?",
      .unit = "in bytes",
      .tolerance = 0.001,
      .hint =
          "two rows give a line: extrapolate it to no sequences at all; what is counted by the parameters alone is not "
          "all",
      .not_told = "what the length of a sequence does: a matrix of scores grows with its square (lab 6)",
      .next =
          "aaco llama run --version 1 --preset nano --device cpu:0 --batch-size 2\n"
          "aaco llama run --version 1 --preset nano --device cpu:0 --precision bf16",
      .on_amd = "amd-smi metric --mem-usage, beside aaco llama run --version 1 --device hip:0",
      .measure = measure};
}

}  // namespace aaco
