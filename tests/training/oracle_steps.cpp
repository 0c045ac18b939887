// SPDX-License-Identifier: MIT
// Prints, as JSON, a small model, its gradients and a few steps of its training by the oracle; compare_with_torch.py
// does the same with PyTorch.
#include <cstdio>

#include "base/json/json.h"
#include "workload/training/oracle/test_oracle_data.h"

namespace {

using namespace aaco;

Json tensors_as_json(const std::vector<OracleTensor>& tensors) {
  Json list = Json::array();
  for (const OracleTensor& tensor : tensors) {
    list.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"values", tensor.values}});
  }
  return list;
}

Result<Json> train() {
  const OracleShape& shape = test::kOracleShape;
  const OracleAdamW& adamw = test::kOracleAdamW;
  const OracleBatch batch = test::oracle_batch(shape, 2, 7, 3);
  std::vector<OracleTensor> parameters = test::oracle_model(shape, 1);
  Json out;
  out["model"] = {{"heads", shape.heads},
                  {"kv_heads", shape.kv_heads},
                  {"layers", shape.layers},
                  {"epsilon", shape.epsilon},
                  {"theta", shape.theta}};
  out["batch"] = {{"sequences", batch.sequences}, {"inputs", batch.inputs}, {"targets", batch.targets}};
  out["adamw"] = {{"lr", adamw.rate},
                  {"betas", {adamw.beta1, adamw.beta2}},
                  {"eps", adamw.epsilon},
                  {"weight_decay", adamw.weight_decay}};
  out["parameters"] = tensors_as_json(parameters);
  OracleMoments moments;
  for (int step = 0; step < test::kOracleSteps; ++step) {
    AACO_ASSIGN(const OracleLoss loss, oracle_gradients(shape, batch, parameters));
    if (step == 0) {
      out["gradients"] = loss.gradients;
    }
    out["losses"].push_back(loss.loss);
    AACO_TRY(oracle_adamw_step(adamw, loss.gradients, parameters, moments));
  }
  out["trained"] = tensors_as_json(parameters);
  return out;
}

}  // namespace

int main() {
  const auto out = train();
  if (!out) {
    std::fprintf(stderr, "%s\n", out.error().message.c_str());
    return out.error().exit_code();
  }
  std::puts(out.value().dump().c_str());
  return 0;
}
