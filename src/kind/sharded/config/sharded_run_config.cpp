// SPDX-License-Identifier: MIT
#include "kind/sharded/config/sharded_run_config.h"

#include <stdexcept>
#include <type_traits>

#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "kind/sharded/config/sharded_keys.h"

namespace aaco::sharded {

namespace {

constexpr EnumWords<ModelKind, 2> kModelWords({"ranking", "llama"});
constexpr EnumWords<TrainingPrecision, 3> kPrecisionWords({"fp32", "tf32", "bf16"});
constexpr EnumWords<ParallelMode, 2> kModeWords({"fsdp", "ddp"});
constexpr EnumWords<ShardingStrategy, 4> kStrategyWords({"full_shard", "shard_grad_op", "hybrid_shard", "no_shard"});
constexpr EnumWords<BackwardPrefetch, 3> kPrefetchWords({"BACKWARD_PRE", "BACKWARD_POST", "none"});
constexpr EnumWords<ReduceType, 2> kReduceWords({"fp32", "bf16"});
constexpr EnumWords<CompileMode, 3> kCompileWords({"default", "reduce-overhead", "max-autotune"});
constexpr EnumWords<CompileBackend, 3> kBackendWords({"inductor", "aot_eager", "cudagraphs"});
constexpr EnumWords<CaptureChoice, 3> kCaptureWords({"auto", "always", "never"});
constexpr EnumWords<CollectiveLibrary, 4> kLibraryWords({"auto", "nccl", "rccl", "cpu"});
constexpr EnumWords<CollectivePath, 3> kPathWords({"kernel", "symmetric", "copy_engine"});

struct PriorityName {
  const char* word;
  bool StreamPriorities::* member;
};
constexpr PriorityName kPriorities[] = {{"allgather", &StreamPriorities::all_gather},
                                        {"reducescatter", &StreamPriorities::reduce_scatter},
                                        {"allreduce", &StreamPriorities::all_reduce}};

template <class Enum>
bool take(const std::optional<Enum>& parsed, Enum& value) {
  value = parsed.value_or(value);
  return parsed.has_value();
}

template <class Enum, size_t kCount>
std::vector<std::string> all(const EnumWords<Enum, kCount>& words) {
  std::vector<std::string> list;
  for (size_t i = 0; i < kCount; ++i) {
    list.emplace_back(words.word(static_cast<Enum>(i)));
  }
  return list;
}

// The JSON of one member.
struct MemberWriter {
  Json* json;

  template <class T>
  void operator()(const ConfigKey& key, const T& member) const {
    Json& place = (*json)[key.section][key.name];
    if constexpr (std::is_enum_v<T>) {
      place = word_of(member);
    } else if constexpr (std::is_same_v<T, StreamPriorities>) {
      place = priority_words(member);
    } else {
      place = member;
    }
  }
};

struct MemberReader {
  const Json* json;

  template <class T>
  void operator()(const ConfigKey& key, T& member) const {
    if (!json->contains(key.section) || !json->at(key.section).contains(key.name)) {
      return;
    }
    const Json& place = json->at(key.section).at(key.name);
    if constexpr (std::is_enum_v<T>) {
      if (!parse_word(place.get<std::string>(), member)) {
        throw nlohmann::json::other_error::create(501, std::string("no such word: ") + key.name, &place);
      }
    } else if constexpr (std::is_same_v<T, StreamPriorities>) {
      for (const Json& word : place) {
        set_priority(word.get<std::string>(), member);
      }
    } else {
      place.get_to(member);
    }
  }
};

}  // namespace

const char* word_of(ModelKind value) { return kModelWords.word(value); }
bool parse_word(std::string_view word, ModelKind& value) { return take(kModelWords.parse(word), value); }
const char* word_of(TrainingPrecision value) { return kPrecisionWords.word(value); }
bool parse_word(std::string_view word, TrainingPrecision& value) { return take(kPrecisionWords.parse(word), value); }
const char* word_of(ParallelMode value) { return kModeWords.word(value); }
bool parse_word(std::string_view word, ParallelMode& value) { return take(kModeWords.parse(word), value); }
const char* word_of(ShardingStrategy value) { return kStrategyWords.word(value); }
bool parse_word(std::string_view word, ShardingStrategy& value) { return take(kStrategyWords.parse(word), value); }
const char* word_of(BackwardPrefetch value) { return kPrefetchWords.word(value); }
bool parse_word(std::string_view word, BackwardPrefetch& value) { return take(kPrefetchWords.parse(word), value); }
const char* word_of(ReduceType value) { return kReduceWords.word(value); }
bool parse_word(std::string_view word, ReduceType& value) { return take(kReduceWords.parse(word), value); }
const char* word_of(CompileBackend value) { return kBackendWords.word(value); }
bool parse_word(std::string_view word, CompileBackend& value) { return take(kBackendWords.parse(word), value); }
const char* word_of(CompileMode value) { return kCompileWords.word(value); }
bool parse_word(std::string_view word, CompileMode& value) { return take(kCompileWords.parse(word), value); }
const char* word_of(CollectiveLibrary value) { return kLibraryWords.word(value); }
bool parse_word(std::string_view word, CollectiveLibrary& value) { return take(kLibraryWords.parse(word), value); }
const char* word_of(CaptureChoice value) { return kCaptureWords.word(value); }
bool parse_word(std::string_view word, CaptureChoice& value) { return take(kCaptureWords.parse(word), value); }
std::vector<std::string> words_like(CaptureChoice) { return all(kCaptureWords); }
const char* word_of(CollectivePath value) { return kPathWords.word(value); }
bool parse_word(std::string_view word, CollectivePath& value) { return take(kPathWords.parse(word), value); }

std::vector<std::string> words_like(ModelKind) { return all(kModelWords); }
std::vector<std::string> words_like(TrainingPrecision) { return all(kPrecisionWords); }
std::vector<std::string> words_like(ParallelMode) { return all(kModeWords); }
std::vector<std::string> words_like(ShardingStrategy) { return all(kStrategyWords); }
std::vector<std::string> words_like(BackwardPrefetch) { return all(kPrefetchWords); }
std::vector<std::string> words_like(ReduceType) { return all(kReduceWords); }
std::vector<std::string> words_like(CompileBackend) { return all(kBackendWords); }
std::vector<std::string> words_like(CompileMode) { return all(kCompileWords); }
std::vector<std::string> words_like(CollectiveLibrary) { return all(kLibraryWords); }
std::vector<std::string> words_like(CollectivePath) { return all(kPathWords); }

std::vector<std::string> priority_words(const StreamPriorities& priorities) {
  std::vector<std::string> words;
  for (const PriorityName& one : kPriorities) {
    if (priorities.*one.member) {
      words.emplace_back(one.word);
    }
  }
  return words;
}

bool set_priority(std::string_view word, StreamPriorities& priorities) {
  for (const PriorityName& one : kPriorities) {
    if (word == one.word) {
      priorities.*one.member = true;
      return true;
    }
  }
  return false;
}

void to_json(Json& json, const ShardedRunConfig& config) { for_each_config_key(config, MemberWriter{&json}); }
void from_json(const Json& json, ShardedRunConfig& config) { for_each_config_key(config, MemberReader{&json}); }

}  // namespace aaco::sharded
