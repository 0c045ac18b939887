// SPDX-License-Identifier: MIT
// Which rank this process is, from the variables of the launcher that started it: torchrun, mpirun (Open MPI) or srun.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "kind/sharded/config/sharded_run_config.h"

namespace aaco::sharded {

// None where no launcher started it, or mpirun or srun started it alone. Launchers may be nested, as torchrun on each
// node by srun: the innermost counts. `variable`: a variable's value, null where it is not set. Errors: kUsage where a
// launcher's values make no sense, where two disagree, and where ranks of several nodes cannot find rank 0's.
Result<std::optional<RankPlace>> rank_place(const std::function<const char*(const char*)>& variable);

// Where rank 0 listens: the port that was said; where a launcher's agent owns that one, the next. 0: none was said.
int32_t rendezvous_port(const RankPlace& place);

// What the nodes of one job have in common and others do not: AACO_JOB_SECRET, which a network that strangers reach
// wants; else the name that the launcher gave the job, which keeps jobs apart and is no secret.
std::string job_secret(const std::function<const char*(const char*)>& variable);

// The first host of Slurm's "node[03-05,9],login": "node03".
std::string first_host(const std::string& hosts);

}  // namespace aaco::sharded
