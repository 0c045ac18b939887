#!/usr/bin/env bash
# scripts/launch_cuda.sh [CONFIG] [FLAG ...]: trains what CONFIG says (default: configs/overlap/default.yaml), a rank on each NVIDIA GPU
# of this machine. The flags are those of `aaco overlap run`, as --override training.max_steps=100 or --dry-run.
exec "$(dirname "$0")/launch_overlap" cuda "$@"
