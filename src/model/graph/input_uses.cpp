// SPDX-License-Identifier: MIT
#include "model/graph/input_uses.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/graph/declared_types.h"
#include "model/graph/node_view.h"
#include "model/graph/shapes/consumers.h"
#include "model/input_names.h"
#include "onnx.pb.h"

namespace aaco {

namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

// The x, not negative, for which factor * x + [low_offset, high_offset] lies in [low, high].
ValueRange solved(const InputTrace& trace, int64_t low, int64_t high) {
  ValueRange x;
  if (trace.factor > 0) {
    x = {ceil_div(low - trace.low_offset, trace.factor), floor_div(high - trace.high_offset, trace.factor)};
  } else {
    x = {ceil_div(trace.high_offset - high, -trace.factor), floor_div(trace.low_offset - low, -trace.factor)};
  }
  x.low = std::max<int64_t>(x.low, 0);
  x.high = trace.highest ? std::min(x.high, *trace.highest) : x.high;
  return x;
}

bool is_solvable(const InputTrace& trace) {
  return trace.exact && trace.factor != 0 && std::abs(trace.factor) < kMaxDim && std::abs(trace.low_offset) < kMaxDim &&
         std::abs(trace.high_offset) < kMaxDim && trace.divisor < kMaxDim;
}

std::string node_text(const NodeView& node) {
  const std::string& name = node.node().name();
  return valid_utf8(node.node().op_type() + (name.empty() ? "" : " " + name));
}

void narrow(std::optional<ValueRange>& known, ValueRange range) {
  if (!known) {
    known = range;
    return;
  }
  const ValueRange both{std::max(known->low, range.low), std::min(known->high, range.high)};
  if (both.low <= both.high) {
    known = both;
  }
}

void note_index(const NodeView& node, const Consumer& consumer, const InputTrace& trace, InputUse& use) {
  const std::vector<int64_t> sizes = consumer.sizes(node);
  std::vector<ValueRange> ranges;
  for (const int64_t size : sizes) {
    if (const auto range = range_of(trace, size)) {
      ranges.push_back(*range);
    }
  }
  if (ranges.empty() || ranges.size() != sizes.size()) {
    return;
  }
  ValueRange all = ranges.front();
  for (const ValueRange& range : ranges) {
    all = {std::max(all.low, range.low), std::min(all.high, range.high)};
  }
  if (all.low > all.high) {
    return;
  }
  if (ranges.size() > 1 && trace.last_axis && use.columns.empty() && !use.range) {
    use.columns = ranges;
  }
  const int64_t before = use.range ? use.range->high : INT64_MAX;
  narrow(use.range, all);
  if (use.range_why.empty() || use.range->high < before) {
    const auto table = static_cast<size_t>(consumer.data);
    const bool named = consumer.data >= 0 && table < static_cast<size_t>(node.node().input_size());
    use.range_why =
        fmt::format("they index {} {} of {} ({})", *std::ranges::min_element(sizes),
                    *std::ranges::min_element(sizes) == 1 ? "row" : "rows",
                    named ? valid_utf8(node.node().input(static_cast<int>(table))) : "a table", node_text(node));
  }
}

void note_length(const NodeView& node, const Consumer& consumer, const InputTrace& trace, InputUse& use) {
  const std::vector<int64_t> wanted = consumer.sizes(node);
  if (wanted.empty() || wanted.front() < 0 || !is_solvable(trace)) {
    use.decides = fmt::format("{} of {}", consumer.what, node_text(node));
    use.decides_reduced = use.decides_reduced || trace.reduced;
    return;
  }
  // The largest x that gives no more than what is wanted.
  const ValueRange x = solved(trace, 0, (wanted.front() + 1) * trace.divisor - 1);
  use.length = std::min(use.length.value_or(x.high), x.high);
  use.length_why = fmt::format("{} of {}", consumer.what, node_text(node));
}

void add_examples(const std::vector<int64_t>& wanted, const InputTrace& trace, InputUse& use) {
  if (wanted.empty() || !is_solvable(trace)) {
    return;
  }
  const auto all = static_cast<int64_t>(wanted.size());
  const bool alike = std::ranges::all_of(wanted, [&](int64_t value) { return value == wanted.front(); });
  const int64_t first = trace.first.value_or(0);
  if (!trace.first && !alike) {
    return;
  }
  const int64_t end = trace.count >= 0 ? std::min(all, trace.at + trace.count) : all;
  for (int64_t i = trace.at; i < end; ++i) {
    const int64_t y = wanted[static_cast<size_t>(i)] * trace.divisor;
    use.example.try_emplace(first + i - trace.at, floor_div(y - trace.low_offset, trace.factor));
  }
}

void note_size(const NodeView& node, const Consumer& consumer, const InputTrace& trace, InputUse& use) {
  if (use.decides.empty() || (use.decides_reduced && !trace.reduced)) {
    use.decides = fmt::format("{} of {}", consumer.what, node_text(node));
    use.decides_reduced = trace.reduced;
  }
  add_examples(consumer.sizes(node), trace, use);
}

bool is_known_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx" || domain == "com.microsoft" || domain == "ai.onnx.ml";
}

}  // namespace

InputTraces trace_of_input(const std::string& name, const TensorFacts& facts) {
  const auto type = element_of_name(facts.dtype);
  if (!type || *type == ElementType::kString || *type == ElementType::kBool || names_mask(name)) {
    return nullptr;
  }
  InputTrace trace;
  trace.input = valid_utf8(name);
  if (facts.shape && facts.shape->size() <= 1) {
    trace.first = 0;
    trace.count = facts.shape->empty() ? 1 : facts.shape->front();
  }
  return std::make_shared<const std::vector<InputTrace>>(1, std::move(trace));
}

std::vector<InputTraces> passed_to_body(const std::vector<const TensorFacts*>& inputs, bool is_loop) {
  std::vector<InputTraces> traces;
  for (size_t i = 0; i < inputs.size(); ++i) {
    traces.push_back(inputs[i] == nullptr || (is_loop && i < 2) ? nullptr : inputs[i]->traces);
  }
  return traces;
}

std::optional<ValueRange> range_of(const InputTrace& trace, int64_t size) {
  if (size <= 0 || !is_solvable(trace) || size > kMaxDim || trace.divisor > kMaxDim / size) {
    return std::nullopt;
  }
  const ValueRange forwards = solved(trace, 0, size * trace.divisor - 1);
  const ValueRange backwards = solved(trace, -size * trace.divisor, -1);
  const ValueRange wider = backwards.high - backwards.low > forwards.high - forwards.low ? backwards : forwards;
  return wider.low <= wider.high ? std::optional(wider) : std::nullopt;
}

void note_uses(const NodeView& node, InputUses& uses) {
  if (!is_known_domain(node.node().domain())) {
    return;
  }
  for (size_t i = 0; i < node.input_count(); ++i) {
    const TensorFacts* facts = node.input(i);
    if (facts == nullptr || facts->traces == nullptr) {
      continue;
    }
    const Consumer* consumer = consumer_of(node, i);
    if (consumer == nullptr) {
      continue;
    }
    for (const InputTrace& trace : *facts->traces) {
      InputUse& use = uses[trace.input];
      switch (consumer->role) {
        case ValueRole::kIndex:
          note_index(node, *consumer, trace, use);
          break;
        case ValueRole::kLength:
          note_length(node, *consumer, trace, use);
          break;
        case ValueRole::kSize:
          note_size(node, *consumer, trace, use);
          break;
        case ValueRole::kChoice:
          use.choice = fmt::format("{} of {}", consumer->what, node_text(node));
          break;
      }
    }
  }
}

}  // namespace aaco
