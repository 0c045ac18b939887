// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/nonfinite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/json/json.h"

namespace aaco {

namespace {

constexpr double kSmallestTried = 1e-3;
constexpr size_t kMostSuspects = 6;

std::vector<std::string> names_in(const std::string& json) {
  const auto parsed = parse_json(json, "tensor names");
  return parsed && parsed->is_array() ? parsed->get<std::vector<std::string>>() : std::vector<std::string>{};
}

// Names of tensors that the outputs are computed from. Bodies belong to their control-flow node, whose name their
// scope has, so that all of them count.
std::set<std::string> tensors_behind(const ModelGraph& graph, const std::vector<std::string>& outputs) {
  std::set<std::string> behind(outputs.begin(), outputs.end());
  bool more = true;
  while (more) {
    more = false;
    // Backwards: a node stands behind those that it reads from.
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
      const bool needed = !node->scope.empty() || std::ranges::any_of(names_in(node->outputs), [&](const auto& name) {
        return behind.contains(name);
      });
      if (needed) {
        for (std::string& input : names_in(node->inputs)) {
          more = behind.insert(std::move(input)).second || more;
        }
      }
    }
  }
  return behind;
}

}  // namespace

std::string count_nonfinite(const HostTensor& tensor) {
  int64_t nan = 0;
  int64_t infinite = 0;
  const int64_t count = element_count(tensor.dims).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    const double value = element_as_double(tensor, i).value_or(0);
    nan += std::isnan(value) ? 1 : 0;
    infinite += std::isinf(value) ? 1 : 0;
  }
  return nan + infinite == 0 ? "NaN or infinity"
                             : fmt::format("{} of {} elements are NaN, {} infinite", nan, count, infinite);
}

bool is_made_mask(const InputNote& note) { return note.values == "ones" || note.values == "zeros"; }

HostTensor other_values(const HostTensor& tensor, const InputNote& note) {
  HostTensor other = tensor;
  if (note.values == "ones") {
    std::ranges::fill(other.data, uint8_t{0});
  } else if (note.values == "zeros" && element_bits(tensor.type) == 8) {
    std::ranges::fill(other.data, uint8_t{1});
  } else if (tensor.type == ElementType::kFloat) {
    for (int64_t i = 0; i < element_count(tensor.dims).value_or(0); ++i) {
      const auto magnitude = static_cast<float>(std::abs(*element_as_double(tensor, i)) + kSmallestTried);
      std::memcpy(other.data.data() + static_cast<size_t>(i) * sizeof magnitude, &magnitude, sizeof magnitude);
    }
  } else {
    other.data.clear();
  }
  return other;
}

void tell_nonfinite(const WorkerResult& inspected, const ModelGraph& graph,
                    const std::map<std::string, std::string>& files, RunFacts& facts) {
  for (size_t i = 0; i < inspected.nonfinite_outputs.size(); ++i) {
    facts.nonfinite_outputs.push_back(
        fmt::format("{} ({})", inspected.nonfinite_outputs[i], inspected.nonfinite_counts[i]));
  }
  if (facts.nonfinite_outputs.empty()) {
    return;
  }
  const std::set<std::string> behind = tensors_behind(graph, inspected.nonfinite_outputs);
  for (const PortNote& input : inspected.inputs) {
    const bool cure = std::ranges::find(inspected.suspects, input.name) != inspected.suspects.end();
    const bool suspect = inspected.suspects.empty() ? graph.nodes.empty() || behind.contains(input.name) : cure;
    if (suspect && !files.contains(input.name)) {
      facts.made_suspects.push_back(fmt::format("{} ({}{})", input.name, input.values,
                                                cure ? "; of positive numbers the outputs are finite" : ""));
    }
  }
}

std::string nonfinite_reason(const RunFacts& facts) {
  if (facts.nonfinite_outputs.empty()) {
    return "an output holds NaN or infinity";
  }
  std::vector<std::string> suspects = facts.made_suspects;
  const size_t left_out = suspects.size() > kMostSuspects ? suspects.size() - kMostSuspects : 0;
  suspects.resize(suspects.size() - left_out);
  const std::string made = suspects.empty() ? "; its inputs are the given ones"
                                            : fmt::format("; aaco made {}{}: give your own with --input NAME=FILE",
                                                          fmt::join(suspects, ", "),
                                                          left_out > 0 ? fmt::format(" and {} more", left_out) : "");
  return fmt::format("output{} {} {} NaN or infinity{}", facts.nonfinite_outputs.size() == 1 ? "" : "s",
                     fmt::join(facts.nonfinite_outputs, ", "), facts.nonfinite_outputs.size() == 1 ? "holds" : "hold",
                     made);
}

}  // namespace aaco
