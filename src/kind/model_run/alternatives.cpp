// SPDX-License-Identifier: MIT
#include "kind/model_run/alternatives.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/text/number_text.h"
#include "kind/model_run/request/resolve.h"
#include "kind/model_run/run_model.h"

namespace aaco {

namespace {

constexpr double kConfidence = 0.95;
constexpr int64_t kBatchTimes = 8;

Error no_alternative(const std::string& word, const std::string& why) {
  return {ErrorKind::kUsage, fmt::format("--try {}: {}", word, why),
          "give cuda-graph, tf32, batch, batch=N, threads=N, precision=fp16, another .onnx file, or KEY=VALUE"};
}

// Of what stands between two commas, the spaces around it.
std::string without_spaces(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Result<int64_t> count_of(const std::string& word, const std::string& text) {
  const std::optional<int64_t> count = number_of_text<int64_t>(text);
  if (!count || *count < 1 || *count > 1'000'000'000) {
    return no_alternative(word, "not a number from 1 to 1000000000");
  }
  return *count;
}

// What is set is an option of CUDA's provider.
Result<void> set_cuda_option(const std::string& word, const std::string& key, RunRequest& request) {
  if (request.backend != "cuda") {
    return no_alternative(word, "needs --backend cuda, this run has " + request.backend);
  }
  const auto [option, added] = request.options.try_emplace(key, "1");
  if (!added && option->second == "1") {
    return no_alternative(word, "the run has it already");
  }
  option->second = "1";
  return {};
}

Result<void> set_key(const std::string& word, const std::string& key, const std::string& value, RunRequest& request) {
  if (key == "batch") {
    AACO_ASSIGN(request.batch, count_of(word, value));
  } else if (key == "threads") {
    AACO_ASSIGN(request.threads, count_of(word, value));
  } else if (key == "precision" && !value.empty()) {
    request.precision = value;
  } else if (!key.empty() && !value.empty()) {
    request.options[key] = value;
  } else {
    return no_alternative(word, "no name in front of =, or nothing behind it");
  }
  return {};
}

Result<RunRequest> changed(const RunRequest& base, const std::string& word) {
  RunRequest request = base;
  if (word == "cuda-graph") {
    AACO_TRY(set_cuda_option(word, "enable_cuda_graph", request));
  } else if (word == "tf32") {
    AACO_TRY(set_cuda_option(word, "use_tf32", request));
  } else if (word == "batch") {
    request.batch = kBatchTimes * base.batch.value_or(1);
  } else if (word.ends_with(".onnx")) {
    request.model = word;
    request.parameters.clear();  // of the run's built-in model
  } else if (const size_t equals = word.find('='); equals != std::string::npos) {
    AACO_TRY(set_key(word, word.substr(0, equals), word.substr(equals + 1), request));
  } else {
    return no_alternative(word, "not known");
  }
  // Its profile and the vendor's tools would lengthen every pair, and tell nothing of the gain.
  request.profile = false;
  request.with.clear();
  return request;
}

// Times of a sample in each process.
std::vector<double> sample_times(const RunOutcome& outcome) {
  const LatencySummary* latency = outcome.analysis.primary_latency();
  std::vector<double> times = latency == nullptr ? std::vector<double>() : latency->process_medians_ns;
  for (double& time : times) {
    time /= static_cast<double>(std::max(outcome.facts.batch, int64_t{1}));
  }
  return times;
}

void compare(const RunOutcome& base, const RunOutcome& other, TriedAlternative& tried) {
  tried.bundle = other.bundle;
  tried.batch = other.facts.batch;
  const std::vector<double> before = sample_times(base);
  const std::vector<double> after = sample_times(other);
  if (before.empty() || after.size() != before.size()) {
    tried.missing = "a side has no latency of every process";
    return;
  }
  tried.base_ns = base.analysis.primary_latency()->p50_ns.value;
  tried.ns = other.analysis.primary_latency()->p50_ns.value;
  if (other.status != SessionStatus::kComplete) {
    tried.missing = other.status_reason;
    return;
  }
  tried.time = paired_log_ratio(before, after, kConfidence);
  tried.pairs = static_cast<int64_t>(before.size());
  tried.missing = tried.time ? "" : "an interval needs two processes (--processes)";
}

}  // namespace

Result<std::vector<Alternative>> alternatives_of(const RunRequest& base, const std::string& words) {
  std::vector<Alternative> alternatives;
  for (size_t begin = 0; begin <= words.size();) {
    const size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = without_spaces(words.substr(begin, end - begin));
    const bool is_twice =
        std::ranges::any_of(alternatives, [&](const Alternative& other) { return other.name == word; });
    if (is_twice) {
      return no_alternative(word, "it is there twice");
    }
    AACO_ASSIGN(RunRequest request, changed(base, word));
    alternatives.push_back({word, std::move(request)});
    begin = end + 1;
  }
  return alternatives;
}

Result<AlternativesOutcome> try_alternatives(const RunRequest& base, const std::vector<Alternative>& alternatives,
                                             const ProgressCallback& progress) {
  for (const Alternative& alternative : alternatives) {
    const auto resolved = resolve_run(alternative.request);
    if (!resolved && resolved.error().kind == ErrorKind::kUsage) {
      return Error{ErrorKind::kUsage, fmt::format("--try {}: {}", alternative.name, resolved.error().message),
                   resolved.error().hint};
    }
  }
  AlternativesOutcome outcome;
  bool has_base = false;
  for (const Alternative& alternative : alternatives) {
    RunRequest again = base;
    again.profile = base.profile && !has_base;
    outcome.tried.emplace_back().name = alternative.name;
    auto pair = run_interleaved(again, alternative.request, progress);
    if (!pair && pair.error().kind == ErrorKind::kInterrupted) {
      if (!has_base) {
        return pair.error();
      }
      outcome.tried.back().missing = "interrupted";
      outcome.interrupted = true;
      return outcome;
    }
    if (!pair) {
      outcome.tried.back().missing = pair.error().message;
      continue;
    }
    compare(pair->first, pair->second, outcome.tried.back());
    if (!has_base) {
      outcome.base = std::move(pair->first);
      has_base = true;
    }
  }
  if (!has_base) {
    AACO_ASSIGN(outcome.base, run_model(base, progress));
  }
  return outcome;
}

}  // namespace aaco
