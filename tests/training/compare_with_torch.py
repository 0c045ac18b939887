#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_with_torch.py ORACLE_STEPS: holds the training oracle's loss, gradients and steps of AdamW against PyTorch's, in fp64,
the model written with PyTorch's own operations. Exit 77: PyTorch not here."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from skipping import skip  # noqa: E402

LIMIT = 1e-11  # of a tensor's size: sums in another order, some 1e-16 each, through two layers and five steps


def loss_of(torch, model, weights, inputs, targets):
    functional = torch.nn.functional
    heads, kv_heads = model["heads"], model["kv_heads"]
    sequences, length = inputs.shape
    hidden = weights["embedding"].shape[1]
    head_dim = hidden // heads
    steps = model["theta"] ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), steps)
    turns = torch.polar(torch.ones_like(angles), angles)

    def turned(x):  # [sequences, length, heads, head_dim]
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], head_dim // 2, 2))
        return torch.view_as_real(pairs * turns[:, None, :]).flatten(-2)

    def norm(x, name):
        return functional.rms_norm(x, (hidden,), weights[name], model["epsilon"])

    x = functional.embedding(inputs, weights["embedding"])
    for layer in range(model["layers"]):
        prefix = f"layers.{layer}."
        h = norm(x, prefix + "norm1")
        q = turned((h @ weights[prefix + "q"]).view(sequences, length, heads, head_dim))
        k = turned((h @ weights[prefix + "k"]).view(sequences, length, kv_heads, head_dim))
        v = (h @ weights[prefix + "v"]).view(sequences, length, kv_heads, head_dim)
        seen = functional.scaled_dot_product_attention(*(each.transpose(1, 2) for each in (q, k, v)), is_causal=True, enable_gqa=True)
        x = x + seen.transpose(1, 2).reshape(sequences, length, hidden) @ weights[prefix + "o"]
        h = norm(x, prefix + "norm2")
        x = x + (functional.silu(h @ weights[prefix + "gate"]) * (h @ weights[prefix + "up"])) @ weights[prefix + "down"]
    logits = functional.linear(norm(x, "norm"), weights["embedding"])
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main(program):
    try:
        import torch
    except ImportError:
        skip("PyTorch not here")
    oracle = json.loads(subprocess.run([program], capture_output=True, check=True, text=True).stdout)
    made = {"dtype": torch.float64}
    weights = {tensor["name"]: torch.tensor(tensor["values"], **made).reshape(tensor["shape"]).requires_grad_()
               for tensor in oracle["parameters"]}
    inputs, targets = (torch.tensor(oracle["batch"][side]).reshape(oracle["batch"]["sequences"], -1) for side in ("inputs", "targets"))
    optimiser = torch.optim.AdamW(weights.values(), **oracle["adamw"])
    differences = {}

    def compare(what, should_be, values):
        values = torch.tensor(values, **made).reshape(should_be.shape)
        differences[what] = float((values - should_be).norm() / should_be.norm())

    for step, loss_by_oracle in enumerate(oracle["losses"]):
        optimiser.zero_grad()
        loss = loss_of(torch, oracle["model"], weights, inputs, targets)
        loss.backward()
        print(f"loss of step {step}: {loss.item():.15g}")
        compare(f"loss of step {step}", loss.detach(), loss_by_oracle)
        if step == 0:
            for (name, weight), gradient in zip(weights.items(), oracle["gradients"], strict=True):
                print(f"gradient of {name}: {weight.grad.norm():.15g}")
                compare(f"gradient of {name}", weight.grad, gradient)
        optimiser.step()
    for tensor in oracle["trained"]:
        compare(f"{tensor['name']} after the steps", weights[tensor["name"]].detach(), tensor["values"])
    worst = max(differences, key=differences.get)
    print(f"summary: {len(differences)} tensors, PyTorch {torch.__version__}, largest relative difference {differences[worst]:.2g} ({worst})")
    far = {what: difference for what, difference in differences.items() if not difference <= LIMIT}
    for what, difference in far.items():
        print(f"{what}: {difference:.3g} apart, {LIMIT} is allowed")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
