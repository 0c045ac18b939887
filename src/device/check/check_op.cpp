// SPDX-License-Identifier: MIT
#include "device/check/check_op.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "device/check/case_arena.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

uint32_t bits_at(const ArenaImage& image, const CaseArray& array, int64_t i) {
  uint32_t bits = 0;
  std::memcpy(&bits, image.data() + array.offset + i * size_of(array.dtype), static_cast<size_t>(size_of(array.dtype)));
  return bits;
}

double value_of(Dtype dtype, uint32_t bits) {
  switch (dtype) {
    case Dtype::kF32:
      return std::bit_cast<float>(bits);
    case Dtype::kF16:
      return to_float(Half{static_cast<uint16_t>(bits)});
    case Dtype::kBf16:
      return to_float(Bfloat16{static_cast<uint16_t>(bits)});
    case Dtype::kI32:
      return std::bit_cast<int32_t>(bits);
    case Dtype::kU8:
      break;
  }
  return bits;
}

// The distance between neighbours of a 16-bit type around `value`; 0 for the others.
double last_place(Dtype dtype, double value) {
  const int exponent = value == 0 || !std::isfinite(value) ? -1000 : std::ilogb(value);
  switch (dtype) {
    case Dtype::kF16:
      return std::ldexp(1.0, std::max(exponent, -14) - 10);
    case Dtype::kBf16:
      return std::ldexp(1.0, std::max(exponent, -126) - 7);
    default:
      return 0;
  }
}

// 1 is all that is allowed.
double share_of_allowed(const OpCase& op_case, const CaseArray& array, double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) {
    return 0;
  }
  const double error = std::abs(got - want);
  const bool integer = array.dtype == Dtype::kI32 || array.dtype == Dtype::kU8;
  if (integer || op_case.relative == 0 || !std::isfinite(error)) {
    return std::numeric_limits<double>::infinity();
  }
  const double allowed = op_case.relative * std::max(std::abs(want), array.magnitude) +
                         last_place(array.dtype, std::max(std::abs(got), std::abs(want)));
  return error / allowed;
}

class Comparison {
 public:
  Comparison(const OpCase& op_case, const CaseArena& arena, const ArenaImage& cpu, const ArenaImage& device)
      : op_case_(op_case), arena_(arena), cpu_(cpu), device_(device), is_scratch_(arena.arrays.size()) {}

  CaseResult run(const OpWork& work) {
    check_untouched(cpu_, "the CPU");
    check_untouched(device_, "the device");
    check_work(work);
    for (size_t index = 0; index < arena_.arrays.size(); ++index) {
      if (arena_.arrays[index].role != ArrayRole::kInput && !is_scratch_[index]) {
        compare(index);
      }
    }
    return std::move(result_);
  }

 private:
  void fail(std::string failure) {
    if (result_.failure.empty()) {
      result_.failure = std::move(failure);
    }
  }

  // Inputs and guards are what they were.
  void check_untouched(const ArenaImage& image, const char* who) {
    int64_t from = 0;
    for (size_t index = 0; index < arena_.arrays.size(); ++index) {
      const CaseArray& array = arena_.arrays[index];
      check_range(image, from, array.offset, fmt::format("the guard before array {}", index), who);
      if (array.role == ArrayRole::kInput) {
        check_range(image, array.offset, array.end(), fmt::format("input array {}", index), who);
      }
      from = array.end();
    }
    check_range(image, from, image.bytes(), "the guard after the last array", who);
  }

  void check_range(const ArenaImage& image, int64_t from, int64_t to, const std::string& what, const char* who) {
    const std::byte* before = arena_.initial.data();
    const auto [place, same] = std::mismatch(before + from, before + to, image.data() + from);
    if (place != before + to) {
      fail(fmt::format("{} changed {}, byte {}", who, what, place - (before + from)));
    }
  }

  // What work_of says is written is what the CPU wrote.
  void check_work(const OpWork& work) {
    std::vector<int64_t> named(arena_.arrays.size());
    std::vector<int64_t> written(arena_.arrays.size());
    for (const OpArray& of_work : work.arrays) {
      const int64_t offset = static_cast<const std::byte*>(of_work.pointer) - cpu_.data();
      const auto position = std::find_if(arena_.arrays.begin(), arena_.arrays.end(), [&](const CaseArray& array) {
        return offset >= array.offset && offset + of_work.bytes <= array.end();
      });
      if (position == arena_.arrays.end()) {
        return fail(
            fmt::format("work_of names {} bytes of the pointer at {} of the arguments, which the case did not "
                        "give",
                        of_work.bytes, of_work.pointer_offset));
      }
      const auto index = static_cast<size_t>(position - arena_.arrays.begin());
      ++named[index];
      const bool writes = of_work.access == Access::kWrite || of_work.access == Access::kReadWrite;
      written[index] += writes ? of_work.bytes_used : 0;
      is_scratch_[index] = is_scratch_[index] || of_work.access == Access::kScratch;
    }
    for (size_t index = 0; index < named.size(); ++index) {
      check_named(index, named[index], written[index]);
    }
  }

  void check_named(size_t index, int64_t named, int64_t written_bytes) {
    const CaseArray& array = arena_.arrays[index];
    if (named == 0) {
      return fail(fmt::format("work_of does not name array {}", index));
    }
    if (array.role == ArrayRole::kInput && written_bytes != 0) {
      return fail(fmt::format("work_of says that input array {} is written", index));
    }
    if (array.role == ArrayRole::kOutput && !is_scratch_[index] &&
        size_of(array.dtype) > 1) {  // a byte cannot hold a mark
      int64_t elements = 0;
      for (int64_t i = 0; i < array.n; ++i) {
        elements += bits_at(cpu_, array, i) != poison_of(array.dtype) ? 1 : 0;
      }
      if (elements * size_of(array.dtype) != written_bytes) {
        fail(fmt::format("work_of says that {} bytes of array {} are written, the CPU wrote {}", written_bytes, index,
                         elements * size_of(array.dtype)));
      }
    }
  }

  void compare(size_t index) {
    const CaseArray& array = arena_.arrays[index];
    const bool marked = array.role == ArrayRole::kOutput && size_of(array.dtype) > 1;
    for (int64_t i = 0; i < array.n; ++i) {
      const uint32_t got_bits = bits_at(device_, array, i);
      const uint32_t want_bits = bits_at(cpu_, array, i);
      const bool device_wrote = !marked || got_bits != poison_of(array.dtype);
      const bool cpu_wrote = !marked || want_bits != poison_of(array.dtype);
      if (device_wrote != cpu_wrote) {
        return fail(fmt::format("array {}, element {} of {}: {}", index, i, array.n,
                                cpu_wrote ? "not written by the device" : "written by the device alone"));
      }
      ++result_.compared;
      judge(index, i, value_of(array.dtype, got_bits), value_of(array.dtype, want_bits));
    }
  }

  void judge(size_t index, int64_t i, double got, double want) {
    const CaseArray& array = arena_.arrays[index];
    const double share = share_of_allowed(op_case_, array, got, want);
    if (share <= result_.worst_share) {
      return;
    }
    result_.worst_share = share;
    result_.worst_place =
        fmt::format("array {}, element {} of {}: {} on the device, {} on the CPU", index, i, array.n, got, want);
    if (share > 1) {
      fail(fmt::format("{}, {:.3g} times what is allowed", result_.worst_place, share));
    }
  }

  const OpCase& op_case_;
  const CaseArena& arena_;
  const ArenaImage& cpu_;
  const ArenaImage& device_;
  std::vector<bool> is_scratch_;  // by array: what the operation leaves there means nothing
  CaseResult result_;
};

// What the arena holds after the operation on the device.
Result<ArenaImage> run_on_device(Device& device, const OpCase& op_case, const CaseArena& arena) {
  ArenaImage image = arena.initial;
  const auto bytes = static_cast<size_t>(image.bytes());
  AACO_ASSIGN(auto memory, device.allocate(bytes, MemoryKind::kDevice));
  AACO_ASSIGN(auto staging, device.allocate(bytes, MemoryKind::kPinnedHost));
  AACO_ASSIGN(auto stream, device.make_stream(device.properties().lowest_priority));
  std::memcpy(staging->data(), image.data(), bytes);
  stream->copy(memory->data(), staging->data(), bytes);
  stream->launch(op_case.op, fill_args(op_case, arena, memory->data()).data());
  stream->copy(staging->data(), memory->data(), bytes);
  AACO_TRY(stream->synchronize());
  std::memcpy(image.data(), staging->data(), bytes);
  return image;
}

}  // namespace

Result<CaseResult> check_case(Device& device, const OpCase& op_case, uint64_t seed) {
  const CaseArena arena = lay_out(op_case, seed);
  AACO_ASSIGN(const ArenaImage on_device, run_on_device(device, op_case, arena));
  ArenaImage on_cpu = arena.initial;
  const auto args = fill_args(op_case, arena, on_cpu.data());
  run_on_cpu(op_case.op, args.data());
  return Comparison(op_case, arena, on_cpu, on_device).run(work_of(op_case.op, args.data()));
}

}  // namespace aaco
