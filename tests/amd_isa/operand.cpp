// SPDX-License-Identifier: MIT
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "decode.h"
#include "half.h"
#include "wave.h"

namespace aaco::amd {
namespace {

struct Name {
  std::string_view text;
  File file;
  int index;
  int words;  // 0: two of waves of 64, one of waves of 32
};

constexpr Name kNames[] = {
    {"vcc", File::kScalar, kVcc, 2},
    {"vcc_lo", File::kScalar, kVcc, 1},
    {"vcc_hi", File::kScalar, kVcc + 1, 1},
    {"exec", File::kScalar, kExec, 2},
    {"exec_lo", File::kScalar, kExec, 1},
    {"exec_hi", File::kScalar, kExec + 1, 1},
    {"m0", File::kScalar, kM0, 1},
    {"null", File::kNull, 0, 2},
    {"src_scc", File::kScc, 0, 1},
    {"scc", File::kScc, 0, 1},
    {"off", File::kNone, 0, 0},
    {"flat_scratch", File::kScalar, 102, 2},
    {"flat_scratch_lo", File::kScalar, 102, 1},
    {"flat_scratch_hi", File::kScalar, 103, 1},
    {"xnack_mask", File::kScalar, 104, 2},
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

[[noreturn]] void refuse(std::string_view text) { throw Fault{"operand " + std::string(text) + " is not understood"}; }

int parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse(text);
  }
  return value;
}

// v3, s[4:7], a0, ttmp9
bool parse_register(std::string_view text, Operand& operand) {
  std::string_view rest = text;
  int base = 0;
  operand.file = File::kVector;
  if (take(rest, "ttmp")) {
    operand.file = File::kScalar;
    base = 108;
  } else if (take(rest, "a")) {
    base = kAccumulators;
  } else if (take(rest, "s")) {
    operand.file = File::kScalar;
  } else if (!take(rest, "v")) {
    return false;
  }
  if (rest.empty() || (rest[0] != '[' && (rest[0] < '0' || rest[0] > '9'))) {
    return false;
  }
  int first = 0;
  int last = 0;
  if (rest[0] == '[') {
    rest = rest.substr(1, rest.size() - 2);
    const auto colon = rest.find(':');
    first = parse_number(rest.substr(0, colon));
    last = colon == std::string_view::npos ? first : parse_number(rest.substr(colon + 1));
  } else {
    first = last = parse_number(rest);
  }
  operand.index = static_cast<std::uint16_t>(base + first);
  operand.words = static_cast<std::uint8_t>(last - first + 1);
  return true;
}

std::array<std::uint32_t, 2> split(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32U)};
}

// Inline constants are of the operation's type. Of 64 bits a literal (0x...) is the upper half of a double and the
// lower half of an integer.
std::array<std::uint32_t, 2> constant_bits(const std::string& text, Kind kind) {
  const bool floating = text.find('.') != std::string::npos && text.find('x') == std::string::npos;
  if (floating) {
    double value = std::strtod(text.c_str(), nullptr);
    const bool inverse_tau = text.starts_with("0.15915");
    switch (kind) {
      case Kind::kHalf:
        return {inverse_tau ? 0x3118U : to_half(static_cast<float>(value)), 0};
      case Kind::kWord:
        return {inverse_tau ? 0x3e22f983U : std::bit_cast<std::uint32_t>(static_cast<float>(value)), 0};
      case Kind::kLong:
      case Kind::kDouble:
        return split(inverse_tau ? 0x3fc45f306dc9c882ULL : std::bit_cast<std::uint64_t>(value));
    }
  }
  char* end = nullptr;
  const auto value =
      static_cast<std::uint64_t>(text.starts_with('-') ? std::strtoll(text.c_str(), &end, 0)
                                                       : static_cast<long long>(std::strtoull(text.c_str(), &end, 0)));
  if (end == text.c_str() || *end != '\0') {
    refuse(text);
  }
  const bool literal = text.find('x') != std::string::npos;
  if (kind == Kind::kDouble && literal) {
    return {0, static_cast<std::uint32_t>(value)};
  }
  return split(value);
}

}  // namespace

Operand parse_operand(std::string_view text, Kind kind, Architecture) {
  Operand operand;
  const std::string_view whole = text;
  if (take(text, "sext(")) {
    operand.sign_extend = true;
    text.remove_suffix(1);
  }
  if (take(text, "neg(")) {
    operand.negate = true;
    text.remove_suffix(1);
  } else if (text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9')) {
    operand.negate = true;
    text.remove_prefix(1);
  }
  if (take(text, "|")) {
    operand.absolute = true;
    text.remove_suffix(1);
  }
  for (const Name& name : kNames) {
    if (text == name.text) {
      operand.file = name.file;
      operand.index = static_cast<std::uint16_t>(name.index);
      operand.words = static_cast<std::uint8_t>(name.words);
      return operand;
    }
  }
  if (parse_register(text, operand)) {
    return operand;
  }
  operand.file = File::kConstant;
  operand.words = 0;
  if (text == "src_shared_base" || text == "src_private_base") {
    operand.constant = split(text == "src_shared_base" ? kSharedAperture : kPrivateAperture);
    return operand;
  }
  if (text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) {
    refuse(whole);
  }
  operand.constant = constant_bits(std::string(text), kind);
  return operand;
}

}  // namespace aaco::amd
