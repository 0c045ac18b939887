// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_roofline.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/model_run/rates.h"
#include "analysis/timeline/memory/allocator_use.h"
#include "analysis/timeline/operators/device_names.h"
#include "record/intervals.h"

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
  const auto precision = std::find_if(kPrecisions.begin(), kPrecisions.end(),
                                      [&](const PrecisionName& name) { return name.dtype == op.work.dtype; });
  if (precision == kPrecisions.end()) {
    return "";
  }
  return op.work.matrix && precision->precision == "fp32" && uses_tf32(events, op) ? "tf32"
                                                                                   : std::string(precision->precision);
}

std::optional<double> rate_at(const std::map<std::string, double>& rates, const std::string& precision) {
  const auto rate = rates.find(precision);
  return rate == rates.end() ? std::nullopt : std::optional(rate->second);
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
    op.missing = op.shapes == kEmptyString && op.work.family != OpFamily::kUnknown
                     ? "the shapes of its arguments are not recorded (PyTorch records them with record_shapes=True)"
                     : op.work.missing;
    return;
  }
  if (!rank.accelerator) {
    op.missing = rank.on_host          ? "no roofs are given (--roofs)"
                 : rank.device.empty() ? "the trace does not name its device"
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
  op.roof = roof->bound;
  const auto fraction = op.fraction();
  const double mean_ns = static_cast<double>(op.time_ns) / static_cast<double>(op.count);
  op.bound = fraction && mean_ns < kShort_ns && *fraction < kFarFromRoof ? RoofBound::kLatency : op.roof;
}

// What decides an operator's row: arguments that do not change its work (a learning rate) do not divide it.
auto row_key(const OperatorKey& key, const CallWork& work, WorkPlace place) {
  const MatrixProduct product = work.product.value_or(MatrixProduct());
  return std::tuple(key.name, key.dims, key.types, key.outputs, work.flops, work.bytes, product.transposed_a,
                    product.transposed_b, place);
}

// By place: why it has no roof here.
constexpr const char* kNotHere[] = {
    "", "operators within it do its work", "its provider runs it elsewhere, and the profile holds no time of that",
    "it copies between host and device, whose link is no roof on record", "it communicates: the links are its roof"};

struct Row {
  OperatorRoof op;
  std::map<StringId, KernelShare> kernels;
};

void add_to_row(Row& row, const CallGroup& group) {
  row.op.count += group.count;
  row.op.time_ns = saturating_sum(row.op.time_ns, group.time_ns);
  for (const auto& [name, kernel] : group.kernels) {
    KernelShare& kernel_share = row.kernels[name];
    kernel_share.name = name;
    kernel_share.count += kernel.count;
    kernel_share.total_ns = saturating_sum(kernel_share.total_ns, kernel.total_ns);
  }
}

// Of thousands of shapes each is held once: what was read is given back at once, and nothing is sorted through a copy.
std::vector<OperatorRoof> rows_of(CallGroups groups, OperatorWorks& works) {
  using RowKey = decltype(row_key({}, {}, WorkPlace::kHere));
  std::map<RowKey, Row> rows;
  while (!groups.empty()) {
    const auto group = groups.extract(groups.begin());
    const auto& [key, place] = group.key();
    const CallWork& work = works.work(key);
    Row& row = rows[row_key(key, work, place)];
    row.op.name = key.name;
    row.op.shapes = key.dims;
    row.op.types = key.types;
    row.op.outputs = key.outputs;
    row.op.work = work;
    row.op.missing = kNotHere[static_cast<size_t>(place)];
    row.op.place = place;
    add_to_row(row, group.mapped());
  }
  std::vector<OperatorRoof> ordered;
  ordered.reserve(rows.size());
  while (!rows.empty()) {
    Row row = std::move(rows.extract(rows.begin()).mapped());
    for (const auto& [name, kernel] : row.kernels) {
      row.op.kernels.push_back(kernel);
    }
    std::stable_sort(row.op.kernels.begin(), row.op.kernels.end(),
                     [](const KernelShare& a, const KernelShare& b) { return a.total_ns > b.total_ns; });
    ordered.push_back(std::move(row.op));
  }
  std::sort(ordered.begin(), ordered.end(), [](const OperatorRoof& a, const OperatorRoof& b) {
    return std::tie(b.time_ns, a.name, a.shapes, a.types, a.outputs, a.place) <
           std::tie(a.time_ns, b.name, b.shapes, b.types, b.outputs, b.place);
  });
  return ordered;
}

// Of whom a device did or was asked for something, in whichever of the recordings: its work, calls of its interface,
// its memory.
std::set<int64_t> ranks_with_device(const EventTable& events) {
  std::set<int64_t> ranks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostCall || is_on_device(events.kind[i]) || is_device_memory(events, i)) {
      ranks.insert(events.tracks[events.track[i]].rank);
    }
  }
  return ranks;
}

}  // namespace

std::optional<double> OperatorRoof::per_second(const std::optional<double>& of_a_call) const {
  const bool of_the_work = place != WorkPlace::kOperatorsWithin && place != WorkPlace::kOtherProvider;
  return of_a_call && time_ns > 0 && of_the_work
             ? std::optional(*of_a_call * static_cast<double>(count) * 1e9 / static_cast<double>(time_ns))
             : std::nullopt;
}

std::optional<double> OperatorRoof::flops_per_s() const { return per_second(work.flops); }
std::optional<double> OperatorRoof::bytes_per_s() const { return per_second(work.bytes); }

std::optional<double> OperatorRoof::intensity() const {
  return work.flops && work.bytes && *work.bytes > 0 ? std::optional(*work.flops / *work.bytes) : std::nullopt;
}

std::optional<double> OperatorRoof::fraction() const {
  return roof_ns && time_ns > 0 ? std::optional(*roof_ns * static_cast<double>(count) / static_cast<double>(time_ns))
                                : std::nullopt;
}

namespace {

// Two sockets of 192 cores, two 512-bit FMA units each at 4 GHz, are 98 * 10^12 a second in fp32: beyond that a host's
// time is the length of a call, and the work was done on a device that the trace does not have.
constexpr double kMostFlopsOfHost = 1e14;

bool is_beyond_hosts(const OperatorRoof& op) {
  return (op.precision == "fp32" || op.precision == "fp64") && op.flops_per_s().value_or(0) > kMostFlopsOfHost;
}

}  // namespace

std::vector<RankRoofline> operator_roofline(const EventTable& events, const std::vector<RankOperators>& ranks,
                                            OperatorWorks& works, const RoofSources& sources) {
  const DeviceNames names(events);
  const std::set<int64_t> with_device = ranks_with_device(events);
  std::vector<RankRoofline> all;
  for (const RankOperators& rank : ranks) {
    RankRoofline roofline;
    roofline.recording = rank.recording;
    roofline.rank = rank.rank;
    roofline.on_host = !with_device.contains(rank.rank) && !names.has_device(rank.recording);
    roofline.device = names.name(events, rank);
    roofline.accelerator = roofline.on_host && !sources.measured ? std::nullopt : sources.given;
    if (!roofline.accelerator) {
      const Accelerator* accelerator = find_accelerator(sources.accelerators, roofline.device);
      roofline.accelerator = accelerator == nullptr ? std::nullopt : std::optional(*accelerator);
    }
    roofline.operators =
        rows_of(roofline.on_host ? host_calls(events, rank, works) : device_calls(events, rank, works), works);
    for (OperatorRoof& op : roofline.operators) {
      op.precision = precision_of(events, op);
      set_roof(roofline, op);
      roofline.operators_ns = saturating_sum(roofline.operators_ns, op.place == WorkPlace::kLinks ? 0 : op.time_ns);
      roofline.roofed_ns = saturating_sum(roofline.roofed_ns, op.roof_ns ? op.time_ns : 0);
    }
    // Against roofs of the host such rates are named as suspect (find_suspects()).
    if (roofline.on_host && !roofline.accelerator && std::ranges::any_of(roofline.operators, is_beyond_hosts)) {
      roofline.on_host = false;
      roofline.operators.clear();
      roofline.operators_ns = roofline.roofed_ns = 0;
    }
    all.push_back(std::move(roofline));
  }
  return all;
}

}  // namespace aaco
