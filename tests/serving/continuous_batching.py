#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small engine that serves a language model by continuous batching, for traces whose truth is known: requests arrive while others are
being decoded, keys and values lie in pages of a shared pool, and each step runs the prompts and the running requests that fit, named as
vLLM names them. PyTorch, on the CPU unless --device cuda is given.

Usage: continuous_batching.py TRACE LOG [--names vllm|sums|sglang] [--requests N] [--device cpu|cuda]
TRACE: of torch.profiler. LOG: what each step held, by the engine itself: a JSON array.
"""
import argparse
import collections
import json
import random

import torch
from torch.profiler import ProfilerActivity, profile, record_function

PAGE = 8  # tokens
WIDTH, HEADS, LAYERS, WORDS = 32, 2, 2, 64
MOST_TOKENS = 24  # of a step: a longer prompt is run in pieces
MOST_RUNNING = 4
Step = collections.namedtuple("Step", "prefill decode")  # lists of (request, tokens)


class Request:
    def __init__(self, arrives, prompt, wanted):
        self.arrives, self.tokens, self.wanted = arrives, prompt, wanted  # arrives: at which step
        self.prompt = len(prompt)
        self.cached = 0  # tokens whose keys and values are in the pages
        self.pages = []

    def is_prefilling(self):
        return self.cached < self.prompt

    def is_done(self):
        return len(self.tokens) - self.prompt >= self.wanted


class Pool:
    """Pages of keys and values, of all layers."""
    def __init__(self, pages, device):
        self.keys = torch.zeros(LAYERS, pages * PAGE, WIDTH, device=device)
        self.values = torch.zeros_like(self.keys)
        self.free = list(range(pages))

    def reserve(self, request, tokens):
        wanted = -(-(request.cached + tokens) // PAGE)
        if wanted - len(request.pages) > len(self.free):
            return False
        while len(request.pages) < wanted:
            request.pages.append(self.free.pop())
        return True

    def slots(self, request, first, end):
        return [request.pages[i // PAGE] * PAGE + i % PAGE for i in range(first, end)]

    def release(self, request):
        self.free += request.pages
        request.pages = []


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(WORDS, WIDTH)
        self.qkv = torch.nn.ModuleList(torch.nn.Linear(WIDTH, 3 * WIDTH) for _ in range(LAYERS))
        self.out = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, batch, pool):
        """Of (request, tokens) all tokens at once; attention of each request over its own pages. The last token's logits."""
        device = self.head.weight.device
        ids = [t for request, n in batch for t in request.tokens[request.cached:request.cached + n]]
        x = self.embed(torch.tensor(ids, device=device))
        ends = torch.tensor([n for _, n in batch]).cumsum(0).tolist()
        write = torch.tensor([s for request, n in batch for s in pool.slots(request, request.cached, request.cached + n)], device=device)
        for layer in range(LAYERS):
            q, k, v = self.qkv[layer](x).chunk(3, dim=1)
            pool.keys[layer][write], pool.values[layer][write] = k, v
            mixed = []
            for (request, n), end in zip(batch, ends):
                seen = torch.tensor(pool.slots(request, 0, request.cached + n), device=device)
                heads = [t.view(1, -1, HEADS, WIDTH // HEADS).transpose(1, 2)
                         for t in (q[end - n:end], pool.keys[layer][seen], pool.values[layer][seen])]
                mask = torch.ones(n, len(seen), dtype=torch.bool, device=device).tril(len(seen) - n)
                mixed.append(torch.nn.functional.scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2).reshape(n, WIDTH))
            x = x + self.out[layer](torch.cat(mixed))
        return self.head(x[torch.tensor(ends, device=device) - 1])


def schedule(waiting, running, pool):
    """Running requests first, a token each; then pieces of prompts as far as the step's tokens and the pages go."""
    left = MOST_TOKENS
    prefill, decode = [], []
    for request in [r for r in running if not r.is_prefilling()]:
        if left > 0 and pool.reserve(request, 1):
            decode.append((request, 1))
            left -= 1
    for request in [r for r in running if r.is_prefilling()]:
        piece = min(left, request.prompt - request.cached)
        if piece > 0 and pool.reserve(request, piece):
            prefill.append((request, piece))
            left -= piece
    while waiting and left > 0 and len(running) < MOST_RUNNING:
        piece = min(left, waiting[0].prompt)
        if not pool.reserve(waiting[0], piece):
            break
        running.append(waiting.popleft())
        prefill.append((running[-1], piece))
        left -= piece
    return Step(prefill, decode)


def name_of(names, step):
    groups = []
    for group in step:
        new = sum(n for _, n in group)
        old = sum(request.cached + n for request, n in group)
        squares = sum(n * n for _, n in group)
        pairs = sum(n * (request.cached + n) for request, n in group)
        groups.append((len(group), new, f"sq{new}sk{old}sqsq{squares}sqsk{pairs}"))
    (c, c_new, c_sums), (g, g_new, g_sums) = groups
    if names == "vllm":
        return f"execute_context_{c}({c_new})_generation_{g}({g_new})"
    if names == "sums":
        return f"execute_{c_new + g_new}_context_{c}({c_sums})_generation_{g}({g_sums})"
    mode = "MIXED" if c and g else "EXTEND" if c else "DECODE" if g else "IDLE"
    return f"step[{mode} bs={c + g}" + (f" toks={c_new}]" if mode == "EXTEND" else "]")


@torch.no_grad()
def serve(count, names, device):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    draw = random.Random(5)
    model, pool = Model().to(device), Pool(24, device)
    coming = collections.deque(Request(arrives, [draw.randrange(WORDS) for _ in range(draw.randrange(3, 40))], draw.randrange(1, 7))
                               for arrives in sorted(draw.randrange(3 * count) for _ in range(count)))
    waiting, running, log = collections.deque(), [], []
    number = 0
    while coming or waiting or running:
        while coming and coming[0].arrives <= number:
            waiting.append(coming.popleft())
        step = schedule(waiting, running, pool)
        with record_function(name_of(names, step)):
            batch = step.prefill + step.decode
            if batch:
                chosen = model(batch, pool).argmax(dim=1).tolist()
                for (request, n), token in zip(batch, chosen):
                    request.cached += n
                    if not request.is_prefilling():
                        request.tokens.append(token)
        kind = "mixed" if step.prefill and step.decode else "prefill" if step.prefill else "decode" if step.decode else "empty"
        log.append({"class": kind, "prefill_requests": len(step.prefill), "prefill_tokens": sum(n for _, n in step.prefill),
                    "decode_requests": len(step.decode), "decode_tokens": sum(n for _, n in step.decode)})
        for request in [r for r in running if r.is_done()]:
            pool.release(request)
            running.remove(request)
        number += 1
    return log


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("log")
    parser.add_argument("--names", choices=("vllm", "sums", "sglang"), default="vllm")
    parser.add_argument("--requests", type=int, default=8)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    flags = parser.parse_args()
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if flags.device == "cuda" else [])
    with profile(activities=activities) as recorded:
        log = serve(flags.requests, flags.names, flags.device)
    recorded.export_chrome_trace(flags.trace)
    with open(flags.log, "w") as file:
        file.write("[" + ",\n ".join(json.dumps(step) for step in log) + "]\n")


main()
