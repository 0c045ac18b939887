// SPDX-License-Identifier: MIT
#include "cli/llama/workshop_flags.h"

namespace aaco {

void add_workshop_flags(cli::Command command, WorkshopFlags& flags, TrainingRequest& request) {
  command.add_flag("--enable-qkv-fusion", flags.qkv_on, "Means --enable qkv");
  command.add_flag("--disable-qkv-fusion", flags.qkv_off, "Means --disable qkv");
  command.add_flag("--enable-flash-attention", flags.attention_on, "Means --enable attention");
  command.add_flag("--disable-flash-attention", flags.attention_off, "Means --disable attention");
  command.add_flag("--enable-swiglu-fusion", flags.swiglu_on, "Means --enable gate-up");
  command.add_flag("--disable-swiglu-fusion", flags.swiglu_off, "Means --disable gate-up");
  command.add_flag("--enable-all-fusion", flags.all_on, "Means --enable qkv,attention,gate-up");
  command.add_flag("--disable-all-fusion", flags.all_off, "Means --disable qkv,attention,gate-up, whatever is enabled");
  command.add_flag("--include-memory,--include-shapes,--detailed-analysis,--computational-intensity", flags.always_on,
                   "Always on: memory, FLOPs, bytes and FLOPs per byte are in every run");
  command.add_flag("--validate-setup", flags.validate,
                   "Means --num-steps 3 --processes 1: the gates are what validates, and the exit code says so");
  command.add_option("--warmup-steps", request.warmup, "Means --warmup").excludes("--warmup");
  command.add_option("--profile-steps", flags.profile_steps, "Steps of a trace, which are 5").one_of({"5"});
  command.add_option("--sort-by", flags.sort_by, "Taken, and not needed: tables of a page are sorted by a click");
  command.add_option("--mode", flags.mode, "train; to measure a step alone is what every run does").one_of({"train"});
}

void apply_workshop_flags(const WorkshopFlags& flags, TrainingRequest& request) {
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
  if (flags.validate) {
    request.steps = 3;
    request.processes = 1;
  }
}

}  // namespace aaco
