// SPDX-License-Identifier: MIT
// The inputs of a model in a worker process: made, bound, and blamed where the model does not run with them.
#pragma once

#include "base/result.h"
#include "kind/model_run/request/worker_plan.h"
#include "model/inputs/input_values.h"
#include "model/runtime/inference_session.h"

namespace aaco {

// What the plan says of inputs.
InputRequest input_request(const WorkerPlan& plan);

// Errors: those of make_inputs. Where sizes or values are missing, the command line that the hint offers was tried: the
// model ran with it, or the hint says that it ran with none that aaco tried.
Result<InputSet> make_inputs_of(InferenceSession& session, const WorkerPlan& plan);

// `failure` of a run, with the names of those inputs that reach the node at fault and whose integers aaco made.
Error blame_made_values(Error failure, const InputSet& made, const WorkerPlan& plan);

}  // namespace aaco
