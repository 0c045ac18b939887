#!/usr/bin/env python3
"""A small training step in PyTorch for bench/observe_cost.py: the same kernels each time.

observe_step.py eager|graph SMALL|LARGE STEPS [TRACE]: prints the median of a step; TRACE: under torch.profiler from
before the first use of the device to the end, its trace in that file."""
import contextlib
import json
import statistics
import sys
import time

import torch

SIZES = {"small": (512, 8, 8, 256), "large": (1024, 8, 16, 512)}  # width, layers, batch, sequence


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, sequence, width = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, sequence, 3, 8, width // 8).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, sequence, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


def steps(mode, size, count):
    width, layers, batch, sequence = SIZES[size]
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(width) for _ in range(layers)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4, fused=True, capturable=True)
    x = torch.randn(batch, sequence, width, device="cuda")

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)

    for _ in range(5):
        step()
    torch.cuda.synchronize()
    run = step
    if mode == "graph":
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        run = graph.replay
    times = []
    for _ in range(count):
        began = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    return times


def main():
    mode, size, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    trace = sys.argv[4] if len(sys.argv) > 4 else None
    profiler = contextlib.nullcontext()
    if trace:
        activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
        profiler = torch.profiler.profile(activities=activities)
    with profiler:
        times = steps(mode, size, count)
    if trace:
        profiler.export_chrome_trace(trace)
    print(json.dumps({"step_ms": round(statistics.median(times), 4), "steps": count}), flush=True)


if __name__ == "__main__":
    main()
