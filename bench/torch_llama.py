#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torchrun --nproc_per_node N torch_llama.py [--steps S] [--compile] [--device cpu] CONFIG...

The LLaMAs of configs/overlap (llama_103m, llama_149m, llama_888m, llama_953m), trained by PyTorch's FSDP2 with the shapes and batches of those
files: bf16 with fp32 reduction, fused AdamW, no clipping, a layer a block. Prints a line of JSON for each: its parameters and the
milliseconds of a step: the median over steps, each waited for, and the mean of steps back to back. With --compile layers are compiled one by one. It needs PyTorch and PyYAML.
"""
import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "configs", "overlap")


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return nn.functional.rms_norm(x, self.weight.shape, self.weight, 1e-6)


class Layer(nn.Module):
    def __init__(self, model):
        super().__init__()
        width, inner = model["model_dim"], model["mlp_hidden_dim"]
        self.heads, self.kv_heads = model["num_heads"], model["num_kv_heads"]
        self.size = width // self.heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.qkv = nn.Linear(width, (self.heads + 2 * self.kv_heads) * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, cosine, sine):
        batch, length, width = x.shape
        all_heads = self.qkv(self.norm1(x)).view(batch, length, -1, self.size).transpose(1, 2)
        query, key, value = all_heads.split([self.heads, self.kv_heads, self.kv_heads], 1)

        def turn(heads):
            left, right = heads.chunk(2, -1)
            return torch.cat((left * cosine - right * sine, left * sine + right * cosine), -1).to(heads.dtype)
        seen = nn.functional.scaled_dot_product_attention(turn(query), turn(key), value, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(nn.functional.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.embedding = nn.Embedding(model["vocab_size"], model["model_dim"])
        self.layers = nn.ModuleList(Layer(model) for _ in range(model["num_layers"]))
        self.norm = Norm(model["model_dim"])
        self.head = None if model.get("tie_head", True) else nn.Linear(model["model_dim"], model["vocab_size"], bias=False)

    def forward(self, inputs, targets, cosine, sine):
        x = self.embedding(inputs)
        for layer in self.layers:
            x = layer(x, cosine, sine)
        weight = self.embedding.weight if self.head is None else self.head.weight
        logits = nn.functional.linear(self.norm(x), weight)
        return nn.functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def measure(name, device, steps, compiled):
    with open(os.path.join(CONFIGS, name + ".yaml")) as file:
        config = yaml.safe_load(file)
    model, batch, length = config["model"], config["training"]["batch_size"], config["dataset"]["sequence_length"]
    torch.manual_seed(config["dataset"]["seed"])
    llama = Llama(model).to(device)
    parameters = sum(parameter.numel() for parameter in llama.parameters())
    precision = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in llama.layers:
        if compiled:
            layer.compile()
        fully_shard(layer, mp_policy=precision)
    fully_shard(llama, mp_policy=precision)
    optimizer = torch.optim.AdamW(llama.parameters(), config["optimizer"]["lr"], betas=config["optimizer"]["betas"],
                                  weight_decay=config["optimizer"]["weight_decay"], fused=device.type == "cuda")
    size = model["model_dim"] // model["num_heads"]
    angles = torch.arange(length, device=device)[:, None] * 10000 ** (-torch.arange(0, size, 2, device=device) / size)
    cosine, sine = angles.cos().bfloat16(), angles.sin().bfloat16()
    tokens = torch.randint(0, model["vocab_size"], (batch, length + 1), device=device)

    def step():
        llama(tokens[:, :-1], tokens[:, 1:], cosine, sine).backward()
        optimizer.step()
        optimizer.zero_grad()

    def wait():
        if device.type == "cuda":
            torch.cuda.synchronize()
    for _ in range(6):
        step()
    wait()
    dist.barrier()
    times = []
    for _ in range(steps):
        begun = time.perf_counter()
        step()
        wait()
        times.append(1e3 * (time.perf_counter() - begun))
    dist.barrier()
    begun = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    behind_each_other = 1e3 * (time.perf_counter() - begun) / steps
    del llama, optimizer
    if device.type == "cuda":
        torch.cuda.empty_cache()
    return dict(config=name, ranks=dist.get_world_size(), parameters=parameters, compiled=compiled, step_p50_ms=statistics.median(times), back_to_back_ms=behind_each_other, torch=torch.__version__)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("configs", nargs="+")
    arguments = parser.parse_args()
    on_gpu = arguments.device == "cuda"
    dist.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    for name in arguments.configs:
        found = measure(name, device, arguments.steps, arguments.compile)
        if dist.get_rank() == 0:
            print(json.dumps(found), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
