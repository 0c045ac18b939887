// SPDX-License-Identifier: MIT
// What a sample of the program counter says, in CSV and in JSON of rocprofv3. What it says of the wave depends on what
// the wave did: the type of an instruction holds where one was issued, the reason where none was (ROCprofiler-SDK,
// "Using PC sampling", fields of the stochastic method); the other of the two is in the file and means nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text/enum_words.h"
#include "record/events/event_table.h"

namespace aaco {

// What the wave did in the sampled cycle.
enum class WaveOutcome : uint8_t {
  kNotRecorded,  // of the host trap method no sample says it
  kIssued,       // the sampled instruction
  kNotIssued,
};
template <>
inline constexpr EnumWords<WaveOutcome, 3> kWordsOf<WaveOutcome>{{"not recorded", "issued", "not issued"}};

struct PcSample {
  std::optional<int64_t> dispatch;
  WaveOutcome outcome = WaveOutcome::kNotRecorded;
  StringId cause = kEmptyString;  // as the trace names the type of the instruction, or the reason why it was not issued
  StringId source = kEmptyString;  // file and line
  uint64_t code_object = 0;
  uint64_t offset = 0;                   // in the code object; both are 0 where the file has no addresses
  std::optional<int64_t> active_waves;   // on the compute unit
  std::optional<uint64_t> active_lanes;  // of the sampled wave, a bit each
};

class SampleReader {
 public:
  explicit SampleReader(const EventTable& events);

  bool finds_any() const { return finds_any_; }  // without it no event is a sample
  bool is_sample(size_t event) const;
  PcSample read(size_t event) const;
  // Of a kernel.
  std::optional<int64_t> dispatch_of(size_t event) const;

 private:
  enum class Role : uint8_t {
    kNone,
    kDispatch,
    kIssued,
    kType,
    kReason,
    kSource,
    kCodeObject,
    kOffset,
    kWaves,
    kLanes,
    kCategory,  // of samples
  };
  static Role role_of(std::string_view text);

  const EventTable& events_;
  std::vector<Role> roles_;  // by text
  bool finds_any_ = false;
};

}  // namespace aaco
