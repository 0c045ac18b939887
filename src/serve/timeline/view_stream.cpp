// SPDX-License-Identifier: MIT
// The columns of a view, each written where the answer has it.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "serve/arrow/arrow_stream.h"
#include "serve/timeline/viewport.h"

namespace aaco::serve {

namespace {

// Numbers of the names that an answer uses. Most boxes bear one of few: those are looked up without a search.
class UsedNames {
 public:
  explicit UsedNames(const TimelineIndex& index) : index_(index) { recent_.fill({UINT32_MAX, 0}); }

  uint32_t number_of(uint32_t label) {
    RecentLabel& recent = recent_[label % recent_.size()];
    if (recent.label != label || label == UINT32_MAX) {
      const auto [place, is_new] = numbers_.try_emplace(label, static_cast<uint32_t>(texts_.size()));
      if (is_new) {
        texts_.push_back(as_utf8(index_.name_of(label)));
      }
      recent = {label, place->second};
    }
    return recent.number;
  }
  std::string text() const { return json_text(texts_); }

 private:
  struct RecentLabel {
    uint32_t label;
    uint32_t number;
  };
  const TimelineIndex& index_;
  std::array<RecentLabel, 256> recent_;
  std::unordered_map<uint32_t, uint32_t> numbers_;
  Json texts_ = Json::array();
};

enum ViewColumn : size_t {
  kTrack,
  kLane,
  kStart,
  kDuration,
  kCount,
  kLongest,
  kEvent,
  kName,
  kCategory,
  kValueMin,
  kValueMax,
  kValueLast,
};

template <class Value, class Get>
void fill(ArrowStream& stream, size_t column, const ViewBoxes& boxes, const Get& get) {
  Value* const values = stream.values<Value>(column);
  for (size_t i = 0; i < boxes.size(); ++i) {
    values[i] = static_cast<Value>(get(boxes[i]));
  }
}

// Which rows have a value: slices some columns, counters the others.
void fill_validity(ArrowStream& stream, const ViewBoxes& boxes, uint64_t slices) {
  std::vector<uint8_t> is_slice(stream.validity_bytes());
  for (size_t i = 0; i < boxes.size(); ++i) {
    is_slice[i / 8] = static_cast<uint8_t>(is_slice[i / 8] | (boxes[i].is_counter ? 0U : 1U << (i % 8)));
  }
  const auto put = [&](ViewColumn first, ViewColumn last, uint8_t flip) {
    for (size_t column = first; column <= last; ++column) {
      std::transform(is_slice.begin(), is_slice.end(), stream.validity(column),
                     [&](uint8_t bits) { return static_cast<uint8_t>(bits ^ flip); });
    }
  };
  if (slices < boxes.size()) {
    put(kLongest, kCategory, 0);
  }
  if (slices > 0) {
    put(kValueMin, kValueLast, UINT8_MAX);
  }
}

}  // namespace

std::string view_stream(const TimelineIndex& index, const ViewBoxes& boxes) {
  UsedNames names(index);
  std::vector<uint32_t> numbers(boxes.size());
  uint64_t slices = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    slices += boxes[i].is_counter ? 0 : 1;
    numbers[i] = boxes[i].is_counter ? 0 : names.number_of(boxes[i].label);
  }
  const uint64_t counters = boxes.size() - slices;
  const std::array<ArrowField, 12> fields = {{{"track", ArrowType::kUint32},
                                              {"lane", ArrowType::kUint16},
                                              {"start", ArrowType::kDouble},
                                              {"duration", ArrowType::kDouble},
                                              {"count", ArrowType::kUint32},
                                              {"longest", ArrowType::kDouble, counters},
                                              {"event", ArrowType::kDouble, counters},
                                              {"name", ArrowType::kUint32, counters},
                                              {"category", ArrowType::kUint8, counters},
                                              {"value_min", ArrowType::kDouble, slices},
                                              {"value_max", ArrowType::kDouble, slices},
                                              {"value_last", ArrowType::kDouble, slices}}};
  ArrowStream stream(fields, boxes.size(), {{"names", names.text()}});
  fill<uint32_t>(stream, kTrack, boxes, [](const ViewBox& box) { return box.track; });
  fill<uint16_t>(stream, kLane, boxes, [](const ViewBox& box) { return box.lane; });
  fill<double>(stream, kStart, boxes, [](const ViewBox& box) { return box.start_ns; });
  fill<double>(stream, kDuration, boxes, [](const ViewBox& box) { return box.duration_ns; });
  fill<uint32_t>(stream, kCount, boxes, [](const ViewBox& box) { return box.count; });
  std::copy(numbers.begin(), numbers.end(), stream.values<uint32_t>(kName));
  if (slices > 0) {
    fill<double>(stream, kLongest, boxes, [](const ViewBox& box) { return box.longest_ns; });
    fill<double>(stream, kEvent, boxes, [](const ViewBox& box) { return box.event; });
    fill<uint8_t>(stream, kCategory, boxes,
                  [&](const ViewBox& box) { return box.is_counter ? 0 : index.category_of(box.label); });
  }
  if (counters > 0) {
    fill<double>(stream, kValueMin, boxes, [](const ViewBox& box) { return box.least; });
    fill<double>(stream, kValueMax, boxes, [](const ViewBox& box) { return box.most; });
    fill<double>(stream, kValueLast, boxes, [](const ViewBox& box) { return box.last; });
  }
  fill_validity(stream, boxes, slices);
  return stream.finish();
}

}  // namespace aaco::serve
