// SPDX-License-Identifier: MIT
#include "cli/llama/workshop_flags.h"

#include <fmt/format.h>

namespace aaco {

namespace {

// What a compiler of a framework fuses: what stands between the products. Products it leaves to a library.
constexpr const char* kCompiled[] = {"loss", "norm", "rotary"};

Error usage(std::string what, std::string hint) { return {ErrorKind::kUsage, std::move(what), std::move(hint)}; }

void add_compiler_flags(cli::Command command, WorkshopFlags& flags) {
  command.add_flag("--enable-torch-compile", flags.compiled, "Means --enable loss,norm,rotary");
  command.add_flag("--disable-torch-compile", flags.not_compiled, "Nothing is compiled, whatever is enabled");
  command
      .add_option("--torch-compile-mode", flags.compile_mode,
                  "With --enable-torch-compile: reduce-overhead and max-autotune mean --dispatch graph too")
      .one_of({"default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"})
      .capture_default_str();
}

Result<void> refuse_what_means_nothing(const WorkshopFlags& flags) {
  if (flags.mode != "train") {
    return usage(fmt::format("--mode {}: there is no such mode", flags.mode),
                 "leave it out: each run trains, and times its steps by phase and part");
  }
  if (flags.accumulation_steps != 1) {
    return usage(fmt::format("--gradient-accumulation-steps {}: a step here has one batch", flags.accumulation_steps),
                 "aaco overlap run accumulates: --override training.gradient_accumulation=4; or a larger --batch-size");
  }
  if (!flags.one_of_two.empty()) {
    return usage("--v1 and --v2: versions are trained here, not read",
                 "of two that are recorded: aaco llama run --version 2 --compare-with-v1 SESSION, or aaco diff");
  }
  if (flags.ablation) {
    return usage("--ablation: a study has versions, not single fusions",
                 "aaco llama lab 5 times the fusions; aaco llama run --version 2 --disable NAME leaves one out");
  }
  return {};
}

}  // namespace

void add_workshop_flags(cli::Command command, WorkshopFlags& flags, TrainingRequest& request) {
  command.add_flag("--enable-qkv-fusion", flags.qkv_on, "Means --enable qkv");
  command.add_flag("--disable-qkv-fusion", flags.qkv_off, "Means --disable qkv");
  command.add_flag("--enable-flash-attention", flags.attention_on, "Means --enable attention");
  command.add_flag("--disable-flash-attention", flags.attention_off, "Means --disable attention");
  command.add_flag("--enable-swiglu-fusion", flags.swiglu_on, "Means --enable gate-up");
  command.add_flag("--disable-swiglu-fusion", flags.swiglu_off, "Means --disable gate-up");
  command.add_flag("--enable-all-fusion", flags.all_on, "Means --enable qkv,attention,gate-up");
  command.add_flag("--disable-all-fusion", flags.all_off, "Means --disable qkv,attention,gate-up, whatever is enabled");
  add_compiler_flags(command, flags);
  command.add_flag("--include-memory,--include-shapes,--detailed-analysis,--computational-intensity", flags.always_on,
                   "Always on: memory, FLOPs, bytes and FLOPs per byte are in every run");
  command.add_flag("--validate-setup", flags.validate,
                   "Means --num-steps 3 --processes 1: the gates are what validates, and the exit code says so");
  command.add_flag("--quick-mode", flags.quick, "Means --num-steps 20").excludes("--num-steps");
  command.add_option("--warmup-steps", request.warmup, {0, 1'000'000}, "Means --warmup").excludes("--warmup");
  command.add_option("--profile-steps", flags.profile_steps, "Steps of a trace, which are 5").one_of({"5"});
  command.add_option("--sort-by", flags.sort_by, "Taken, and not needed: tables of a page are sorted by a click");
  command.add_option("--log-interval", flags.every, {0}, "Taken, and not needed: progress has the newest step");
  command.add_option("--flops-profile-step", flags.every, {0}, "Taken, and not needed: FLOPs are those of every step");
  command.add_option("--mode", flags.mode, "train; to measure a step alone is what every run does");
  command.add_option("--gradient-accumulation-steps", flags.accumulation_steps, {1, 1'000'000},
                     "1: a step has one batch");
  command.add_option("--v1,--v2", flags.one_of_two, "Refused, with what to use for two recorded runs").type_name("DIR");
  command.add_flag("--ablation", flags.ablation, "Refused, with what times single fusions");
  command.of_originals({"--enable-qkv-fusion",
                        "--disable-qkv-fusion",
                        "--enable-flash-attention",
                        "--disable-flash-attention",
                        "--enable-swiglu-fusion",
                        "--disable-swiglu-fusion",
                        "--enable-all-fusion",
                        "--disable-all-fusion",
                        "--enable-torch-compile",
                        "--disable-torch-compile",
                        "--torch-compile-mode",
                        "--include-memory",
                        "--validate-setup",
                        "--quick-mode",
                        "--warmup-steps",
                        "--profile-steps",
                        "--sort-by",
                        "--log-interval",
                        "--flops-profile-step",
                        "--mode",
                        "--gradient-accumulation-steps",
                        "--v1",
                        "--ablation"});
}

Result<void> apply_workshop_flags(const WorkshopFlags& flags, TrainingRequest& request) {
  AACO_TRY(refuse_what_means_nothing(flags));
  struct Fusion {
    const char* name;
    bool on;
    bool off;
  };
  for (const Fusion& fusion :
       {Fusion{"qkv", flags.qkv_on, flags.qkv_off}, Fusion{"attention", flags.attention_on, flags.attention_off},
        Fusion{"gate-up", flags.swiglu_on, flags.swiglu_off}}) {
    if (fusion.off || flags.all_off) {  // behind what is enabled, and so it wins
      request.disable.emplace_back(fusion.name);
    } else if (fusion.on || flags.all_on) {
      request.enable.emplace_back(fusion.name);
    }
  }
  if (flags.compiled && !flags.not_compiled) {
    request.enable.insert(request.enable.end(), std::begin(kCompiled), std::end(kCompiled));
    if (flags.compile_mode == "reduce-overhead" || flags.compile_mode == "max-autotune") {
      request.dispatch = "graph";
    }
  }
  if (flags.quick) {
    request.steps = 20;
  }
  if (flags.validate) {
    request.steps = 3;
    request.processes = 1;
  }
  return {};
}

}  // namespace aaco
