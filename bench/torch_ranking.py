#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torchrun --nproc_per_node N torch_ranking.py [--steps S] [--compile] [--dropout P] [--no-clipping] [--small] [--device cpu]

The ranking transformer of configs/overlap/default.yaml, trained by PyTorch's FSDP2: bf16 with fp32 reduction, fused AdamW, clipping to 1,
dropout, a fresh batch each step from pinned memory on a copy stream. Prints a line with the milliseconds of a step (the median over steps,
each waited for, and the mean of steps back to back), for eager code and, with --compile, for layers compiled one by one too. It needs
nothing but PyTorch. --small: sizes for a trial on a CPU.
"""
import argparse
import os
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

SIZES = dict(vocabulary=60000, embedding=192, dense=16 * 128, hidden=768, heads=12, layers=8, inner=2048, categories=32, sequences=8, length=64)
SMALL = dict(vocabulary=500, embedding=12, dense=20, hidden=32, heads=4, layers=2, inner=48, categories=3, sequences=2, length=8)


class RankingTransformer(nn.Module):
    def __init__(self, of, dropout):
        super().__init__()
        self.dense = nn.Linear(of["dense"], of["hidden"])
        self.embedding = nn.EmbeddingBag(of["vocabulary"], of["embedding"], mode="mean")
        self.sparse = nn.Linear(of["embedding"], of["hidden"])
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(of["hidden"], of["heads"], of["inner"], dropout, "gelu", batch_first=True)
                                    for _ in range(of["layers"]))
        self.norm = nn.LayerNorm(of["hidden"])
        self.scorer = nn.Sequential(nn.Linear(of["hidden"], of["inner"]), nn.GELU(), nn.Dropout(dropout), nn.Linear(of["inner"], 1))

    def forward(self, dense, categories, target, weight):
        pooled = self.embedding(categories.flatten(0, 1)).view(*categories.shape[:2], -1)
        x = self.dense(dense) + self.sparse(pooled)
        for layer in self.layers:
            x = layer(x)
        score = self.scorer(self.norm(x)).squeeze(-1)
        return nn.functional.binary_cross_entropy_with_logits(score.float(), target.float(), weight.float())


class Batches:
    """Made before the training and pinned; each is copied to the device beside the step before."""

    def __init__(self, of, device, rank):
        random = torch.Generator().manual_seed(42 + rank)
        tokens = (of["sequences"], of["length"])
        self.kept = [(torch.randn(*tokens, of["dense"], generator=random).bfloat16(),
                      torch.randint(0, of["vocabulary"], (*tokens, of["categories"]), generator=random),
                      torch.rand(tokens, generator=random), torch.rand(tokens, generator=random)) for _ in range(16)]
        self.device, self.number = device, 0
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None
        if self.stream is not None:
            self.kept = [tuple(part.pin_memory() for part in batch) for batch in self.kept]
        self.coming = self.copy()

    def copy(self):
        batch = self.kept[self.number % len(self.kept)]
        self.number += 1
        if self.stream is None:
            return batch
        with torch.cuda.stream(self.stream):
            return tuple(part.to(self.device, non_blocking=True) for part in batch)

    def next(self):
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
        batch = self.coming
        for part in batch:
            if self.stream is not None:
                part.record_stream(torch.cuda.current_stream())
        self.coming = self.copy()
        return batch


def measure(of, arguments, device, compiled):
    torch.manual_seed(0)
    with torch.device(device):
        model = RankingTransformer(of, arguments.dropout)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    mesh = dist.device_mesh.init_device_mesh(device.type, (dist.get_world_size(),))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers:
        if compiled:
            layer.compile()
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    batches = Batches(of, device, dist.get_rank())

    def step():
        loss = model(*batches.next())
        loss.backward()
        if not arguments.no_clipping:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        return loss

    def wait():
        if device.type == "cuda":
            torch.cuda.synchronize()

    for _ in range(min(10, arguments.steps)):
        loss = step()
    wait()
    dist.barrier()
    single = []
    for _ in range(arguments.steps):
        begin = time.perf_counter()
        loss = step()
        wait()
        single.append(time.perf_counter() - begin)
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(arguments.steps):
        loss = step()
    wait()
    together = (time.perf_counter() - begin) / arguments.steps
    if dist.get_rank() == 0:
        name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
        print(f"ranking {parameters / 1e6:.1f} M, FSDP2 {'compiled' if compiled else 'eager'}, {dist.get_world_size()} x {name}, PyTorch {torch.__version__}, "
              f"dropout {arguments.dropout:g}, clipping {'off' if arguments.no_clipping else 'on'}: {statistics.median(single) * 1e3:.2f} ms/step "
              f"({together * 1e3:.2f} back to back), {arguments.steps} steps, loss {loss.item():.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--no-clipping", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    arguments = parser.parse_args()
    if arguments.device == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo")
    of = SMALL if arguments.small else SIZES
    measure(of, arguments, device, False)
    if arguments.compile:
        measure(of, arguments, device, True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
