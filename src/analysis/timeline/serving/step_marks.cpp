// SPDX-License-Identifier: MIT
#include "analysis/timeline/serving/step_marks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace aaco {

namespace {

// Reads a name from its start.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<int64_t> number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) {
      return std::nullopt;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  // Up to `end`, which is skipped.
  std::optional<std::string_view> until(char end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view text = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return text;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// "3(3)" or "3(sq3sk900sqsq3sqsk900)": requests, and their tokens of this step.
std::optional<std::pair<int64_t, int64_t>> read_group(NameReader& reader) {
  const std::optional<int64_t> requests = reader.number();
  if (!requests || !reader.skip("(")) {
    return std::nullopt;
  }
  const bool lists_sums = reader.skip("sq");
  const std::optional<int64_t> tokens = reader.number();
  const std::optional<std::string_view> others = reader.until(')');
  if (!tokens || !others || (!lists_sums && !others->empty())) {
    return std::nullopt;
  }
  return std::pair(*requests, *tokens);
}

StepClass class_of(int64_t prefill_requests, int64_t decode_requests) {
  if (prefill_requests > 0) {
    return decode_requests > 0 ? StepClass::kMixed : StepClass::kPrefill;
  }
  return decode_requests > 0 ? StepClass::kDecode : StepClass::kEmpty;
}

std::optional<StepName> parse_vllm(std::string_view range) {
  NameReader reader(range);
  if (!reader.skip("execute_")) {
    return std::nullopt;
  }
  if (reader.number() && !reader.skip("_")) {
    return std::nullopt;
  }
  if (!reader.skip("context_")) {
    return std::nullopt;
  }
  const auto prefill = read_group(reader);
  if (!prefill || !reader.skip("_generation_")) {
    return std::nullopt;
  }
  const auto decode = read_group(reader);
  int64_t requests = 0;
  int64_t tokens = 0;
  if (!decode || !reader.is_at_end() || __builtin_add_overflow(prefill->first, decode->first, &requests) ||
      __builtin_add_overflow(prefill->second, decode->second, &tokens)) {
    return std::nullopt;
  }
  return StepName{class_of(prefill->first, decode->first),
                  {.requests = requests,
                   .tokens = tokens,
                   .prefill_requests = prefill->first,
                   .prefill_tokens = prefill->second,
                   .decode_requests = decode->first,
                   .decode_tokens = decode->second}};
}

// By the name of SGLang's mode of a forward pass. The others (drafts of speculative decoding, diffusion) are neither.
StepClass class_of_mode(std::string_view mode) {
  static constexpr std::array<std::pair<std::string_view, StepClass>, 6> kModes = {
      {{"EXTEND", StepClass::kPrefill},
       {"SPLIT_PREFILL", StepClass::kPrefill},
       {"DECODE", StepClass::kDecode},
       {"TARGET_VERIFY", StepClass::kDecode},
       {"MIXED", StepClass::kMixed},
       {"IDLE", StepClass::kEmpty}}};
  const auto* const known = std::ranges::find(kModes, mode, &std::pair<std::string_view, StepClass>::first);
  return known == kModes.end() ? StepClass::kUnknown : known->second;
}

std::optional<StepName> parse_sglang(std::string_view range) {
  NameReader reader(range);
  if (!reader.skip("step[")) {
    return std::nullopt;
  }
  const std::optional<std::string_view> mode = reader.until(' ');
  if (!mode || mode->empty() || !reader.skip("bs=")) {
    return std::nullopt;
  }
  StepName name;
  name.step_class = class_of_mode(*mode);
  name.batch.requests = reader.number();
  if (!name.batch.requests) {
    return std::nullopt;
  }
  if (reader.skip(" toks=")) {
    name.batch.tokens = reader.number();
    if (!name.batch.tokens) {
      return std::nullopt;
    }
  }
  if (!reader.skip("]") || !reader.is_at_end()) {
    return std::nullopt;
  }
  StepBatch& batch = name.batch;
  if (name.step_class == StepClass::kPrefill) {
    batch.prefill_requests = batch.requests;
    batch.prefill_tokens = batch.tokens;
    batch.decode_requests = batch.decode_tokens = 0;
  } else if (name.step_class == StepClass::kDecode) {
    batch.decode_requests = batch.requests;
    batch.decode_tokens = batch.tokens;
    batch.prefill_requests = batch.prefill_tokens = 0;
  }
  return name;
}

template <size_t kCount>
bool has_any(std::string_view text, const std::array<std::string_view, kCount>& marks) {
  return std::ranges::any_of(marks, [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

}  // namespace

std::optional<StepName> parse_step_name(std::string_view range) {
  const std::optional<StepName> name = parse_vllm(range);
  return name ? name : parse_sglang(range);
}

bool is_step_frame(std::string_view function) {
  static constexpr std::array<std::string_view, 2> kEngines = {"vllm/", "sglang/"};
  static constexpr std::array<std::string_view, 3> kFunctions = {"): execute_model", "): run_batch",
                                                                 "): forward_batch_generation"};
  return has_any(function, kEngines) &&
         std::ranges::any_of(kFunctions, [&](std::string_view end) { return function.ends_with(end); });
}

// In lower case without '_': vLLM's, SGLang's, FlashInfer's, AITER's and Composable Kernel's names.
AttentionMark attention_mark(std::string_view kernel) {
  static constexpr std::array<std::string_view, 4> kPrefill = {"batchprefill", "contextattention", "extendattention",
                                                               "prefillwithpagedkv"};
  static constexpr std::array<std::string_view, 7> kDecode = {
      "pagedattention",        "batchdecodewithpaged", "mladecode",        "decodeattention",
      "fwdgroupedkernelstage", "singlequerycachedkv",  "decodewithpagedkv"};
  static constexpr std::array<std::string_view, 6> kCache = {
      "reshapeandcache", "storekvcache", "concatandcachemla", "unifiedattention", "appendpagedkvcache", "setkvbuffer"};
  std::string name;
  for (const char c : kernel) {
    if (c != '_') {
      name.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
  }
  if (has_any(name, kPrefill)) {
    return AttentionMark::kPrefill;
  }
  if (has_any(name, kDecode)) {
    return AttentionMark::kDecode;
  }
  return has_any(name, kCache) ? AttentionMark::kCache : AttentionMark::kNone;
}

}  // namespace aaco
