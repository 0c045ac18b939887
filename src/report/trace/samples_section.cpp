// SPDX-License-Identifier: MIT
#include "report/trace/samples_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestInstruction = 40;
constexpr size_t kLongestSource = 32;
constexpr size_t kMostCauses = 3;  // of an instruction in a table

std::span<const SampledInstruction> instructions_of(const PcSamples& samples, const SampledKernel& kernel) {
  return samples.instructions.view().subspan(kernel.first_instruction, kernel.instructions);
}

std::span<const SampledOutcome> outcomes_of(const PcSamples& samples, const SampledInstruction& instruction) {
  return samples.outcomes.view().subspan(instruction.first_outcome, instruction.outcomes);
}

struct Cause {
  StringId cause;
  uint64_t samples;
};

template <class Counts>
std::vector<Cause> most_first(const Counts& counts) {
  std::vector<Cause> list;
  for (const auto& [cause, samples] : counts) {
    list.push_back({cause, samples});
  }
  std::sort(list.begin(), list.end(), [](const Cause& a, const Cause& b) {
    return a.samples != b.samples ? a.samples > b.samples : a.cause < b.cause;
  });
  return list;
}

// Of all samples of a kernel with one outcome.
std::vector<Cause> causes_of(const PcSamples& samples, const SampledKernel& kernel, WaveOutcome outcome) {
  std::map<StringId, uint64_t> counts;
  for (const SampledInstruction& instruction : instructions_of(samples, kernel)) {
    for (const SampledOutcome& its : outcomes_of(samples, instruction)) {
      if (its.outcome == outcome) {
        counts[its.cause] += its.samples;
      }
    }
  }
  return most_first(counts);
}

std::vector<Cause> lines_of(const SampleReader& reader, const PcSamples& samples, const SampledKernel& kernel) {
  std::map<StringId, uint64_t> counts;
  for (const SampledInstruction& instruction : instructions_of(samples, kernel)) {
    counts[reader.read(instruction.sample).source] += instruction.samples;
  }
  counts.erase(kEmptyString);
  return most_first(counts);
}

Json name_json(const EventTable& events, StringId text) {
  return text == kEmptyString ? Json() : Json(std::string(events.strings[text]));
}

Json causes_json(const EventTable& events, const std::vector<Cause>& causes) {
  Json list = Json::array();
  for (const Cause& its : causes) {
    list.push_back({{"name", std::string(cause_name(events.strings[its.cause]))}, {"samples", its.samples}});
  }
  return list;
}

Json instruction_json(const EventTable& events, const SampleReader& reader, const PcSamples& samples,
                      const SampledKernel& kernel, const SampledInstruction& instruction) {
  const PcSample sample = reader.read(instruction.sample);
  Json outcomes = Json::array();
  for (const SampledOutcome& its : outcomes_of(samples, instruction)) {
    outcomes.push_back({{"outcome", wave_outcome_name(its.outcome)},
                        {"cause", std::string(cause_name(events.strings[its.cause]))},
                        {"samples", its.samples}});
  }
  return {{"instruction", name_json(events, events.name[instruction.sample])},
          {"source", name_json(events, sample.source)},
          {"code_object", sample.code_object == 0 ? Json() : Json(sample.code_object)},
          {"offset", sample.code_object == 0 && sample.offset == 0 ? Json() : Json(sample.offset)},
          {"samples", instruction.samples},
          {"of_kernel", ratio(instruction.samples, static_cast<int64_t>(kernel.samples))},
          {"outcomes", kernel.stochastic ? std::move(outcomes) : Json()}};
}

Json mean_json(uint64_t sum, uint64_t count) {
  return count == 0 ? Json() : Json(static_cast<double>(sum) / static_cast<double>(count));
}

std::string share_of(uint64_t part, uint64_t whole) {
  return share_text(static_cast<int64_t>(part), static_cast<int64_t>(whole));
}

std::string causes_text(const EventTable& events, const std::vector<Cause>& causes, uint64_t whole, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, causes.size()); ++i) {
    const std::string_view name = cause_name(events.strings[causes[i].cause]);
    text += fmt::format("{}{} {} ({})", i == 0 ? "" : ", ", name.empty() ? "not named" : printable(name),
                        causes[i].samples, share_of(causes[i].samples, whole));
  }
  return causes.size() > most ? text + ", " + counted(causes.size() - most, "other", "others") : text;
}

// The end of a path says more than its beginning.
std::string source_text(std::string_view source) {
  std::string text = printable(source);
  if (text.size() <= kLongestSource) {
    return text;
  }
  size_t start = text.size() - kLongestSource + 3;
  while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
    ++start;  // not within a character
  }
  return "..." + text.substr(start);
}

std::string outcome_text(const EventTable& events, const PcSamples& samples, const SampledKernel& kernel) {
  if (!kernel.stochastic) {
    return "";
  }
  std::string text;
  const auto add = [&](const char* what, WaveOutcome outcome, uint64_t count) {
    const auto causes = causes_of(samples, kernel, outcome);
    text += fmt::format("  {} {} ({}){}{}\n", what, count, share_of(count, kernel.samples), causes.empty() ? "" : ": ",
                        causes_text(events, causes, count, causes.size()));
  };
  add("issued the instruction", WaveOutcome::kIssued, kernel.issued);
  add("did not issue it", WaveOutcome::kNotIssued, kernel.not_issued);
  return text;
}

std::string means_text(const SampledKernel& kernel) {
  std::string text;
  if (kernel.with_waves > 0) {
    text += fmt::format("{:.3g} waves active on the compute unit",
                        static_cast<double>(kernel.active_waves) / static_cast<double>(kernel.with_waves));
  }
  if (kernel.with_lanes > 0) {
    text += fmt::format("{}{:.3g} lanes active of the wave", text.empty() ? "" : ", ",
                        static_cast<double>(kernel.active_lanes) / static_cast<double>(kernel.with_lanes));
  }
  return text.empty() ? "" : fmt::format("  {}, on average over the samples\n", text);
}

std::string instructions_text(const EventTable& events, const SampleReader& reader, const PcSamples& samples,
                              const SampledKernel& kernel, size_t most) {
  const auto its = instructions_of(samples, kernel);
  std::vector<std::vector<std::string>> rows{{"  instruction", "samples", "of kernel", "at"}};
  if (kernel.stochastic) {
    rows[0].insert(rows[0].begin() + 3, {"issued", "why not issued, of its samples"});
  }
  uint64_t shown = 0;
  const size_t count = std::min(most, its.size());
  for (const SampledInstruction& instruction : its.first(count)) {
    shown += instruction.samples;
    const std::string_view name = events.strings[events.name[instruction.sample]];
    std::vector<std::string> row{"  " + (name.empty() ? "not decoded" : shorten(printable(name), kLongestInstruction)),
                                 std::to_string(instruction.samples), share_of(instruction.samples, kernel.samples)};
    if (kernel.stochastic) {
      std::vector<Cause> reasons;
      for (const SampledOutcome& outcome : outcomes_of(samples, instruction)) {
        if (outcome.outcome == WaveOutcome::kNotIssued) {
          reasons.push_back({outcome.cause, outcome.samples});
        }
      }
      row.push_back(std::to_string(instruction.issued));
      row.push_back(causes_text(events, reasons, instruction.samples, kMostCauses));
    }
    const PcSample sample = reader.read(instruction.sample);
    row.push_back(sample.source != kEmptyString ? source_text(events.strings[sample.source])
                  : sample.offset != 0          ? fmt::format("{}:{:#x}", sample.code_object, sample.offset)
                                                : "");
    rows.push_back(std::move(row));
  }
  if (count < its.size()) {
    std::vector<std::string> rest{"  " + counted(its.size() - count, "other", "others"),
                                  std::to_string(kernel.samples - shown),
                                  share_of(kernel.samples - shown, kernel.samples)};
    rest.resize(rows[0].size());
    rows.push_back(std::move(rest));
  }
  return format_table(rows);
}

std::string lines_text(const EventTable& events, const std::vector<Cause>& lines, const SampledKernel& kernel,
                       size_t most) {
  if (lines.empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> rows{{"  source line", "samples", "of kernel"}};
  for (size_t i = 0; i < std::min(most, lines.size()); ++i) {
    rows.push_back({"  " + source_text(events.strings[lines[i].cause]), std::to_string(lines[i].samples),
                    share_of(lines[i].samples, kernel.samples)});
  }
  if (lines.size() > most) {
    rows.push_back({"  " + counted(lines.size() - most, "other", "others"), "", ""});
  }
  return format_table(rows);
}

}  // namespace

Json samples_json(const EventTable& events, const TraceSummary& summary) {
  const PcSamples& samples = summary.samples;
  Json kernels = Json::array();
  if (samples.kernels.empty()) {
    return {{"samples", 0}, {"kernels", std::move(kernels)}};
  }
  const SampleReader reader(events);
  for (const SampledKernel& kernel : samples.kernels) {
    Json instructions = Json::array();
    for (const SampledInstruction& instruction : instructions_of(samples, kernel)) {
      instructions.push_back(instruction_json(events, reader, samples, kernel, instruction));
    }
    Json lines = Json::array();
    for (const Cause& line : lines_of(reader, samples, kernel)) {
      lines.push_back({{"source", std::string(events.strings[line.cause])}, {"samples", line.samples}});
    }
    const auto causes = [&](WaveOutcome outcome) {
      return kernel.stochastic ? causes_json(events, causes_of(samples, kernel, outcome)) : Json();
    };
    kernels.push_back({{"name", name_json(events, kernel.name)},
                       {"recording", kernel.recording},
                       {"rank", id_json(kernel.rank)},
                       {"device", id_json(kernel.device)},
                       {"method", kernel.stochastic ? "stochastic" : "host_trap"},
                       {"dispatches", kernel.dispatches},
                       {"samples", kernel.samples},
                       {"of_all", ratio(static_cast<int64_t>(kernel.samples), static_cast<int64_t>(samples.samples))},
                       {"issued", kernel.stochastic ? Json(kernel.issued) : Json()},
                       {"not_issued", kernel.stochastic ? Json(kernel.not_issued) : Json()},
                       {"instruction_types", causes(WaveOutcome::kIssued)},
                       {"stall_reasons", causes(WaveOutcome::kNotIssued)},
                       {"mean_active_waves", mean_json(kernel.active_waves, kernel.with_waves)},
                       {"mean_active_lanes", mean_json(kernel.active_lanes, kernel.with_lanes)},
                       {"instructions", std::move(instructions)},
                       {"source_lines", std::move(lines)}});
  }
  return {{"samples", samples.samples}, {"kernels", std::move(kernels)}};
}

std::string samples_text(const EventTable& events, const TraceSummary& summary, size_t most) {
  const PcSamples& samples = summary.samples;
  if (samples.kernels.empty()) {
    return "";
  }
  const SampleReader reader(events);
  std::string text = fmt::format("\n{} of the program counter\n", counted(samples.samples, "sample", "samples"));
  const size_t shown = std::min(most, samples.kernels.size());
  for (const SampledKernel& kernel : std::span(samples.kernels).first(shown)) {
    const std::string device = kernel.device == kNoId ? "device (not named)" : fmt::format("device {}", kernel.device);
    text += fmt::format("\n{}\n  {}: {} ({} of all) of {}, taken {}\n",
                        kernel.name == kEmptyString ? "kernel not known"
                                                    : shorten(printable(events.strings[kernel.name]), kLongestName),
                        of_rank(device, events, kernel.recording, kernel.rank),
                        counted(kernel.samples, "sample", "samples"), share_of(kernel.samples, samples.samples),
                        counted(kernel.dispatches, "dispatch", "dispatches"),
                        kernel.stochastic ? "by the hardware (stochastic)" : "by host trap");
    text += outcome_text(events, samples, kernel) + means_text(kernel);
    text += instructions_text(events, reader, samples, kernel, most);
    text += lines_text(events, lines_of(reader, samples, kernel), kernel, most);
  }
  if (shown < samples.kernels.size()) {
    text +=
        fmt::format("\n{}\n", counted(samples.kernels.size() - shown, "other sampled kernel", "other sampled kernels"));
  }
  return text;
}

}  // namespace aaco::report
