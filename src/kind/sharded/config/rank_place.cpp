// SPDX-License-Identifier: MIT
#include "kind/sharded/config/rank_place.h"

#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace aaco::sharded {

namespace {

using Variables = std::function<const char*(const char*)>;

// The variables of a launcher, the innermost of nested ones first. The first name of two that is set counts.
struct LauncherNames {
  const char* program;
  const char* rank;
  std::vector<const char*> ranks;
  const char* local_rank;
  const char* local_ranks;  // a number, or Slurm's "4(x2)", of which the first counts
  const char* sign;         // one that is there where the launcher started this process; null: rank and size tell
  bool starts_one_alone;    // a single process by it is a rank; else it is nothing that a launcher started
};

const std::vector<LauncherNames>& launchers() {
  static const std::vector<LauncherNames> kLaunchers = {
      {"torchrun", "RANK", {"WORLD_SIZE"}, "LOCAL_RANK", "LOCAL_WORLD_SIZE", nullptr, true},
      {"mpirun",
       "OMPI_COMM_WORLD_RANK",
       {"OMPI_COMM_WORLD_SIZE"},
       "OMPI_COMM_WORLD_LOCAL_RANK",
       "OMPI_COMM_WORLD_LOCAL_SIZE",
       nullptr,
       false},
      {"srun",
       "SLURM_PROCID",
       {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
       "SLURM_LOCALID",
       "SLURM_STEP_TASKS_PER_NODE",
       "SLURM_STEP_NODELIST",  // of a step: in a batch script, which runs once, there is none
       false},
  };
  return kLaunchers;
}

// What one launcher says, and in which words, for the errors.
struct LauncherClaim {
  const LauncherNames* names = nullptr;
  RankPlace place;
  std::string words;  // "RANK=1 WORLD_SIZE=2"
};

Error nonsense(const std::string& what) {
  return {ErrorKind::kUsage, what, "unset the variables, or start by a launcher: torchrun, mpirun, srun"};
}

// `or_more`: what stands behind the digits does not matter.
Result<int32_t> number_in(const char* name, const char* text, bool or_more = false) {
  const std::string_view view = text;
  int32_t number = -1;
  const auto [end, problem] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (problem != std::errc() || (!or_more && end != view.data() + view.size()) || number < 0) {
    return nonsense(fmt::format("{}={} is no number from 0 on", name, text));
  }
  return number;
}

// Local numbers where the launcher tells none: all on one node.
Result<void> read_local(const LauncherNames& names, const Variables& variable, RankPlace& place) {
  const char* const local_rank = variable(names.local_rank);
  const char* const local_ranks = variable(names.local_ranks);
  place.local_rank = place.rank;
  place.local_ranks = place.ranks;
  if (local_rank != nullptr) {
    AACO_ASSIGN(place.local_rank, number_in(names.local_rank, local_rank));
  }
  if (local_ranks != nullptr) {
    AACO_ASSIGN(place.local_ranks, number_in(names.local_ranks, local_ranks, true));
  }
  if (place.local_ranks < 1 || place.local_ranks > place.ranks || place.local_rank >= place.local_ranks) {
    return nonsense(fmt::format("{}={} of {}={}: is no such process of a node", names.local_rank, place.local_rank,
                                names.local_ranks, place.local_ranks));
  }
  return {};
}

Result<std::optional<LauncherClaim>> claim_of(const LauncherNames& names, const Variables& variable) {
  const char* const rank = variable(names.rank);
  const char* ranks_name = names.ranks.front();
  const char* ranks = nullptr;
  for (const char* name : names.ranks) {
    if (ranks == nullptr && variable(name) != nullptr) {
      ranks_name = name;
      ranks = variable(name);
    }
  }
  if ((rank == nullptr && ranks == nullptr) || (names.sign != nullptr && variable(names.sign) == nullptr)) {
    return std::optional<LauncherClaim>();
  }
  if (rank == nullptr || ranks == nullptr) {
    return nonsense(fmt::format("{} is set, but {} is not", rank == nullptr ? ranks_name : names.rank,
                                rank == nullptr ? names.rank : ranks_name));
  }
  LauncherClaim claim{&names, {}, fmt::format("{}={} {}={}", names.rank, rank, ranks_name, ranks)};
  AACO_ASSIGN(claim.place.rank, number_in(names.rank, rank));
  AACO_ASSIGN(claim.place.ranks, number_in(ranks_name, ranks));
  if (claim.place.rank >= claim.place.ranks) {
    return nonsense(fmt::format("{}: there is no such rank", claim.words));
  }
  if (claim.place.ranks == 1 && !names.starts_one_alone) {
    return std::optional<LauncherClaim>();
  }
  AACO_TRY(read_local(names, variable, claim.place));
  return std::optional(std::move(claim));
}

// The same ranks, or one process of the outer launcher on each of the inner one's nodes.
bool agree(const RankPlace& inner, const RankPlace& outer) {
  return (inner.rank == outer.rank && inner.ranks == outer.ranks) ||
         (outer.ranks * inner.local_ranks == inner.ranks && outer.rank == inner.rank / inner.local_ranks);
}

Result<void> find_address(const Variables& variable, RankPlace& place) {
  const char* const address = variable("MASTER_ADDR");
  const char* const hosts = variable("SLURM_STEP_NODELIST");
  const char* const port = variable("MASTER_PORT");
  const char* const agent = variable("TORCHELASTIC_USE_AGENT_STORE");
  if (address != nullptr) {
    place.address = address;
  } else if (hosts != nullptr) {
    place.address = first_host(hosts);
  }
  if (port != nullptr) {
    AACO_ASSIGN(place.port, number_in("MASTER_PORT", port));
    if (place.port < 1 || place.port > 65534) {
      return nonsense(fmt::format("MASTER_PORT={}: is no port", port));
    }
  }
  place.port_is_taken = port != nullptr && agent != nullptr && std::string_view(agent) == "True";
  if (place.ranks > place.local_ranks && (place.address.empty() || place.port == 0)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("rank {} of {} on several nodes: {} is not set", place.rank, place.ranks,
                             place.address.empty() ? "MASTER_ADDR" : "MASTER_PORT"),
                 "set MASTER_ADDR to the node of rank 0 and MASTER_PORT to a free port there, the same for all ranks"};
  }
  return {};
}

}  // namespace

Result<std::optional<RankPlace>> rank_place(const Variables& variable) {
  std::optional<LauncherClaim> innermost;
  for (const LauncherNames& names : launchers()) {
    AACO_ASSIGN(std::optional<LauncherClaim> claim, claim_of(names, variable));
    if (claim && innermost && !agree(innermost->place, claim->place)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("two launchers disagree: {} of {}, {} of {}", innermost->words,
                               innermost->names->program, claim->words, claim->names->program),
                   "unset the variables of the one that did not start this process"};
    }
    if (claim && !innermost) {
      innermost = std::move(claim);
    }
  }
  if (!innermost) {
    return std::optional<RankPlace>();
  }
  AACO_TRY(find_address(variable, innermost->place));
  return std::optional(innermost->place);
}

int32_t rendezvous_port(const RankPlace& place) { return place.port_is_taken ? place.port + 1 : place.port; }

std::string job_secret(const Variables& variable) {
  if (const char* const secret = variable("AACO_JOB_SECRET"); secret != nullptr && *secret != '\0') {
    return secret;
  }
  std::string names;
  for (const char* name : {"TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    const char* const value = variable(name);
    names += fmt::format("{}={}\n", name, value == nullptr ? "" : value);
  }
  return names;
}

std::string first_host(const std::string& hosts) {
  const size_t end = hosts.find_first_of(",[");
  if (end == std::string::npos || hosts[end] == ',') {
    return hosts.substr(0, end);
  }
  const size_t stop = hosts.find_first_of(",-]", end);
  const size_t close = hosts.find(']', end);
  const std::string tail =
      close == std::string::npos ? "" : hosts.substr(close + 1, hosts.find(',', close) - close - 1);
  return hosts.substr(0, end) + hosts.substr(end + 1, stop - end - 1) + tail;
}

}  // namespace aaco::sharded
