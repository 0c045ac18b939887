// SPDX-License-Identifier: MIT
// guard_decisions POOL.json CHECKS SLOWDOWN SEED MOST_PAIRS: checks of `aaco guard`, drawn from real processes. The
// pool is a baseline file of a session of many processes. A check draws pairs of neighbours in time (so that what
// drifts meets both alike), one of each at random for the test side, whose times it multiplies by 1 + SLOWDOWN, and
// goes on until the looks decide, as the guard does. Prints counts of verdicts and pairs as JSON.
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <random>
#include <string>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/number_text.h"
#include "guard/judgement/check_request.h"
#include "guard/sequential/looks.h"
#include "kind/compared_session.h"
#include "session/catalog/baseline.h"

namespace {

using namespace aaco;

struct Pool {
  RunSample sample;
  size_t pairs() const { return sample.process_medians_ns.size() / 2; }
};

Result<Pool> read_pool(const std::string& file) {
  AACO_ASSIGN(const Baseline baseline, read_baseline(file));
  AACO_ASSIGN(const std::vector<NamedSample> samples, baseline_samples(*baseline.sample, file));
  return Pool{samples.front().sample};
}

void add_process(const RunSample& pool, size_t process, double factor, RunSample& side) {
  side.process_medians_ns.push_back(pool.process_medians_ns[process] * factor);
  if (pool.processes.empty()) {
    return;
  }
  ProcessSample copy = pool.processes[process];
  copy.mean_ns *= factor;
  copy.sigma_ns *= factor;
  if (copy.elapsed_ns) {
    *copy.elapsed_ns *= factor;
  }
  for (double& quantile_ns : copy.quantiles_ns) {
    quantile_ns *= factor;
  }
  side.processes.push_back(std::move(copy));
}

struct CheckResult {
  Verdict verdict = Verdict::kInconclusive;
  int64_t pairs = 0;
};

Result<CheckResult> check(const Pool& pool, double factor, int64_t most_pairs, std::mt19937_64& random) {
  RunSample baseline = pool.sample;
  baseline.process_medians_ns.clear();
  baseline.processes.clear();
  baseline.interleave_group = "bench";
  RunSample test = baseline;
  CheckResult result;
  const auto measure = [&](int64_t pairs) -> Result<bool> {
    while (static_cast<int64_t>(test.process_medians_ns.size()) < pairs) {
      const size_t pair = std::uniform_int_distribution<size_t>(0, pool.pairs() - 1)(random);
      const size_t side = std::uniform_int_distribution<size_t>(0, 1)(random);
      add_process(pool.sample, 2 * pair + side, 1, baseline);
      add_process(pool.sample, 2 * pair + 1 - side, factor, test);
    }
    return true;
  };
  const auto decide = [&](const Look& look) -> Result<bool> {
    CompareOptions options;
    options.min_effect = kGuardMinEffect;
    options.level = look.level;
    options.equivalence_confidence = 1 - 2 * look.equivalence_level;
    result.verdict = compare(baseline, test, options).verdict;
    return result.verdict != Verdict::kInconclusive;
  };
  const std::vector<Look> looks = plan_looks(most_pairs, kVerdictLevel, (1 - kEquivalenceConfidence) / 2);
  AACO_ASSIGN(const LooksEnd end, look_until_decided(looks, measure, decide));
  result.pairs = end.pairs;
  return result;
}

Result<int> run(const std::string& file, int64_t checks, double slowdown, int64_t seed, int64_t most_pairs) {
  AACO_ASSIGN(const Pool pool, read_pool(file));
  if (pool.pairs() < 2) {
    return Error{ErrorKind::kUsage, file + ": holds fewer than four processes", "record more"};
  }
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  std::map<std::string, int64_t> verdicts;
  int64_t pairs = 0;
  for (int64_t i = 0; i < checks; ++i) {
    AACO_ASSIGN(const CheckResult result, check(pool, 1 + slowdown, most_pairs, random));
    ++verdicts[verdict_name(result.verdict)];
    pairs += result.pairs;
  }
  fmt::print("{}\n", json_text({{"processes", pool.sample.process_medians_ns.size()},
                                {"checks", checks},
                                {"slowdown", slowdown},
                                {"verdicts", verdicts},
                                {"mean_pairs", static_cast<double>(pairs) / static_cast<double>(checks)}}));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return number_of_text<int64_t>(argv[i]); };
  const auto slowdown = argc == 6 ? number_of_text<double>(argv[3]) : std::nullopt;
  if (!slowdown || !number(2) || !number(4) || !number(5)) {
    fmt::print(stderr, "guard_decisions POOL.json CHECKS SLOWDOWN SEED MOST_PAIRS\n");
    return 2;
  }
  const auto result = run(argv[1], *number(2), *slowdown, *number(4), *number(5));
  if (!result) {
    fmt::print(stderr, "guard_decisions: {}\n", result.error().message);
    return result.error().exit_code();
  }
  return *result;
}
