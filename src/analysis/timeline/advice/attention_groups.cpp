// SPDX-License-Identifier: MIT
#include "analysis/timeline/advice/attention_groups.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "analysis/timeline/operators/framework_calls.h"

namespace aaco {

namespace {

constexpr size_t kMostBetween = 12;  // kernels between a product and the softmax: scale, mask, conversion, dropout
constexpr int64_t kWidestHead = 256;
constexpr double kMostElements = 1e18;  // what an array cannot have; a file may say so

struct SoftmaxShape {
  bool backward = false;
  double elements = 0;
  int64_t keys = 0;
};

class GroupFinder {
 public:
  GroupFinder(const AdviceInput& input, const RankOperators& rank, std::span<const uint32_t> order)
      : input_(input), rank_(rank), order_(order) {}

  std::vector<AttentionGroup> find() {
    std::vector<AttentionGroup> all;
    size_t from = 0;  // behind the last group
    for (size_t place = 0; place < order_.size(); ++place) {
      const auto shape = softmax_at(place);
      if (!shape) {
        continue;
      }
      if (auto group = group_around(place, from, *shape)) {
        from = group->last + 1;
        place = group->last;
        all.push_back(std::move(*group));
      }
    }
    return all;
  }

 private:
  EventRow op_at(size_t place) const { return rank_.slices[order_[place]].op; }
  std::optional<SoftmaxShape> softmax_at(size_t place) const;
  const CallWork* product_at(size_t place) const;
  std::vector<size_t> products(size_t place, size_t from, bool ahead, double elements, size_t most) const;
  std::optional<AttentionGroup> group_around(size_t place, size_t from, const SoftmaxShape& shape) const;

  const AdviceInput& input_;
  const RankOperators& rank_;
  std::span<const uint32_t> order_;
};

std::optional<SoftmaxShape> GroupFinder::softmax_at(size_t place) const {
  const EventRow op = op_at(place);
  if (op == kNoEvent) {
    return std::nullopt;
  }
  const std::string_view name = input_.events.strings[input_.events.name[op]];
  const bool backward = name == "aten::_softmax_backward_data";
  if (!backward && name != "aten::_softmax" && name != "aten::softmax" && name != "aten::_safe_softmax") {
    return std::nullopt;
  }
  const TorchCall call = torch_call(input_.events.strings, input_.works.key_of(op));
  if (call.arguments.empty() || call.arguments.front().shapes.empty() ||
      call.arguments.front().shapes.front().empty()) {
    return std::nullopt;
  }
  const std::vector<int64_t>& dims = call.arguments.front().shapes.front();
  const double elements = std::accumulate(
      dims.begin(), dims.end(), 1.0, [](double product, int64_t dim) { return product * static_cast<double>(dim); });
  return elements > 0 && elements < kMostElements && dims.back() > 0
             ? std::optional(SoftmaxShape{backward, elements, dims.back()})
             : std::nullopt;
}

const CallWork* GroupFinder::product_at(size_t place) const {
  const EventRow op = op_at(place);
  if (op == kNoEvent) {
    return nullptr;
  }
  const CallWork& work = input_.works.work(op);
  return work.product && work.flops ? &work : nullptr;
}

double elements_of(const MatrixProduct& product, int64_t MatrixProduct::* rows, int64_t MatrixProduct::* columns) {
  return static_cast<double>(product.batch) * static_cast<double>(product.*rows) *
         static_cast<double>(product.*columns);
}

bool has_matrix_of(const MatrixProduct& product, double elements) {
  using Product = MatrixProduct;
  return elements_of(product, &Product::m, &Product::n) == elements ||
         elements_of(product, &Product::m, &Product::k) == elements ||
         elements_of(product, &Product::k, &Product::n) == elements;
}

// The nearest products before or after `place`, one place of each; another product ends the search.
std::vector<size_t> GroupFinder::products(size_t place, size_t from, bool ahead, double elements, size_t most) const {
  std::vector<size_t> group;
  EventRow last = kNoEvent;
  for (size_t step = 1, between = 0; between <= kMostBetween && group.size() <= most; ++step) {
    if (ahead ? place + step >= order_.size() : place < from + step) {
      break;
    }
    const size_t here = ahead ? place + step : place - step;
    const CallWork* const work = product_at(here);
    if (work == nullptr) {
      ++between;
      continue;
    }
    if (op_at(here) == last) {  // another kernel of the same
      group.back() = here;
      continue;
    }
    if (group.size() == most || !has_matrix_of(*work->product, elements)) {
      break;
    }
    last = op_at(here);
    group.push_back(here);
    between = 0;
  }
  return group;
}

std::optional<AttentionGroup> GroupFinder::group_around(size_t place, size_t from, const SoftmaxShape& shape) const {
  const size_t most = shape.backward ? 2 : 1;
  const std::vector<size_t> before = products(place, from, false, shape.elements, most);
  const std::vector<size_t> after = products(place, from, true, shape.elements, most);
  if (before.size() < most || after.size() < most) {
    return std::nullopt;
  }
  const CallWork& scores = *product_at(before.front());
  const MatrixProduct& product = *scores.product;
  const bool gives_scores = elements_of(product, &MatrixProduct::m, &MatrixProduct::n) == shape.elements;
  AttentionGroup group;
  group.backward = shape.backward;
  group.first = before.back();
  group.last = after.back();
  group.product = op_at(before.front());
  group.softmax = op_at(place);
  group.keys = shape.keys;
  group.rows = static_cast<int64_t>(shape.elements) / shape.keys;
  group.width = gives_scores ? product.k : std::min({product.m, product.n, product.k});
  group.dtype = scores.dtype;
  for (const std::vector<size_t>& side : {before, after}) {
    for (const size_t member : side) {
      group.flops += *product_at(member)->flops;
    }
  }
  const double key_rows = static_cast<double>(product.batch) * static_cast<double>(shape.keys);
  group.elements = 2 * static_cast<double>(group.width) * (static_cast<double>(group.rows) + key_rows);
  group.elements *= shape.backward ? 2 : 1;
  return group.width <= kWidestHead ? std::optional(group) : std::nullopt;
}

}  // namespace

std::vector<AttentionGroup> attention_groups(const AdviceInput& input, const RankOperators& rank,
                                             std::span<const uint32_t> order) {
  return GroupFinder(input, rank, order).find();
}

}  // namespace aaco
