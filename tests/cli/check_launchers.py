#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_launchers.py AACO: `aaco overlap run` as torchrun, mpirun and srun start it, a process per rank with that launcher's variables:
rank 0 trains and prints, the others print nothing and end with its exit code; what cannot be is refused by every process."""
import os
import subprocess
import sys
import tempfile

TRAIN = ("overlap run --quiet --no-check --device cpu:0,cpu:1 --override model.kind=llama model.vocab_size=64 model.model_dim=32 model.num_heads=4 "
         "model.num_layers=2 model.mlp_hidden_dim=64 dataset.sequence_length=16 training.batch_size=2 training.max_steps=3 "
         "training.mixed_precision=fp32 training.unmeasured_steps=1 scheduler.warmup_steps=0 scheduler.total_steps=0 profiling.enabled=false")


def torchrun(rank, ranks=2, local=2):
    return {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank % local, "LOCAL_WORLD_SIZE": local, "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": 29512, "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True"}


def mpirun(rank, ranks=2):
    return {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": ranks, "OMPI_COMM_WORLD_LOCAL_RANK": rank, "OMPI_COMM_WORLD_LOCAL_SIZE": ranks}


def srun(rank, ranks=2):
    return {"SLURM_PROCID": rank, "SLURM_NTASKS": ranks, "SLURM_LOCALID": rank, "SLURM_STEP_TASKS_PER_NODE": f"{ranks}", "SLURM_STEP_NODELIST": "here"}


def run(aaco, folder, variables, more=""):
    """Exit code, stdout and stderr of a process for each of `variables`, all at once."""
    started = [subprocess.Popen([aaco, *f"{TRAIN} {more}".split()], cwd=folder, env={**os.environ, **{name: str(value) for name, value in each.items()}},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for each in variables]
    ended = [process.communicate(timeout=120) for process in started]
    return [(process.returncode, *texts) for process, texts in zip(started, ended)]


def problems_of(aaco, folder):
    for launcher in (torchrun, mpirun, srun):
        for more, code in (("", 0), ("--gate max_avg_iteration_ms=0.000001", 1)):
            (led, printed, _), (followed, silent, said) = run(aaco, folder, [launcher(0), launcher(1)], more)
            if (led, followed) != (code, code):
                yield f"{launcher.__name__} {more}: exit codes {led} and {followed}, not {code}: {said}"
            if "RESULT ranks=2" not in printed or silent:
                yield f"{launcher.__name__} {more}: rank 0 printed {printed[-80:]!r}, rank 1 {silent[-80:]!r}"
    refused = (("two launchers", {**torchrun(0), **mpirun(0, 3)}, 2, "two launchers disagree"),
               ("half a launcher", {"RANK": 0}, 2, "WORLD_SIZE is not"),
               ("a rank too many", torchrun(2), 2, "there is no such rank"),
               ("three ranks on two devices", torchrun(0, 3, 3), 2, "the launcher started 3 ranks"),
               ("two nodes without an address", {**mpirun(0), "OMPI_COMM_WORLD_LOCAL_SIZE": 1}, 2, "MASTER_ADDR is not set"))
    for name, variables, code, message in refused:
        (ended, _, said), = run(aaco, folder, [variables])
        if ended != code or message not in said:
            yield f"{name}: exit {ended}, not {code}, or not {message!r}: {said}"


def main():
    aaco = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        problems = list(problems_of(aaco, folder))
    print("\n".join(problems) or "launchers: as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
