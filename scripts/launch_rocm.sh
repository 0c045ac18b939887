#!/usr/bin/env bash
# scripts/launch_rocm.sh [CONFIG] [FLAG ...]: trains what CONFIG says (default: configs/overlap/default.yaml), a rank on each AMD GPU of
# this machine (compiled, not run). The flags are those of `aaco overlap run`, as --override training.max_steps=100 or --dry-run.
# On two nodes, each with the GPUs that it has, start it as any program:
#   torchrun --no-python --nnodes 2 --node_rank 0 --nproc_per_node 8 --master_addr NODE0 --master_port 29500 scripts/launch_rocm.sh CONFIG
# and on the other node the same with --node_rank 1; or by mpirun or srun, as docs/getting-started.md has it. Rank 0's node prints.
exec "$(dirname "$0")/launch_overlap" hip "$@"
