// SPDX-License-Identifier: MIT
// Operations that follow indices, on the CPU.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "device/cpu/vector_sums.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

bool within(int64_t index, int64_t count) { return index >= 0 && index < count; }

}  // namespace

void run_on_cpu(const GatherArgs& args) {
  const int64_t row_bytes = args.cols * size_of(args.dtype);
  for (int64_t i = 0; i < args.count; ++i) {
    char* to = static_cast<char*>(args.out) + i * row_bytes;
    if (within(args.ids[i], args.table_rows)) {
      std::memcpy(to, static_cast<const char*>(args.table) + args.ids[i] * row_bytes, static_cast<size_t>(row_bytes));
    } else {
      std::memset(to, 0, static_cast<size_t>(row_bytes));
    }
  }
}

void run_on_cpu(const GatherMeanArgs& args) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  std::vector<double> sums(static_cast<size_t>(args.cols));
  for (int64_t i = 0; i < args.count; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t j = i * args.pool; j < (i + 1) * args.pool; ++j) {
      if (within(args.ids[j], args.table_rows)) {
        read_floats(args.table, args.dtype, args.ids[j] * args.cols, args.cols, row.data());
        std::transform(sums.begin(), sums.end(), row.begin(), sums.begin(), std::plus<>());
      }
    }
    std::transform(sums.begin(), sums.end(), row.begin(),
                   [&](double sum) { return static_cast<float>(sum / static_cast<double>(args.pool)); });
    write_floats(args.out, args.dtype, i * args.cols, args.cols, row.data());
  }
}

void run_on_cpu(const ScatterAddArgs& args) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  for (int64_t i = 0; i < args.count; ++i) {
    if (within(args.ids[i], args.out_rows)) {
      read_floats(args.in, args.in_dtype, i * args.cols, args.cols, row.data());
      cpu::add_scaled(args.out + args.ids[i] * args.cols, 1, row.data(), args.cols);
    }
  }
}

void run_on_cpu(const RouteArgs& args) {
  const int64_t pairs = int64_t{args.tokens} * args.choices;
  std::fill(args.counts, args.counts + args.experts, 0);
  for (int64_t i = 0; i < pairs; ++i) {
    if (const int32_t expert = args.experts_of[i]; within(expert, args.experts)) {
      const bool full = args.capacity > 0 && args.counts[expert] == args.capacity;
      args.counts[expert] += full ? 0 : 1;
    }
  }
  args.offsets[0] = 0;
  for (int32_t e = 0; e < args.experts; ++e) {
    args.offsets[e + 1] = args.offsets[e] + (args.capacity > 0 ? args.capacity : args.counts[e]);
  }
  const int64_t places = args.capacity > 0 ? int64_t{args.experts} * args.capacity : pairs;
  std::fill(args.token_of, args.token_of + places, -1);
  std::vector<int32_t> filled(static_cast<size_t>(args.experts), 0);
  for (int64_t i = 0; i < pairs; ++i) {
    const int32_t expert = args.experts_of[i];
    if (!within(expert, args.experts) || filled[expert] == args.counts[expert]) {
      args.place_of[i] = -1;
      continue;
    }
    const int32_t place = args.offsets[expert] + filled[expert]++;
    args.token_of[place] = static_cast<int32_t>(i / args.choices);
    args.place_of[i] = place;
  }
}

void run_on_cpu(const CombineArgs& args) {
  std::vector<float> row(static_cast<size_t>(args.cols));
  std::vector<float> sum(static_cast<size_t>(args.cols));
  const std::vector<float> weights = read_floats(args.weights, args.dtype, 0, args.tokens * args.choices);
  for (int64_t token = 0; token < args.tokens; ++token) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (int64_t pair = token * args.choices; pair < (token + 1) * args.choices; ++pair) {
      if (const int64_t place = args.place_of[pair]; within(place, args.places)) {
        read_floats(args.in, args.dtype, place * args.cols, args.cols, row.data());
        cpu::add_scaled(sum.data(), weights[pair], row.data(), args.cols);
      }
    }
    write_floats(args.out, args.dtype, token * args.cols, args.cols, sum.data());
  }
}

void run_on_cpu(const AcceptArgs& args) {
  for (int64_t row = 0; row < args.batch; ++row) {
    const int32_t* draft = args.draft + row * args.length;
    const int32_t* chosen = args.chosen + row * (args.length + 1);
    const auto same = static_cast<int32_t>(std::mismatch(draft, draft + args.length, chosen).first - draft);
    args.accepted[row] = same;
    args.next[row] = chosen[same];
    if (args.total != nullptr) {
      *args.total += same + 1;
    }
  }
}

}  // namespace aaco
