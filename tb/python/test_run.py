# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""muster.run: arguments and results, reports, exceptions, files."""

import re
import shutil
import subprocess
import sys
import threading

import ml_dtypes
import muster
import numpy as np
import pytest
from kernels import RACE, ROOT, SCALE, SHIPPED, ptx


def test_results_are_in_place():
    values, sums = np.arange(512, dtype=np.uint32), np.zeros(2, np.uint32)
    report = muster.run(SHIPPED / "block_sum/block_sum.ptx", 2, [values, sums, np.uint32(1000)], block=256)
    assert report.ok and report.outcome == "completes" and report.check() is report
    assert (sums == [32640, 98176]).all() and (values == np.arange(512)).all()
    assert report.cycles > 100 and report.operations["sync"] > 0 and report.barriers[0]["generations"] > 0
    assert report.config == "default" and report.seed == 1
    assert "completes after" in repr(report) and "muster run" not in repr(report)


def test_numbers_have_the_types_of_parameters():
    x = np.arange(64, dtype=np.float32)
    muster.run(SCALE, 2, {"x": x, "scale": 0.5, "y": 3}, block=32).check()
    assert (x == np.arange(64) * 0.5 + 3).all()


def test_typed_numbers_that_are_not_finite():
    x = np.ones(32, np.float32)
    muster.run(SCALE, 1, [x, np.float32("inf"), np.uint32(0)], block=32).check()
    assert np.isinf(x).all()


def test_an_array_that_is_not_contiguous():
    backing = np.arange(128, dtype=np.float32)
    x = backing[::2]
    muster.run(SCALE, 2, [x, np.float32(2), np.uint32(0)], block=32).check()
    assert (backing[::2] == np.arange(0, 128, 2) * 2).all() and (backing[1::2] == np.arange(1, 128, 2)).all()


def test_the_same_array_twice_is_one_buffer():
    add = ptx("""
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	setp.ne.u64 %p1, %rd1, %rd2;
	@%p1 trap;
""", ".param .u64 a, .param .u64 b")
    x = np.zeros(4, np.int8)
    muster.run(add, 1, [x, x], block=32).check()
    assert not muster.run(add, 1, [x, x.copy()], block=32).ok
    with pytest.raises(ValueError, match="arg1 and arg0 share memory"):
        muster.run(add, 1, [x, x[:2]], block=32)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.int64, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_types_of_elements(dtype):
    copy = ptx("""
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	cvt.u64.u32 %rd3, %r1;
	add.u64 %rd1, %rd1, %rd3;
	add.u64 %rd2, %rd2, %rd3;
	ld.global.u8 %r3, [%rd1];
	st.global.u8 [%rd2], %r3;
""", ".param .u64 a, .param .u64 b")
    a = np.array([0, 1, 0, 1], dtype)
    b = np.zeros(4, dtype)
    muster.run(copy, 1, [a, b], block=a.nbytes).check()
    assert (a == b).all()


def test_a_structure():
    store = ptx("""
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r3, [pair+4];
	st.global.u32 [%rd1], %r3;
""", ".param .u64 out, .param .align 4 .b8 pair[8]")
    out = np.zeros(1, np.uint32)
    muster.run(store, 1, [out, {"struct": [{"u32": 1}, {"u32": 77}]}], block=1).check()
    assert out[0] == 77


def test_a_deadlock_is_told_and_raised():
    report = muster.run(SHIPPED / "deadlock/deadlock.ptx", 1, block=64)
    assert not report.ok and report.outcome == "deadlock" and report.code == 3
    assert {(stuck["barrier"], stuck["arrived"], stuck["missing"][0]["line"]) for stuck in report.deadlock} == {(1, 1, 22), (2, 1, 18)}
    with pytest.raises(muster.Deadlock, match="missing  warp 1, which waits at barrier 2") as raised:
        report.check()
    assert raised.value.report is report and isinstance(raised.value, muster.Failure)


def test_a_fault_names_the_line_of_a_text():
    wide = ptx("""
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1+16], %r1;
""", ".param .u64 out", name="wide")
    report = muster.run(wide, 1, [np.zeros(1, np.uint32)], block=1)
    (fault,) = report.faults
    assert report.outcome == "memory_fault" and wide.splitlines()[fault["line"] - 1].strip() == "st.global.u32 [%rd1+16], %r1;"
    assert re.search(r"wide-[0-9a-f]{8}\.ptx:16: memory_fault", str(report)) and "/muster-" not in str(report)
    assert report.ptx == wide
    with pytest.raises(muster.Fault):
        report.check()


def test_a_timeout():
    endless = ptx("""
	ld.param.u64 %rd1, [flag];
AGAIN:
	atom.global.add.u32 %r3, [%rd1], 1;
	setp.ne.u32 %p1, %r3, 0xffffffff;
	@%p1 bra AGAIN;
""", ".param .u64 flag")
    with pytest.raises(muster.Timeout):
        muster.run(endless, 1, [np.zeros(1, np.uint32)], block=1, max_cycles=2000).check()


def test_a_read_only_array_is_an_input():
    x = np.ones(32, np.float32)
    x.flags.writeable = False
    muster.run(SCALE, 1, [x, np.float32(1), np.uint32(0)], block=32).check()
    with pytest.raises(ValueError, match="the kernel wrote to arg0, an array that is read-only"):
        muster.run(SCALE, 1, [x, np.float32(2), np.uint32(0)], block=32)


@pytest.mark.parametrize(("change", "error", "message"), [
    ({"kernel": "nowhere.ptx"}, muster.InputError, "nowhere.ptx"),
    ({"kernel": "a\nb"}, muster.InputError, r"kernel-\w+\.ptx:1:1"),
    ({"args": [1.5]}, muster.InputError, "argument"),
    ({"args": [np.zeros(4, np.float32)] * 4}, muster.InputError, "^4 arguments are given, but the kernel scale takes 3 arguments"),
    ({"args": [np.zeros(4, np.complex64), 1.0, 1]}, TypeError, "a kernel has no type complex64: there are bool"),
    ({"args": [np.zeros(0, np.float32), 1.0, 1]}, ValueError, "arg0 is an array without elements"),
    ({"args": ["x", 1.0, 1]}, TypeError, "arg0 is a str: a kernel takes NumPy arrays and numbers"),
    ({"grid": 0}, ValueError, "grid is 0: it is one to three numbers from 1 on"),
    ({"block": 2000}, muster.InputError, "a block of 2000 threads is larger than the configuration default holds .*: use config full"),
    ({"entry": "other"}, muster.InputError, "other"),
    ({"config": "huge"}, muster.InputError, "there is no configuration huge; there are"),
    ({"seeed": 3}, TypeError, "there is no option seeed: there are config, late, log, max_cycles, schedule, seed, "),
    ({"seed": "x"}, TypeError, "the option seed cannot be 'x'"),
    ({"late": "yes"}, TypeError, "the option late cannot be 'yes'"),
    ({"without": 3}, TypeError, "without is 3: it is a list of the numbers"),
    ({"block": "32"}, TypeError, "block is '32': it is one to three numbers from 1 on"),
    ({"block": 32.0}, TypeError, "block is 32.0: it is one to three numbers from 1 on"),
    ({"shared": "x"}, TypeError, "shared is 'x': it is a number of bytes"),
    ({"args": np.zeros(3, np.float32)}, TypeError, "args is a ndarray: it is a list of the kernel's arguments"),
    ({"kernel": "__global__ void scale(float* x) {\n}\n"}, muster.InputError, "the kernel is a text in CUDA C.., and a text is PTX: write it to a .cu file"),
    ({"arch": "sm_90a"}, muster.InputError, "arch and flags are for the compiler of a .cu file"),
])
def test_bad_input_is_an_exception_with_its_sentence(change, error, message):
    given = {"kernel": SCALE, "grid": 1, "args": [np.zeros(32, np.float32), 1.0, 1], "block": 32} | change
    with pytest.raises(error, match=message) as raised:
        muster.run(**given)
    assert "--" not in str(raised.value)


def test_what_a_compiler_would_refuse():
    assert muster.check(SCALE) == []
    assert muster.check(SHIPPED / "block_sum/block_sum.ptx") == []
    (found,) = muster.check(SCALE.replace("fma.rn.f32 %f2,", "bar.sync 17; fma.rn.f32 %f2,"))
    assert re.match(r"scale-\w+\.ptx:\d+:\d+: .*17", found)
    with pytest.raises(muster.InputError):
        muster.check("no PTX\nat all")


def test_files_of_a_run(tmp_path):
    out = np.zeros(2, np.uint32)
    muster.run(SHIPPED / "block_sum/block_sum.ptx", 2, [np.arange(512, dtype=np.uint32), out, 512], block=256, config="small", seed=7,
               wave=tmp_path / "run.fst", timeline=tmp_path / "run.html", trace=tmp_path / "run.json", log=tmp_path / "run.jsonl").check()
    assert (tmp_path / "run.fst").stat().st_size > 1000 and "<html" in (tmp_path / "run.html").read_text()
    assert (tmp_path / "run.jsonl").read_text().count("\n") > 10


def test_seeds_and_configurations_make_other_runs():
    def run(**options):
        return muster.run(SHIPPED / "block_sum/block_sum.ptx", 2, [np.arange(512, dtype=np.uint32), np.zeros(2, np.uint32), 512], block=256, **options)
    assert run(seed=5).cycles == run(seed=5).cycles
    assert len({run(seed=seed).cycles for seed in range(1, 9)}) > 1
    assert muster.configs == ("small", "default") or set(muster.configs) >= {"small", "default"}
    assert run(config="small").config == "small"


def test_accesses_are_late():
    def run(seed, **options):
        memory, out = np.zeros(64, np.uint32), np.zeros(1, np.uint32)
        report = muster.run(SHIPPED / "late/message_passing_reader/wrong.ptx", 2, [memory, out], block=1, seed=seed, **options).check()
        return out[0], report.late
    assert {run(seed)[0] for seed in range(1, 41)} == {42} and run(1)[1] == {} == run(1, late=False)[1]
    late = [run(seed, late=True) for seed in range(1, 41)]
    assert {value for value, _ in late} == {0, 42} and any(of["loads"] > 0 for _, of in late)
    assert all(of["missed"] for value, of in late if value == 0)
    stale = next(of for value, of in late if value == 0)
    assert (30, 21) in {(row["line"], row["stored"]["line"]) for row in stale["missed"]}


def test_a_late_run_keeps_to_no_schedule(tmp_path):
    witness = tmp_path / "witness.json"
    assert not muster.explore(RACE, 1, [np.zeros(32, np.uint32)], block=64, witness=witness).ok
    with pytest.raises(muster.InputError, match="^late: a schedule has the order of what is performed at once"):
        muster.run(RACE, 1, [np.zeros(32, np.uint32)], block=64, schedule=witness, late=True)


def test_numbers_of_numpy_are_numbers():
    x = np.ones(32, np.float32)
    assert muster.run(SCALE, np.int64(1), [x, 2.0, 1], block=(np.uint8(32),), seed=np.int32(2), late=np.True_, max_cycles=np.int64(9999)).check().seed == 2
    assert (x == 3).all()


def test_threads_may_run_at_the_same_time():
    results = []

    def work():
        x = np.arange(32, dtype=np.float32)
        muster.run(SCALE, 1, [x, np.float32(2), np.uint32(1)], block=32).check()
        results.append((x == np.arange(32) * 2 + 1).all())
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


@pytest.mark.skipif(shutil.which("nvcc") is None and shutil.which("clang") is None, reason="neither nvcc nor clang is there to compile CUDA C++")
def test_a_cuda_file(tmp_path):
    source = tmp_path / "block_sum.cu"
    shutil.copy(SHIPPED / "block_sum/block_sum.cu", source)
    values, sums = np.arange(512, dtype=np.uint32), np.zeros(2, np.uint32)
    muster.run(source, 2, [values, sums, np.uint32(1000)], block=256, flags=[f"-I{ROOT}"]).check()
    assert (sums == [32640, 98176]).all()


def test_the_version_is_that_of_the_tree():
    version = re.search(r"project\(muster VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert muster.__version__ == version
    with pytest.raises(AttributeError):
        muster.nothing


def test_modules_are_there_once_they_are_used():
    script = """import sys, muster
assert muster.golden.config("small").num_warps == 8
sys.modules["triton"] = None
try:
    muster.triton
except ModuleNotFoundError as error:
    assert str(error) == "muster.triton needs triton: pip install triton", error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_process_leaves_no_files(tmp_path):
    script = f"import muster, numpy as np\nmuster.run({SCALE!r}, 1, [np.zeros(32, np.float32), 1.0, 1], block=32).check()\n"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert list(tmp_path.iterdir()) == []
