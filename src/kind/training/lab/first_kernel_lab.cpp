// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "device/backend.h"
#include "kind/training/lab/copy_rate.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  AACO_ASSIGN(const TrainingRunDocument run, train(version_of(request, 1), found, progress));
  const PartFigure* norms = find_part(run, "forward", "norms");
  if (norms == nullptr || !norms->alone_ns || !norms->bytes_per_s) {
    return Error{ErrorKind::kUnavailable, run.bundle + ": the norms were not timed", "let the run go to its end"};
  }
  AACO_ASSIGN(Device * device, open_device(run.request.device));
  AACO_ASSIGN(const CopyRate copy, measure_copy_rate(*device));
  const double element = run.request.precision == "bf16" ? 2 : 4;
  const double by_hand = static_cast<double>(norms->operations) * 2 * static_cast<double>(run.work.tokens) *
                         static_cast<double>(run.request.hidden) * element;
  found.facts = {{"norms of a forward pass", fmt::format("{}", norms->operations)},
                 {"rows (tokens) of each", fmt::format("{}", run.work.tokens)},
                 {"columns of each", fmt::format("{}", run.request.hidden)},
                 {"bytes of an element", fmt::format("{:.0f}", element)},
                 {"all of them, alone", format_duration_ns(*norms->alone_ns)},
                 {"a large copy on this device", format_si(copy.bytes_per_s(), "B/s")}};
  found.value = by_hand / *norms->alone_ns;
  found.way = fmt::format(
      "{} norms x 2 x {} x {} x {:.0f} B = {} in {}: {:.2f} GB/s. With weights and scales counted: {:.2f} GB/s.",
      norms->operations, run.work.tokens, run.request.hidden, element, format_si(by_hand, "B"),
      format_duration_ns(*norms->alone_ns), *found.value, *norms->bytes_per_s / 1e9);
  found.meaning = fmt::format(
      "That is {} of what a copy moves. A norm computes some four FLOPs an element, so memory is its only roof on a "
      "GPU; "
      "far below it, latency, too few rows or plain scalar code is what bounds the kernel, and it is worth writing "
      "anew.",
      format_percent(*norms->bytes_per_s / copy.bytes_per_s()));
  return found;
}

}  // namespace

Lab lab_first_kernel() {
  return {.title = "A kernel of your own: the norm, by its bytes",
          .session = 3,
          .minutes = 25,
          .learn = "Work out what a kernel must read and write, and judge its time by the bandwidth that follows.",
          .question =
              "How many bytes a second do the forward norms move? Each reads its input once and writes its "
              "output once.",
          .unit = "in GB/s",
          .tolerance = 0.02,
          .hint = "norms x (read + write) x rows x columns x bytes of an element, over the time",
          .not_told = "where the bytes came from: what fits a cache moves faster than memory can",
          .next =
              "aaco llama run --version 3 --preset nano --device cpu:0\n"
              "aaco llama run --version 1 --preset nano --device cpu:0 --enable norm\n"
              "aaco devices --check cpu:0",
          .on_amd = "rocprof-compute profile -n norm -k norm -- aaco llama run --version 3 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
