// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const TrainingRequest base, complete_request(version_of(request, 2)));
  LabMeasurement found;
  found.table = {{"tokens of a sequence", "with scores in memory, MiB", "without, MiB"}};
  std::vector<double> with;
  std::vector<double> without;
  for (const int64_t factor : {1, 2, 3, 4}) {
    TrainingRequest fused = base;
    fused.length = base.length * factor;
    TrainingRequest unfused = fused;
    unfused.disable.emplace_back("attention");
    progress(fmt::format("steps of {} tokens a sequence", fused.length), static_cast<double>(factor) / 5);
    AACO_ASSIGN(const double unfused_bytes, peak_bytes(unfused));
    AACO_ASSIGN(const double fused_bytes, peak_bytes(fused));
    with.push_back(unfused_bytes / kMebibyte);
    without.push_back(fused_bytes / kMebibyte);
    const bool asked = factor == 4;
    found.table.push_back({fmt::format("{}", fused.length), asked ? "?" : fmt::format("{:.4f}", with.back()),
                           fmt::format("{:.4f}", without.back())});
  }
  found.value = with[3];
  // The third difference of a parabola is 0.
  const double predicted = 3 * with[2] - 3 * with[1] + with[0];
  const double last = with[2] - with[1];
  const double growth = last - (with[1] - with[0]);
  found.way = fmt::format(
      "The differences grow by the same amount each time (a parabola), here by {:.4f}: {:.4f} + {:.4f} + {:.4f} = "
      "{:.4f} "
      "MiB; measured {:.4f}. A straight line would say {:.4f}.",
      growth, with[2], last, growth, predicted, with[3], with[2] + last);
  found.meaning = fmt::format(
      "Without the matrix of scores the peak is {:.4f} MiB at {} tokens, {:.2f} times less, and grows in a line "
      "({:.4f} "
      "by one): the kernel keeps a tile of scores and forgets it, and the backward pass computes it again.",
      without[3], 4 * base.length, with[3] / without[3], 2 * without[2] - without[1]);
  return found;
}

}  // namespace

Lab lab_flash_attention() {
  return {.title = "Flash attention: memory by the sequence's length",
          .session = 2,
          .minutes = 20,
          .learn =
              "Tell linear from quadratic growth by measuring at three lengths, and see which one a fused attention "
              "takes away.",
          .question = "What is the peak memory of the longest sequence with the scores in memory, the ? in the table?",
          .unit = "in MiB",
          .tolerance = 0.01,
          .hint = "look at the differences between rows, and at the differences of those",
          .not_told = "which is faster: at short lengths the fused kernel may win nothing (aaco llama compare says)",
          .next =
              "aaco llama run --version 2 --preset nano --device cpu:0 --seq-len 256 --disable attention\n"
              "aaco llama run --version 2 --preset nano --device cpu:0 --seq-len 256",
          .on_amd = "rocprof-compute profile -n attention -k attention -- aaco llama run --version 2 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
