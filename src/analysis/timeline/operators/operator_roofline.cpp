// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_roofline.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/rates.h"
#include "analysis/timeline/operators/device_names.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

constexpr double kShort_ns = 10'000;
constexpr double kFarFromRoof = 0.5;

struct PrecisionName {
  std::string_view dtype;
  std::string_view precision;
};
constexpr auto kPrecisions = std::to_array<PrecisionName>({
    {"float64", "fp64"},
    {"float32", "fp32"},
    {"float16", "fp16"},
    {"bfloat16", "bf16"},
    {"float8e4m3fn", "fp8"},
    {"float8e4m3fnuz", "fp8"},
    {"float8e5m2", "fp8"},
    {"float8e5m2fnuz", "fp8"},
    {"int8", "int8"},
    {"uint8", "int8"},
});

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Single precision on tensor cores is the library's choice: its kernels' names say so, by the type or by the
// instruction (1688 is that of TF32).
bool uses_tf32(const EventTable& events, const OperatorRoof& op) {
  return std::any_of(op.kernels.begin(), op.kernels.end(), [&](const KernelShare& kernel) {
    const std::string_view name = events.strings[kernel.name];
    return contains(name, "tf32") || contains(name, "s1688");
  });
}

std::string precision_of(const EventTable& events, const OperatorRoof& op) {
  const auto found = std::find_if(kPrecisions.begin(), kPrecisions.end(),
                                  [&](const PrecisionName& one) { return one.dtype == op.work.dtype; });
  if (found == kPrecisions.end()) {
    return "";
  }
  return op.work.matrix && found->precision == "fp32" && uses_tf32(events, op) ? "tf32" : std::string(found->precision);
}

std::optional<double> rate_at(const std::map<std::string, double>& rates, const std::string& precision) {
  const auto found = rates.find(precision);
  return found == rates.end() ? std::nullopt : std::optional(found->second);
}

// Matrix units where they have the precision. Without them half precision is computed in single precision.
void set_rate(const Accelerator& accelerator, OperatorRoof& op) {
  if (op.work.matrix) {
    op.flops_per_s_roof = rate_at(accelerator.achievable, op.precision);
    op.reached = op.flops_per_s_roof.has_value();
    if (!op.reached) {
      op.flops_per_s_roof = rate_at(accelerator.matrix, op.precision);
    }
  }
  if (!op.flops_per_s_roof && (!op.work.matrix || op.precision == "fp32" || op.precision == "fp64")) {
    const bool half = op.precision == "fp16" || op.precision == "bf16";
    op.flops_per_s_roof = rate_at(accelerator.vector, half ? "fp32" : op.precision);
  }
}

void set_roof(const RankRoofline& rank, OperatorRoof& op) {
  if (!op.missing.empty()) {
    return;
  }
  if (!op.work.missing.empty()) {
    op.missing = op.shapes == kEmptyString ? "the shapes of its arguments are not recorded (record_shapes=True)"
                                           : op.work.missing;
    return;
  }
  if (!rank.accelerator) {
    op.missing = rank.device.empty() ? "the trace does not name its device"
                                     : fmt::format("nothing is known of the device \"{}\"", rank.device);
    return;
  }
  set_rate(*rank.accelerator, op);
  // Of whole numbers there is no peak on record: memory alone bounds those, as it does what only moves data.
  const bool needs_rate = op.work.matrix && *op.work.flops > 0;
  if ((needs_rate && !op.flops_per_s_roof) || !rank.accelerator->bytes_per_s) {
    op.missing =
        fmt::format("no {} of {} on record", needs_rate && !op.flops_per_s_roof ? op.work.dtype : "memory rate",
                    rank.accelerator->name);
    return;
  }
  RunRoofs roofs;
  roofs.flops_per_s = op.flops_per_s_roof.value_or(std::numeric_limits<double>::infinity());
  roofs.bytes_per_s = rank.accelerator->bytes_per_s;
  const auto roof = roof_time(roofs, op.work.flops, op.work.bytes);
  if (roof->ns <= 0) {
    op.missing = "it neither computes nor moves anything";
    return;
  }
  op.roof_ns = roof->ns;
  op.roof = roof->bound == "compute" ? RoofBound::kCompute : RoofBound::kMemory;
  const auto fraction = op.fraction();
  const double mean_ns = static_cast<double>(op.device_ns) / static_cast<double>(op.count);
  op.bound = fraction && mean_ns < kShort_ns && *fraction < kFarFromRoof ? RoofBound::kLatency : op.roof;
}

// What ran for it is no work of the device's own memory and units.
enum class Elsewhere : uint8_t { kNot, kHostCopy, kCommunication };
constexpr const char* kElsewhere[] = {"", "it copies between host and device, whose link is no roof on record",
                                      "it communicates: the links are its roof"};

Elsewhere elsewhere(const EventTable& events, uint64_t slice) {
  const std::string_view name = events.strings[events.name[slice]];
  if (events.kind[slice] == EventKind::kCopy) {
    return crosses_to_host(name) ? Elsewhere::kHostCopy : Elsewhere::kNot;
  }
  return events.kind[slice] == EventKind::kKernel && is_communication(name) ? Elsewhere::kCommunication
                                                                            : Elsewhere::kNot;
}

struct CallSlice {
  EventRow op;
  EventRow event;
};

// Calls with equal arguments.
struct Group {
  uint64_t count = 0;
  int64_t device_ns = 0;
  Elsewhere elsewhere = Elsewhere::kNot;
  std::map<StringId, KernelShare> kernels;
};

int64_t union_ns(const EventTable& events, const std::vector<CallSlice>& slices, size_t first, size_t behind) {
  std::vector<Span> spans;
  for (size_t i = first; i < behind; ++i) {
    spans.push_back({events.start_ns[slices[i].event], events.end_ns(slices[i].event)});
  }
  return length_ns(union_of(spans));
}

std::map<TorchCallKey, Group> group_calls(const EventTable& events, const RankOperators& rank,
                                          const TorchWorks& works) {
  std::vector<CallSlice> slices;
  slices.reserve(rank.slices.size());
  for (const LinkedSlice& slice : rank.slices) {
    if (slice.op != kNoEvent) {
      slices.push_back({slice.op, slice.event});
    }
  }
  std::sort(slices.begin(), slices.end(),
            [](const CallSlice& a, const CallSlice& b) { return std::tie(a.op, a.event) < std::tie(b.op, b.event); });
  std::map<TorchCallKey, Group> groups;
  for (size_t first = 0, behind = 0; first < slices.size(); first = behind) {
    while (behind < slices.size() && slices[behind].op == slices[first].op) {
      ++behind;
    }
    Group& group = groups[works.key_of(slices[first].op)];
    ++group.count;
    group.device_ns = saturating_sum(group.device_ns, union_ns(events, slices, first, behind));
    for (size_t i = first; i < behind; ++i) {
      const EventRow event = slices[i].event;
      KernelShare& kernel = group.kernels[events.name[event]];
      if (kernel.count == 0) {  // the name decides
        kernel.name = events.name[event];
        group.elsewhere = std::max(group.elsewhere, elsewhere(events, event));
      }
      ++kernel.count;
      kernel.total_ns = saturating_sum(kernel.total_ns, events.duration_ns[event]);
    }
  }
  return groups;
}

// What decides an operator's row: arguments that do not change its work (a learning rate) do not divide it.
auto row_key(const TorchCallKey& key, const TorchWork& work, Elsewhere elsewhere) {
  const MatrixProduct product = work.product.value_or(MatrixProduct());
  return std::tuple(key.name, key.dims, key.types, work.flops, work.bytes, product.transposed_a, product.transposed_b,
                    elsewhere);
}

struct Row {
  OperatorRoof op;
  std::map<StringId, KernelShare> kernels;
};

void add_to_row(Row& row, const Group& group) {
  row.op.count += group.count;
  row.op.device_ns = saturating_sum(row.op.device_ns, group.device_ns);
  for (const auto& [name, kernel] : group.kernels) {
    KernelShare& its = row.kernels[name];
    its.name = name;
    its.count += kernel.count;
    its.total_ns = saturating_sum(its.total_ns, kernel.total_ns);
  }
}

std::vector<OperatorRoof> rows_of(const std::map<TorchCallKey, Group>& groups, TorchWorks& works) {
  using RowKey = decltype(row_key({}, {}, Elsewhere::kNot));
  std::map<RowKey, Row> rows;
  for (const auto& [key, group] : groups) {
    const TorchWork& work = works.of(key);
    Row& row = rows[row_key(key, work, group.elsewhere)];
    row.op.name = key.name;
    row.op.shapes = key.dims;
    row.op.types = key.types;
    row.op.work = work;
    row.op.missing = kElsewhere[static_cast<size_t>(group.elsewhere)];
    row.op.communicates = group.elsewhere == Elsewhere::kCommunication;
    add_to_row(row, group);
  }
  std::vector<OperatorRoof> ordered;
  for (auto& [key, row] : rows) {
    for (const auto& [name, kernel] : row.kernels) {
      row.op.kernels.push_back(kernel);
    }
    std::stable_sort(row.op.kernels.begin(), row.op.kernels.end(),
                     [](const KernelShare& a, const KernelShare& b) { return a.total_ns > b.total_ns; });
    ordered.push_back(std::move(row.op));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const OperatorRoof& a, const OperatorRoof& b) { return a.device_ns > b.device_ns; });
  return ordered;
}

std::optional<double> per_second(const std::optional<double>& amount, uint64_t count, int64_t ns) {
  return amount && ns > 0 ? std::optional(*amount * static_cast<double>(count) * 1e9 / static_cast<double>(ns))
                          : std::nullopt;
}

}  // namespace

const char* roof_bound_name(RoofBound bound) {
  static constexpr const char* kNames[] = {"unknown", "compute", "memory", "latency"};
  return kNames[static_cast<size_t>(bound)];
}

std::optional<double> OperatorRoof::flops_per_s() const { return per_second(work.flops, count, device_ns); }
std::optional<double> OperatorRoof::bytes_per_s() const { return per_second(work.bytes, count, device_ns); }

std::optional<double> OperatorRoof::intensity() const {
  return work.flops && work.bytes && *work.bytes > 0 ? std::optional(*work.flops / *work.bytes) : std::nullopt;
}

std::optional<double> OperatorRoof::fraction() const {
  return roof_ns && device_ns > 0
             ? std::optional(*roof_ns * static_cast<double>(count) / static_cast<double>(device_ns))
             : std::nullopt;
}

std::vector<RankRoofline> operator_roofline(const EventTable& events, const std::vector<RankOperators>& ranks,
                                            TorchWorks& works, const RoofSources& sources) {
  const DeviceNames names(events);
  std::vector<RankRoofline> all;
  for (const RankOperators& rank : ranks) {
    RankRoofline one;
    one.recording = rank.recording;
    one.rank = rank.rank;
    one.device = names.of(events, rank);
    one.accelerator = sources.given;
    if (!one.accelerator) {
      const Accelerator* found = find_accelerator(sources.accelerators, one.device);
      one.accelerator = found == nullptr ? std::nullopt : std::optional(*found);
    }
    one.operators = rows_of(group_calls(events, rank, works), works);
    for (OperatorRoof& op : one.operators) {
      op.precision = precision_of(events, op);
      set_roof(one, op);
      one.operators_ns = saturating_sum(one.operators_ns, op.communicates ? 0 : op.device_ns);
      one.roofed_ns = saturating_sum(one.roofed_ns, op.roof_ns ? op.device_ns : 0);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace aaco
