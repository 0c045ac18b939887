// SPDX-License-Identifier: MIT
#include "analysis/timeline/samples/sampled_kernels.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/timeline/samples/dispatch_index.h"

namespace aaco {

namespace {

using MatchCount = DispatchIndex::MatchCount;

// A sample by what it is counted under.
struct Key {
  uint32_t kernel;
  StringId text;
  StringId source;
  uint32_t code_object : 30;  // index of those that are sampled
  uint32_t outcome : 2;
  uint64_t offset;
  StringId cause;
  EventRow row;
};

auto instruction_of(const Key& key) {
  return std::tuple(key.kernel, key.text, key.source, uint32_t{key.code_object}, key.offset);
}

auto order_of(const Key& key) {
  return std::tuple_cat(instruction_of(key), std::tuple(uint32_t{key.outcome}, key.cause, key.row));
}

class SampleCounter {
 public:
  SampleCounter(const EventTable& events, LossTable& losses) : events_(events), reader_(events), losses_(losses) {}

  PcSamples count() {
    if (!reader_.finds_any()) {
      return {};
    }
    read_samples();
    order_kernels();
    std::sort(keys_.view().begin(), keys_.view().end(),
              [](const Key& a, const Key& b) { return order_of(a) < order_of(b); });
    std::span<const Key> rest = keys_.view();
    for (uint32_t kernel = 0; kernel < result_.kernels.size(); ++kernel) {
      const std::span<const Key> keys = rest.first(result_.kernels[kernel].samples);
      count_dispatches(result_.kernels[kernel], keys);
      count_instructions(result_.kernels[kernel], keys);
      rest = rest.subspan(keys.size());
    }
    return std::move(result_);
  }

 private:
  void read_samples() {
    const DispatchIndex dispatches(events_, reader_);
    for (size_t i = 0; i < events_.size(); ++i) {
      if (!reader_.is_sample(i)) {
        continue;
      }
      const auto row = static_cast<EventRow>(i);
      const PcSample sample = reader_.read(i);
      const DispatchIndex::Kernel kernel = dispatches.kernel_of(row, sample);
      if (kernel.matches != MatchCount::kOne) {
        losses_.add(Loss::kSampleWithoutKernel, [&] {
          return fmt::format("dispatch {}: {}", sample.dispatch ? std::to_string(*sample.dispatch) : "not named",
                             kernel.matches == MatchCount::kNone ? "no kernel has it" : "several kernels have it");
        });
      }
      const uint32_t number = kernel_number(row, kernel, sample);
      add_to(result_.kernels[number], sample);
      const auto object = code_objects_.try_emplace(sample.code_object, static_cast<uint32_t>(code_objects_.size()));
      keys_.push_back({number, events_.name[i], sample.source, object.first->second & ((1U << 30U) - 1),
                       static_cast<uint32_t>(sample.outcome) & 3U, sample.offset, sample.cause, row});
      ++result_.samples;
    }
  }

  uint32_t kernel_number(EventRow row, const DispatchIndex::Kernel& dispatch, const PcSample& sample) {
    const bool known = dispatch.matches == MatchCount::kOne;
    const Track& track = events_.tracks[events_.track[known ? dispatch.row : row]];
    SampledKernel kernel;
    kernel.recording = track.recording;
    kernel.rank = track.rank;
    kernel.device = known ? track.device : kNoId;
    kernel.name = known ? events_.name[dispatch.row] : kEmptyString;
    kernel.stochastic = sample.outcome != WaveOutcome::kNotRecorded;
    const auto [at, added] =
        numbers_.try_emplace({kernel.recording, kernel.rank, kernel.device, kernel.name, kernel.stochastic},
                             static_cast<uint32_t>(result_.kernels.size()));
    if (added) {
      result_.kernels.push_back(kernel);
    }
    return at->second;
  }

  static void add_to(SampledKernel& kernel, const PcSample& sample) {
    ++kernel.samples;
    kernel.issued += sample.outcome == WaveOutcome::kIssued ? 1 : 0;
    kernel.not_issued += sample.outcome == WaveOutcome::kNotIssued ? 1 : 0;
    if (sample.active_waves && *sample.active_waves >= 0) {
      ++kernel.with_waves;
      kernel.active_waves += static_cast<uint64_t>(*sample.active_waves);
    }
    if (sample.active_lanes) {
      ++kernel.with_lanes;
      kernel.active_lanes += static_cast<uint64_t>(std::popcount(*sample.active_lanes));
    }
  }

  void order_kernels() {
    std::vector<uint32_t> order(result_.kernels.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    const auto place_of = [&](uint32_t number) {
      const SampledKernel& kernel = result_.kernels[number];
      return std::tuple(kernel.recording, kernel.rank, kernel.device, -static_cast<int64_t>(kernel.samples), number);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return place_of(a) < place_of(b); });
    std::vector<uint32_t> new_number(order.size());
    std::vector<SampledKernel> kernels;
    for (uint32_t i = 0; i < order.size(); ++i) {
      new_number[order[i]] = i;
      kernels.push_back(result_.kernels[order[i]]);
    }
    result_.kernels = std::move(kernels);
    for (Key& key : keys_.view()) {
      key.kernel = new_number[key.kernel];
    }
  }

  void count_dispatches(SampledKernel& kernel, std::span<const Key> keys) const {
    std::vector<int64_t> dispatches;
    for (const Key& key : keys) {
      if (const auto dispatch = reader_.dispatch_of(key.row)) {
        dispatches.push_back(*dispatch);
      }
    }
    std::sort(dispatches.begin(), dispatches.end());
    kernel.dispatches = static_cast<uint64_t>(std::unique(dispatches.begin(), dispatches.end()) - dispatches.begin());
  }

  void count_instructions(SampledKernel& kernel, std::span<const Key> keys) {
    kernel.first_instruction = result_.instructions.size();
    for (size_t first = 0, behind = 0; first < keys.size(); first = behind) {
      SampledInstruction instruction;
      instruction.sample = keys[first].row;
      instruction.first_outcome = static_cast<uint32_t>(result_.outcomes.size());
      while (behind < keys.size() && instruction_of(keys[behind]) == instruction_of(keys[first])) {
        const Key& key = keys[behind];
        size_t next = behind;
        while (next < keys.size() && instruction_of(keys[next]) == instruction_of(key) &&
               keys[next].cause == key.cause && keys[next].outcome == key.outcome) {
          ++next;
        }
        const auto outcome = static_cast<WaveOutcome>(key.outcome);
        const auto samples = static_cast<uint32_t>(next - behind);
        result_.outcomes.push_back({key.cause, samples, outcome});
        ++instruction.outcomes;
        instruction.samples += samples;
        instruction.issued += outcome == WaveOutcome::kIssued ? samples : 0;
        behind = next;
      }
      const auto outcomes = result_.outcomes.view().subspan(instruction.first_outcome);
      std::sort(outcomes.begin(), outcomes.end(), [](const SampledOutcome& a, const SampledOutcome& b) {
        return a.samples != b.samples ? a.samples > b.samples
                                      : std::tie(a.outcome, a.cause) < std::tie(b.outcome, b.cause);
      });
      result_.instructions.push_back(instruction);
    }
    const auto own = result_.instructions.view().subspan(kernel.first_instruction);
    std::sort(own.begin(), own.end(), [](const SampledInstruction& a, const SampledInstruction& b) {
      return a.samples != b.samples ? a.samples > b.samples : a.sample < b.sample;
    });
    kernel.instructions = own.size();
  }

  const EventTable& events_;
  const SampleReader reader_;
  LossTable& losses_;
  std::map<std::tuple<uint32_t, int64_t, int64_t, StringId, bool>, uint32_t> numbers_;  // of kernels
  std::map<uint64_t, uint32_t> code_objects_;
  GrowingArray<Key> keys_;
  PcSamples result_;
};

}  // namespace

PcSamples pc_samples(const EventTable& events, LossTable& losses) { return SampleCounter(events, losses).count(); }

std::string_view cause_name(std::string_view cause) {
  for (const std::string_view prefix :
       {"ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_", "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_"}) {
    if (cause.starts_with(prefix)) {
      return cause.substr(prefix.size());
    }
  }
  return cause;
}

}  // namespace aaco
