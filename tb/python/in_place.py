# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A kernel in Triton whose programs race: each doubles the same elements."""

import triton
import triton.language as tl


@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))
