// SPDX-License-Identifier: MIT
#include "cli/llama/llama_flags.h"

#include "cli/queue/queue_flags.h"

namespace aaco {

void add_llama_flags(cli::Command command, LlamaFlags& flags) {
  TrainingRequest& request = flags.request;
  command.add_option("--preset", request.preset,
                     "Sizes: nano, tiny, small, medium, large; default: small on a GPU, nano on a CPU");
  command
      .add_option("--device", flags.device, "As cpu:0, cuda:0 or hip:0; default: the first accelerator, else the CPU")
      .type_name("ID");
  command.add_option("--precision", request.precision, "fp32, tf32, or bf16 with weights and optimiser in fp32")
      .capture_default_str();
  command.add_flag("--use-amp", flags.mixed_precision, "Means --precision bf16").excludes("--precision");
  command.add_option("--batch-size", request.sequences, {0, 65536}, "Sequences of a step; 0: the preset's");
  command.add_option("--seq-len", request.length, {0, 65536}, "Tokens of a sequence, 2 or more; 0: the preset's");
  command.add_option("--num-steps", request.steps, {1, 1'000'000}, "Measured steps of a process").capture_default_str();
  command.add_option("--warmup", request.warmup, {0, 1'000'000}, "Steps before them").capture_default_str();
  command
      .add_option("--processes,--num-runs", request.processes, {1, 1000},
                  "Fresh processes; a figure is the median over them")
      .capture_default_str();
  command.add_option("--vocab-size", request.vocabulary, {0, 1 << 20}, "Tokens there are; 0: the preset's");
  command.add_option("--hidden-dim", request.hidden, {0, 65536}, "Columns of the residual path; 0: the preset's");
  command.add_option("--num-layers,--n-layers", request.layers, {0, 1024}, "0: the preset's");
  command.add_option("--num-heads,--n-heads", request.heads, {0, 1024}, "Query heads; 0: the preset's");
  command.add_option("--num-kv-heads", request.kv_heads, {0, 1024},
                     "Key heads; 0: the preset's, or half the query heads");
  command.add_option("--intermediate-dim", request.inner, {0, 1 << 18},
                     "Columns of SwiGLU; 0: the preset's, or four times --hidden-dim");
  command.add_option("--learning-rate", request.rate, {0}, "Of AdamW").capture_default_str();
  command.add_option("--weight-decay", request.weight_decay, {0, 1e6}, "Of AdamW").capture_default_str();
  command.add_option("--lr-warmup-steps", request.rate_warmup_steps, {0, 1 << 24}, "Steps over which the rate grows")
      .capture_default_str();
  command.add_option("--data", request.data, "learnable (a rule with noise), or random (nothing to learn)")
      .capture_default_str();
  command.add_option("--enable", request.enable, "Fusions besides the version's, by comma: aaco llama list")
      .delimiter(',')
      .type_name("NAME,...");
  command.add_option("--disable", request.disable, "Fusions of the version to leave out, by comma")
      .delimiter(',')
      .type_name("NAME,...");
  command.add_option("--dispatch", request.dispatch, "single, threads or graph; default: as the version has it")
      .type_name("MODE");
  command.add_option("--seed", request.seed, {}, "Of weights and data").capture_default_str();
  command.add_flag(
      "--deterministic", request.deterministic,
      "Time no algorithms of products: where their choice may differ from process to process, so may the bits");
  command.add_flag("--no-check", flags.no_check, "Do not check the gates before measuring");
  command.add_flag(
      "--profile,--enable-pytorch-profiler,--enable-all-profiling,--enable-profilers,--profile-operators,--profile-"
      "attention-"
      "only",
      request.profile,
      "Keep a trace of five steps by the device's activity collector (aaco trace report), and one with its phases");
  command.add_flag("--no-telemetry", flags.no_telemetry, "Do not sample clocks and power while measuring");
  add_kernel_plane_flag(command, request.kernel_plane);
  command.add_flag("--enable-deepspeed-flops,--enable-memory-profiling", flags.always_on,
                   "Always on: FLOPs of each part, and peak memory, are in every run");
  command.add_flag("--generate-report,--generate-roofline", flags.pages,
                   "Always on: each session has its page. Of a study: a page of each cell too");
  add_sessions_folder(command, request.sessions);
  command.add_option("--profile-dir,--output-dir", request.sessions, "Means --sessions")
      .type_name("DIR")
      .excludes("--sessions");
  command.rare({"--vocab-size", "--hidden-dim", "--num-layers", "--num-heads", "--num-kv-heads", "--intermediate-dim",
                "--learning-rate", "--weight-decay", "--lr-warmup-steps", "--data", "--enable", "--disable",
                "--dispatch", "--seed", "--deterministic", "--no-telemetry", "--no-check"});
  command.of_originals({"--use-amp", "--generate-report", "--enable-deepspeed-flops", "--profile-dir"});
  add_workshop_flags(command, flags.workshop, request);
}

Result<TrainingRequest> to_training_request(const LlamaFlags& flags, const Invocation& invocation) {
  TrainingRequest request = flags.request;
  request.command_line = invocation.command_line;
  request.check = !flags.no_check;
  AACO_TRY(apply_workshop_flags(flags.workshop, request));
  request.telemetry = !flags.no_telemetry;
  if (flags.mixed_precision) {
    request.precision = "bf16";
  }
  request.device = flags.device;
  if (request.device.empty()) {
    const DefaultDevice chosen = default_device();
    request.device = chosen.id;
    request.device_choice = chosen.why;
  }
  if (request.preset.empty()) {
    request.preset = request.device.starts_with("cpu") ? "nano" : "small";
  }
  return request;
}

}  // namespace aaco
