// SPDX-License-Identifier: MIT
// Samples of the program counter.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

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
    for (const SampledOutcome& sampled_outcome : outcomes_of(samples, instruction)) {
      if (sampled_outcome.outcome == outcome) {
        counts[sampled_outcome.cause] += sampled_outcome.samples;
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

Json name_of(const EventTable& events, StringId text) {
  return text == kEmptyString ? Json() : Json(events.strings[text]);
}

void add_causes(const char* key, const EventTable& events, const std::vector<Cause>& causes, Outline& at) {
  at.list(key, causes, [&](const Cause& cause, Outline& inner) {
    inner.figure("name", cause_name(events.strings[cause.cause]));
    inner.figure("samples", cause.samples);
  });
}

void add_instruction(const EventTable& events, const SampleReader& reader, const PcSamples& samples,
                     const SampledKernel& kernel, const SampledInstruction& instruction, Outline& at) {
  const PcSample sample = reader.read(instruction.sample);
  at.figure("instruction", name_of(events, events.name[instruction.sample]));
  at.figure("source", name_of(events, sample.source));
  at.figure("code_object", sample.code_object == 0 ? Json() : Json(sample.code_object));
  at.figure("offset", sample.code_object == 0 && sample.offset == 0 ? Json() : Json(sample.offset));
  at.figure("samples", instruction.samples);
  at.figure("of_kernel", ratio(instruction.samples, static_cast<int64_t>(kernel.samples)));
  if (!kernel.stochastic) {
    at.figure("outcomes", nullptr);
    return;
  }
  at.list("outcomes", outcomes_of(samples, instruction), [&](const SampledOutcome& outcome, Outline& inner) {
    inner.figure("outcome", word_of(outcome.outcome));
    inner.figure("cause", cause_name(events.strings[outcome.cause]));
    inner.figure("samples", outcome.samples);
  });
}

std::string share_of(uint64_t part, uint64_t whole) {
  return share_text(static_cast<int64_t>(part), static_cast<int64_t>(whole));
}

std::string causes_words(const EventTable& events, const std::vector<Cause>& causes, uint64_t whole, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, causes.size()); ++i) {
    const std::string_view name = cause_name(events.strings[causes[i].cause]);
    text += fmt::format("{}{} {} ({})", i == 0 ? "" : ", ", name.empty() ? "not named" : printable(name),
                        causes[i].samples, share_of(causes[i].samples, whole));
  }
  return causes.size() > most ? text + ", " + counted(causes.size() - most, "other", "others") : text;
}

// The end of a path says more than its beginning.
std::string source_words(std::string_view source) {
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

void say_outcomes(const EventTable& events, const PcSamples& samples, const SampledKernel& kernel, Outline& at) {
  const auto say = [&](const char* sentence, WaveOutcome outcome, uint64_t count) {
    const auto causes = causes_of(samples, kernel, outcome);
    at.aside("causes", causes_words(events, causes, count, causes.size()));
    at.say(fmt::format("{}{}", sentence, causes.empty() ? "" : ": {causes}"));
  };
  if (kernel.stochastic) {
    say("  issued the instruction {issued} ({issued/samples})", WaveOutcome::kIssued, kernel.issued);
    say("  did not issue it {not_issued} ({not_issued/samples})", WaveOutcome::kNotIssued, kernel.not_issued);
  }
}

void say_means(const SampledKernel& kernel, Outline& at) {
  const char* const waves = kernel.with_waves > 0 ? "{mean_active_waves:.3g} waves active on the compute unit" : "";
  const char* const lanes = kernel.with_lanes > 0 ? "{mean_active_lanes:.3g} lanes active of the wave" : "";
  if (kernel.with_waves > 0 || kernel.with_lanes > 0) {
    const bool both = kernel.with_waves > 0 && kernel.with_lanes > 0;
    at.say(fmt::format("  {}{}{}, on average over the samples", waves, both ? ", " : "", lanes));
  }
}

TableBlock instruction_table(const EventTable& events, const SampleReader& reader, const PcSamples& samples,
                             const SampledKernel& kernel, size_t most) {
  const auto instructions = instructions_of(samples, kernel);
  TableBlock table{.columns = {{"  instruction"}, {"samples", true}, {"of kernel", true}}};
  if (kernel.stochastic) {
    table.columns.insert(table.columns.end(), {{"issued", true}, {"why not issued, of its samples"}});
  }
  table.columns.push_back({"at"});
  const auto add = [&](std::string name, uint64_t count) -> std::vector<Cell>& {
    return table.rows.emplace_back(
        std::vector{text_cell("  " + std::move(name)), amount_cell(count),
                    share_cell(static_cast<int64_t>(count), static_cast<int64_t>(kernel.samples))});
  };
  uint64_t left = kernel.samples;
  const size_t count = std::min(most, instructions.size());
  for (const SampledInstruction& instruction : instructions.first(count)) {
    left -= instruction.samples;
    const std::string_view name = events.strings[events.name[instruction.sample]];
    std::vector<Cell>& row =
        add(name.empty() ? "not decoded" : shorten(printable(name), kLongestInstruction), instruction.samples);
    if (kernel.stochastic) {
      std::vector<Cause> reasons;
      for (const SampledOutcome& outcome : outcomes_of(samples, instruction)) {
        if (outcome.outcome == WaveOutcome::kNotIssued) {
          reasons.push_back({outcome.cause, outcome.samples});
        }
      }
      row.push_back(amount_cell(instruction.issued));
      row.push_back(text_cell(causes_words(events, reasons, instruction.samples, kMostCauses)));
    }
    const PcSample sample = reader.read(instruction.sample);
    row.push_back(text_cell(sample.source != kEmptyString ? source_words(events.strings[sample.source])
                            : sample.offset != 0          ? fmt::format("{}:{:#x}", sample.code_object, sample.offset)
                                                          : ""));
  }
  if (count < instructions.size()) {
    add(counted(instructions.size() - count, "other", "others"), left).resize(table.columns.size());
  }
  return table;
}

TableBlock line_table(const EventTable& events, const std::vector<Cause>& lines, const SampledKernel& kernel,
                      size_t most) {
  TableBlock table{.columns = {{"  source line"}, {"samples", true}, {"of kernel", true}}};
  for (size_t i = 0; i < std::min(most, lines.size()); ++i) {
    const uint64_t samples = lines[i].samples;
    table.rows.push_back({text_cell("  " + source_words(events.strings[lines[i].cause])), amount_cell(samples),
                          share_cell(static_cast<int64_t>(samples), static_cast<int64_t>(kernel.samples))});
  }
  if (lines.size() > most) {
    table.rows.push_back({text_cell("  " + counted(lines.size() - most, "other", "others")), {}, {}});
  }
  return table;
}

// What a kernel's table does not hold.
void add_kernel(const TraceInput& input, const SampleReader& reader, const SampledKernel& kernel, Outline& at) {
  const PcSamples& samples = input.summary.samples;
  at.figure("of_all", ratio(static_cast<int64_t>(kernel.samples), static_cast<int64_t>(samples.samples)), "fraction");
  if (!at.is_data()) {
    return;
  }
  for (const auto& [key, outcome] :
       {std::pair("instruction_types", WaveOutcome::kIssued), std::pair("stall_reasons", WaveOutcome::kNotIssued)}) {
    if (kernel.stochastic) {
      add_causes(key, input.events, causes_of(samples, kernel, outcome), at);
    } else {
      at.figure(key, nullptr);
    }
  }
  at.list("instructions", instructions_of(samples, kernel), [&](const SampledInstruction& instruction, Outline& inner) {
    add_instruction(input.events, reader, samples, kernel, instruction, inner);
  });
  at.list("source_lines", lines_of(reader, samples, kernel), [&](const Cause& line, Outline& inner) {
    inner.figure("source", input.events.strings[line.cause]);
    inner.figure("samples", line.samples);
  });
}

void say_kernel(const TraceInput& input, const SampleReader& reader, const SampledKernel& kernel, Outline& at) {
  const PcSamples& samples = input.summary.samples;
  at.section(kernel.name == kEmptyString ? "kernel not known"
                                         : shorten(printable(input.events.strings[kernel.name]), kLongestName));
  at.aside("where", of_rank(device_name(kernel.device), input.events, kernel.recording, kernel.rank));
  at.aside("counted", counted(kernel.samples, "sample", "samples"));
  at.aside("from", counted(kernel.dispatches, "dispatch", "dispatches"));
  at.aside("how", kernel.stochastic ? "by the hardware (stochastic)" : "by host trap");
  at.say("  {where}: {counted} ({of_all} of all) of {from}, taken {how}");
  say_outcomes(input.events, samples, kernel, at);
  say_means(kernel, at);
  at.show(instruction_table(input.events, reader, samples, kernel, at.most()));
  at.show(line_table(input.events, lines_of(reader, samples, kernel), kernel, at.most()));
}

}  // namespace

void outline_samples(const TraceInput& input, Outline& at) {
  const PcSamples& samples = input.summary.samples;
  at.figure("pc_samples.samples", samples.samples);
  if (samples.kernels.empty()) {
    at.figure("pc_samples.kernels", Json::array());
    return;
  }
  at.section(fmt::format("{} of the program counter", counted(samples.samples, "sample", "samples")));
  const SampleReader reader(input.events);
  const TableRows rows = input.rows(sampled_kernels_table);
  const size_t shown = std::min(at.most(), samples.kernels.size());
  size_t row = 0;
  at.list("pc_samples.kernels", std::span(samples.kernels).first(shown),
          [&](const SampledKernel& kernel, Outline& inner) {
            inner.figures(rows[row++]);
            add_kernel(input, reader, kernel, inner);
            if (!inner.is_data()) {
              say_kernel(input, reader, kernel, inner);
            }
          });
  if (shown < samples.kernels.size()) {
    at.section(counted(samples.kernels.size() - shown, "other sampled kernel", "other sampled kernels"));
  }
}

}  // namespace aaco::report
