# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels of these tests, written by hand, and those that ship."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "sim/kernels"


def ptx(body, parameters="", shared="", name="kernel", version="8.0", target="sm_90"):
    """The text of a kernel with some registers, of which %tid.x is %r1 and %ctaid.x %r2."""
    return f""".version {version}
.target {target}
.address_size 64
.visible .entry {name}({parameters})
{{
	.reg .pred %p<4>;
	.reg .b16 %h<4>;
	.reg .b32 %r<16>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<16>;
	{shared}
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	{body}
	ret;
}}
"""


# x[i] = scale * x[i] + y, of f32.
SCALE = ptx("""
	ld.param.u64 %rd1, [x];
	ld.param.f32 %f1, [scale];
	ld.param.u32 %r3, [y];
	mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r5, %r2, %r4, %r1;
	mul.wide.u32 %rd2, %r5, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.f32 %f2, [%rd1];
	cvt.rn.f32.u32 %f3, %r3;
	fma.rn.f32 %f2, %f1, %f2, %f3;
	st.global.f32 [%rd1], %f2;
""", ".param .u64 x, .param .f32 scale, .param .u32 y", name="scale")

# Warp 0 stores, warp 1 loads: with a barrier between them, or without.
HAND_OVER = ptx("""
	ld.param.u64 %rd1, [out];
	mov.u32 %r3, data;
	setp.ge.u32 %p1, %r1, 32;
	shl.b32 %r4, %r1, 2;
	and.b32 %r4, %r4, 127;
	add.u32 %r4, %r3, %r4;
	@!%p1 st.shared.u32 [%r4], %r1;
	BARRIER
	@!%p1 ret;
	ld.shared.u32 %r5, [%r4];
	and.b32 %r6, %r1, 31;
	mul.wide.u32 %rd2, %r6, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r5;
""", ".param .u64 out", ".shared .align 4 .b8 data[128];", name="hand_over")
RIGHT = HAND_OVER.replace("BARRIER", "bar.sync 0;")
RACE = HAND_OVER.replace("BARRIER", "")
