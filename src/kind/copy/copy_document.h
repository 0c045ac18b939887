// SPDX-License-Identifier: MIT
// What `aaco overlap copy` was asked for and found: of each direction the four variants' times, what overlapping saved,
// and what the device's records say of the copies. metrics/overlap.json of its session.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/statistics.h"

namespace aaco {

enum class CopyDirection : uint8_t { kDeviceToHost, kHostToDevice, kPeer };
const char* word_of(CopyDirection direction);  // "d2h", "h2d", "peer"
std::optional<CopyDirection> copy_direction_named(std::string_view word);

// Matrix products on one stream, a copy on another of high priority.
struct CopyRequest {
  std::string device = "cpu:0";
  std::string peer;  // device that peer copies go to; "": there are none
  std::vector<CopyDirection> directions;
  std::string precision;    // of the products: "fp32", "bf16"; "": as the device is
  int64_t matrix_size = 0;  // 0: 4096, on a CPU 256
  double copy_mb = 0;       // MiB; 0: 64, on a CPU 4
  int64_t products = 1;     // beside one copy
  int64_t rounds = 20;      // of each variant, in turns, in every process
  int64_t warmup = 3;
  int64_t processes = 5;
  uint64_t seed = 1;
  std::string sessions = "sessions";      // not in the document: where the session is made
  std::vector<std::string> command_line;  // not in the document: it is the session's

  int64_t copy_bytes() const { return static_cast<int64_t>(copy_mb * (1 << 20)); }
};

void to_json(Json& json, const CopyRequest& request);
void from_json(const Json& json, CopyRequest& request);

// Products and a copy one after the other on one stream, beside each other, and each alone.
enum class CopyVariant : uint8_t { kSerial, kOverlapped, kProducts, kCopy };
inline constexpr size_t kCopyVariants = 4;
const char* word_of(CopyVariant variant);

// One process's medians over rounds, by CopyVariant, in nanoseconds.
using CopyTimes = std::array<double, kCopyVariants>;

// The device in the middle of a variant's rounds, one process's medians, by CopyVariant.
struct CopyState {
  std::optional<double> clock_mhz;
  std::optional<double> power_w;
};
using CopyStates = std::array<CopyState, kCopyVariants>;

void to_json(Json& json, const CopyState& state);
void from_json(const Json& json, CopyState& state);

// From the device's records of overlapped rounds.
struct CopyRecords {
  int64_t rounds = 0;
  int64_t copies = 0;       // records of copies of exactly the size that was asked for
  int64_t other_bytes = 0;  // of copies of another size
  // None where there is no record of such a copy.
  std::optional<double> copy_ns;  // of one copy, median
  std::optional<double> hidden;   // of the copies' time, the share beside products
  std::string engine;             // "unknown: ..." where the records do not tell
};

void to_json(Json& json, const CopyRecords& records);
void from_json(const Json& json, CopyRecords& records);

struct CopyFigures {
  CopyDirection direction = CopyDirection::kDeviceToHost;
  std::vector<CopyTimes> processes;
  std::vector<CopyStates> states;  // by process; empty: of an earlier version
  std::array<std::optional<Estimate>, kCopyVariants> times_ns;
  // Serial less overlapped, mean over processes, with Student's interval (95 %) of three or more.
  std::optional<Estimate> saved_ns;
  std::optional<double> saved_share;  // of the serial time
  std::optional<double> ideal_ns;     // the longer of products and copy, each alone
  // saved / (serial - ideal), 0 to 1: of what could be saved, how much was; mean over processes, each of its own.
  std::optional<double> ideal_share;
  std::string no_ideal_share;  // why
  // What could not be: more saved than the shorter of both takes, its interval considered. "": nothing.
  std::string implausible;
  std::optional<CopyRecords> records;
};

struct CopyDocument {
  static constexpr const char* kKind = "copy_overlap";
  std::string version;  // of the program
  std::string bundle;
  std::string created_utc;
  CopyRequest request;
  std::string device_name;
  std::vector<CopyFigures> directions;
};

// Of the processes' medians: everything but records.
CopyFigures copy_figures(CopyDirection direction, std::vector<CopyTimes> processes,
                         std::vector<CopyStates> states = {});

Json copy_json(const CopyDocument& document);
// Figures are worked out again from the processes' medians. Errors: kUsage naming the source, for what is no such
// document or has times that are none.
Result<CopyDocument> read_copy_document(const Json& json, std::string_view source);

}  // namespace aaco
