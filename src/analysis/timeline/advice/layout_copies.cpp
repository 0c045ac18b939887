// SPDX-License-Identifier: MIT
// Kernels that only change how a tensor lies in memory.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "analysis/timeline/advice/patterns.h"
#include "analysis/timeline/operators/call_paths.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// From channels first to channels last and back, as cuDNN, MIOpen and their compilers name them.
constexpr std::array<std::string_view, 5> kLayoutKernels = {"nchwtonhwc", "nhwctonchw", "nchw2nhwc", "nhwc2nchw",
                                                            "batched_transpose"};

bool changes_channels(std::string_view kernel) {
  return std::any_of(kLayoutKernels.begin(), kLayoutKernels.end(),
                     [&](std::string_view mark) { return has_mark(kernel, mark); });
}

// .contiguous(), and a reshape that no view can be: each copies within one type.
bool changes_layout(std::string_view op) { return op == "aten::contiguous" || op == "aten::reshape"; }

class LayoutFinder {
 public:
  LayoutFinder(const EventTable& events, const RankOperators& rank)
      : events_(events),
        paths_of_(operator_paths(
            events, rank.operators, [&](EventRow row) { return events.name[row]; }, paths_)),
        operators_(rank.operators) {}

  // The operator around the one that copies: what asked for the layout. kEmptyString: none did.
  StringId asked_by(EventRow op) const {
    const auto position = std::lower_bound(operators_.begin(), operators_.end(), op);
    if (events_.strings[events_.name[op]] != "aten::copy_" || position == operators_.end() || *position != op) {
      return kEmptyString;
    }
    uint32_t path = paths_[paths_of_[static_cast<size_t>(position - operators_.begin())]].outer;
    for (size_t level = 0; path != CallPaths::kNone && level < 3; ++level, path = paths_[path].outer) {
      if (changes_layout(events_.strings[paths_[path].name])) {
        return paths_[path].name;
      }
    }
    return kEmptyString;
  }

 private:
  const EventTable& events_;
  CallPaths paths_;
  std::vector<uint32_t> paths_of_;
  const std::vector<EventRow>& operators_;
};

struct LayoutSum {
  uint64_t channels = 0;
  int64_t channels_ns = 0;
  uint64_t copies = 0;
  int64_t copies_ns = 0;
  TimeByName names;
  std::map<StringId, int64_t> operators_ns;

  int64_t total_ns() const { return saturating_sum(channels_ns, copies_ns); }
};

LayoutSum layouts_of(const EventTable& events, const RankOperators& rank) {
  LayoutSum sum;
  const LayoutFinder finder(events, rank);
  for (const LinkedSlice& slice : rank.slices) {
    if (events.kind[slice.event] != EventKind::kKernel) {
      continue;
    }
    const int64_t ns = events.duration_ns[slice.event];
    if (changes_channels(events.strings[events.name[slice.event]])) {
      ++sum.channels;
      sum.channels_ns = saturating_sum(sum.channels_ns, ns);
      sum.names.add(events.name[slice.event], ns);
      continue;
    }
    const StringId asked = slice.op == kNoEvent ? kEmptyString : finder.asked_by(slice.op);
    if (asked != kEmptyString) {
      ++sum.copies;
      sum.copies_ns = saturating_sum(sum.copies_ns, ns);
      sum.names.add(asked, ns);
      int64_t& its_ns = sum.operators_ns[events.name[slice.op]];
      its_ns = saturating_sum(its_ns, ns);
    }
  }
  return sum;
}

std::string evidence_of(const LayoutSum& sum) {
  std::string text;
  if (sum.channels > 0) {
    text += fmt::format("{} kernels between channels first and channels last took {}; ", sum.channels,
                        time_text(sum.channels_ns));
  }
  if (sum.copies > 0) {
    text += fmt::format("{} copies of .contiguous() and reshape took {}; ", sum.copies, time_text(sum.copies_ns));
  }
  return text + "most by ";
}

std::string remedy_of(const LayoutSum& sum) {
  return sum.channels_ns > sum.copies_ns
             ? "The library's convolutions want another layout than the tensors have: keep model and input in channels "
               "last throughout (model.to(memory_format=torch.channels_last), the input too)."
             : "Write results in the layout that the next operator reads, or give that operator the view: einsum and "
               "scaled_dot_product_attention take strides, .contiguous() and a reshape behind a transpose copy.";
}

}  // namespace

std::vector<TraceFinding> layout_copies(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const RankOperators& rank : input.operators) {
    const LayoutSum sum = layouts_of(input.events, rank);
    TraceFinding finding = finding_of("layout-copies", input.windows, rank.recording, rank.rank);
    finding.subject = "copies into another layout";
    finding.cost_ns = sum.total_ns();
    finding.saves_ns = static_cast<double>(sum.total_ns());
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: all of their time";
    finding.bound = "memory";
    finding.where = sum.names.longest(input.events.strings);
    finding.evidence = evidence_of(sum) + quoted(finding.where);
    finding.figures = {{"time", finding.saves_ns, "ns"},
                       {"channel_kernels", static_cast<double>(sum.channels), "1"},
                       {"channel_time", static_cast<double>(sum.channels_ns), "ns"},
                       {"copies", static_cast<double>(sum.copies), "1"},
                       {"copy_time", static_cast<double>(sum.copies_ns), "ns"}};
    finding.remedy = remedy_of(sum);
    finding.source = "PyTorch documentation, Performance Tuning Guide: channels last";
    finding.explains.operators_ns = sum.operators_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
