# SPDX-License-Identifier: MIT
"""The part of results/README.md on the kernels that `aaco run --profile` ties to nodes (node_links.py)."""

HEAD = """
# Kernels of a GPU and their nodes

`aaco run --profile` ties a kernel to the node during which its launching call was under way, on the same thread (docs/measuring/nodes-and-kernels.md). Whether a link is
right is known for *own_sizes*: each of its 200 element-wise nodes has another number of elements, which the grid of a kernel's launch must fit.

"""


def links_section(name, result):
    place = result["environment"]
    lines = [f"## {name}", "", f"{place['gpu'].split(',')[0]}; {place['date']}; aaco of revision {place['revision']}.", "",
             "| model | kernels | with a node | of their time | why not |", "|---|---:|---:|---:|---|"]
    for model, links in result["models"].items():
        if "failed" in links:
            lines.append(f"| {model} | no data | | | {links['failed'].splitlines()[0][:120]} |")
            continue
        others = ", ".join(f"{count} {why}" for why, count in links["by_link"].items() if why != "correlation")
        lines.append(f"| {model} | {links['kernels']} | {links['linked'] / links['kernels']:.2%} | {links['linked_ns'] / links['kernel_ns']:.2%} | {others} |")
    own = result["own_sizes"]
    return "\n".join(lines) + (f"\n\nOf own_sizes, {own['nodes']} nodes have kernels, and {len(own['wrong'])} have one whose grid does not fit.\n")
