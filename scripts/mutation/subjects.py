# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What has generated mutants: the unit, what a core puts in front of it, the adapters around it, the scopes beside it, the GPC, the golden model. For each its sources, the programs that may
notice a mutant, and the circuits that may be proven equal with it and without."""

import dataclasses
import pathlib
import re
import typing

from root import ROOT
import configs
import equivalent
import mutations
import mutations_cpp
import trees

# Tests of the unit that take more than a twentieth of a second.
SLOW = ":".join(f"Units/{suite}.*" for suite in ("Idle", "Lazy", "MbWaiting", "ResetTest", "RunTest", "Save", "Skip", "Waiting"))
SLOW_MB = "Mbarrier.NoWakeUpIsLost:Mbarrier.WarpHasItsTurnAmongSplits"
SLOW_WORDS = "MbWord.RandomWordsAndOperations:MbWord.GoldenModelAgrees"
SLOW_AXIL = "*.RandomTraffic/*:*.ResetAtAnyMoment/*:*.LostFaultsStop*:*.CountersStop*"
SLOW_CORES = "*.RandomWorkgroups:*.ResetAtAnyMoment"
CORES = ("Ventus", "Vortex")  # those with an adapter
FIRST = "rtl/muster_pkg.sv"  # what all models read first
# What a core puts in front of the unit, and no model of the unit has.
FRONT = ("rtl/cta/muster_bcu_decode.sv", "rtl/mbarrier/muster_mb_coalesce.sv", "rtl/mbarrier/muster_copy_tracker.sv",
         "rtl/common/muster_fence_tracker.sv")
# Of the atomics: the adder of floating-point numbers, and all that updates go through.
ADDER = ("rtl/atomics/muster_atomics_float", "rtl/atomics/muster_atomics_round", "rtl/atomics/muster_atomics_pkg")
AT_UPDATES = (*ADDER, "rtl/atomics/muster_atomics.sv", *(f"rtl/atomics/muster_atomics_{part}" for part in (
    "drain", "enter", "report", "sums", "turn", "update")))
LOWEST = "rtl/common/muster_lowest.sv"  # the warp scope alone has it


@dataclasses.dataclass(frozen=True)
class Attempt:
    """A program that may notice a mutant: a regression, with a report, or tests of GoogleTest."""
    program: str  # in the build folder
    options: tuple
    block: str | tuple = ""  # whose mutants it can notice: how their paths begin

    @property
    def target(self):
        return pathlib.PurePath(self.program).name

    @property
    def reports(self):
        return self.target.endswith("regress")


def tests(program, pattern, block=""):
    return Attempt(program, (f"--gtest_filter={pattern}",), block)


def regression(config, seeds, cycles):
    return Attempt("tb/lockstep/regress", ("--config", config, "--seeds", seeds, "--cycles", str(cycles)))


def of_core(core):
    """Whose mutants the tests of a core's adapter can notice."""
    return "rtl/adapters/core/", f"rtl/adapters/{core.lower()}/"


def gpc_regression(seeds, cycles):
    return Attempt("tb/gpc/gpc_small_regress", ("--seeds", seeds, "--cycles", str(cycles)))


@dataclasses.dataclass(frozen=True)
class Subject:
    """`short` and `long`: of a configuration the attempts, those that take longer after the others."""
    sources: tuple  # how the paths begin whose mutants these are
    short: typing.Callable
    long: typing.Callable
    verilated: str | tuple  # the folders of Verilated sources, by patterns in the build folder; {config}: the configuration
    tops: typing.Callable  # of a configuration: (module, parameters) of each that is Verilated
    configs: tuple = ("small",)
    unproven: str = "it is in a package, which many modules use"  # why there is no proof where no circuit has it
    others: tuple = ()  # files among the sources whose mutants are those of another subject

    def texts(self, only=None):
        """What the sources are with these mutants, or with those of these numbers only, and all mutants."""
        written, mutants = self.mutated(only)
        written[FIRST] = mutations.PACKAGE + written.get(FIRST, read(FIRST))
        return written | trees.waive_all(), mutants

    def mutated(self, only=None, wires=False):
        return mutations.instrument({path: read(path) for path in rtl_files()},
                                    [path for path in rtl_files() if self.has(path)], only, wires)

    def has(self, path):
        """Whether the mutants of this source are its."""
        return path.startswith(self.sources) and path not in self.others

    def present(self, folder, config, _):
        """Of the numbers of these mutants those that the programs of a build folder have."""
        patterns = (self.verilated,) if isinstance(self.verilated, str) else self.verilated
        return set().union(*(selected_in(source) for pattern in patterns for source in folder.glob(f"{pattern.format(config=config)}/*.cpp")))

    def circuit(self, mutants, top, parameters, folder):
        """The circuit of one of the tops, with a wire for each of these mutants that it has. None: Yosys takes too long for it. Raises
        RuntimeError if Yosys cannot make it."""
        packages = {name for path in rtl_files() for name in re.findall(r"^package (\w+)", read(path), re.MULTILINE)}
        written, _ = self.mutated({mutant["number"] for mutant in mutants if mutant["module"] not in packages}, wires=True)
        texts = {path: written.get(path) or read(path) for path in [*rtl_files(), equivalent.INCLUDED]}
        return equivalent.build(texts, rtl_files(), top, parameters, folder)


@dataclasses.dataclass(frozen=True)
class GoldenModel(Subject):
    """It is judged by what was written from the texts, and by nothing that knows the RTL."""
    unproven: str = "nothing is proven of C++"

    def texts(self, _=None):  # with all of them, also for a sample
        paths = sorted(str(path.relative_to(ROOT)) for room in ("golden", "log") for path in (ROOT / "sim" / room).glob("*.cpp"))
        return mutations_cpp.instrument({path: (ROOT / path).read_text() for path in paths}, ROOT)

    def present(self, folder, config, mutants):
        return {mutant["number"] for mutant in mutants}


def rtl_files():
    return [f"rtl/{line}" for line in (ROOT / "rtl/muster.f").read_text().split() if not line.startswith("+")]


def read(path):
    return (ROOT / path).read_text()


def selected_in(source):
    """The numbers of the mutants that a Verilated source selects."""
    text = source.read_text(errors="replace")
    return {int(number, 0) for number in
            re.findall(r"\((0x[0-9a-f]+|\d+)U\s+[!=]=\s+vlSymsp->TOP__muster_mutant_pkg\.selected\)", text)}


def variants(scope):
    """The variants of a scope that its tests have: (module, parameters) of each."""
    text = (ROOT / f"tb/unit/{scope}.cmake").read_text()
    return [(f"muster_{scope}", dict(re.findall(r"-G(\w+)=(\w+)", line)))
            for line in re.findall(rf"^muster_{scope}_unit\(\w+ (.*)\)$", text, re.MULTILINE)]


def gpc(_):
    values = dict(configs.BY_TOP["muster_gpc"]["gpc_small"])
    unit = configs.UNIT[values.pop("Unit")]
    return [("muster_gpc", values | {name: unit[name] for name in ("NumWarps", "NumCtas", "NumIssue", "SmemBytes")})]


SUBJECTS = {
    "unit": Subject(
        sources=("rtl/common/", "rtl/cta/", "rtl/mbarrier/", "rtl/muster.sv", "rtl/muster_pkg.sv"),
        short=lambda config: [regression(config, "1-2", 2000), tests("tb/lockstep/lockstep_test", f"Units/*-{SLOW}"),
                              tests("tb/unit/mb_test", f"Mbarrier.*:MbarrierCycles.*:MbWord.*-{SLOW_MB}:{SLOW_WORDS}", ("rtl/mbarrier/", "rtl/common/")),
                              tests("tb/unit/mb_test", "MbPark.*", "rtl/mbarrier/muster_mb_park"), regression(config, "1-4", 20000)],
        # What the longest of the tests of mbarriers looks at is in the parking slots.
        long=lambda config: [tests("tb/lockstep/lockstep_test", SLOW), tests("tb/unit/mb_test", "Mbarrier.WarpHasItsTurnAmongSplits", "rtl/mbarrier/"),
                             tests("tb/unit/mb_test", SLOW_WORDS, ("rtl/mbarrier/muster_mb_look", "rtl/mbarrier/muster_mb_verdict", "rtl/mbarrier/muster_mb_pkg")),
                             regression(config, "1-10", 100000),
                             tests("tb/unit/mb_test", "Mbarrier.NoWakeUpIsLost", "rtl/mbarrier/muster_mb_park")],
        verilated="sim/lockstep/verilated/V{config}",
        tops=lambda config: [("muster", configs.UNIT[config])],
        configs=tuple(configs.UNIT),
        others=(*FRONT, LOWEST)),
    "front": Subject(
        sources=FRONT,
        short=lambda _: [tests("tb/unit/bcu_test", "BcuDecode.*", FRONT[0]), tests("tb/unit/mb_test", "MbCoalesce/*-*Random*", FRONT[1]),
                         *(tests("tb/unit/mb_test", f"MbCoalesce/{variant}.Random*", FRONT[1]) for variant in (0, 1)),
                         tests("tb/unit/copies_test", "*", FRONT[2]),
                         tests("tb/unit/fence_test", "*", FRONT[2:])],
        long=lambda _: [],
        verilated=("tb/unit/verilated/Vbcu_decode", "tb/unit/verilated/Vmb_coalesce_*", "tb/unit/verilated/Vcopies", "tb/unit/verilated/Vt*"),
        tops=lambda _: [("muster_bcu_decode", {}), *(("muster_mb_coalesce", {"EnLanes": on, "EnMbLimit": on}) for on in (1, 0)),
                        ("muster_copy_tracker", {"NumWarps": 6, "Epochs": 4, "MaxOutstanding": 3}),
                        ("muster_fence_tracker", {"NumWarps": 8, "NumClasses": 2, "MaxOutstanding": 3})]),
    "adapters": Subject(
        sources=("rtl/adapters/",),
        short=lambda _: [tests("tb/unit/cores_test", "Scheduler.*", "rtl/adapters/scheduler/"),
                         *(attempt for core in CORES for attempt in (
                             tests("tb/unit/cores_test", f"{core}*-{SLOW_CORES}", of_core(core)),
                             tests("tb/unit/cores_test", f"{core}*.ResetAtAnyMoment", of_core(core)))),
                         tests("tb/unit/axil_test", f"Axil/*-{SLOW_AXIL}", "rtl/adapters/axil/"),
                         tests("tb/unit/axil_test", "*.ResetAtAnyMoment/*", "rtl/adapters/axil/"),
                         tests("tb/unit/axil_test", "*.RandomTraffic/*", "rtl/adapters/axil/"),
                         tests("tb/unit/axil_test", "*.LostFaultsStop*", "rtl/adapters/axil/muster_axil_faults"),
                         tests("tb/unit/axil_test", "AxilUnit.*", "rtl/adapters/axil/"),
                         tests("tb/unit/mem_test", "MemoryAdapter*", "rtl/adapters/mem/"),
                         tests("tb/unit/mem_test", "UnitOnMemory*", "rtl/adapters/mem/")],
        long=lambda _: [tests("tb/unit/axil_test", "*.CountersStop*", "rtl/adapters/axil/muster_axil_counters"),
                        *(tests("tb/unit/cores_test", f"{core}*.RandomWorkgroups", of_core(core)) for core in CORES)],
        verilated=tuple(f"tb/unit/verilated/V{part}" for part in ("scheduler", "ventus*", "vortex*", "axil_*", "tcdm*", "obi", "unit_*")),
        tops=lambda _: [("muster_scheduler", {}), ("muster_ventus", {}), ("muster_vortex", {}), ("muster_vortex", {"EndsCount": 0}),
                        ("muster_vortex", {"EnSplit": 0}),
                        *(("muster_mem_port", values) for values in ({"WriteAnswers": 1}, {"WriteAnswers": 0}, {"Outstanding": 2}))],
        unproven="a circuit of muster_axil needs a structure of parameters"),
    "warp": Subject(
        sources=("rtl/warp/", LOWEST),
        short=lambda _: [tests("tb/unit/warp_test", "Warp*-*.RandomPrograms"), tests("tb/unit/warp_test", "Warp/0.RandomPrograms")],
        long=lambda _: [tests("tb/unit/warp_test", "Warp/*.RandomPrograms-Warp/0.RandomPrograms")],
        verilated="tb/unit/verilated/Vwarp_*",
        tops=lambda _: variants("warp")),
    "atomics": Subject(
        sources=("rtl/atomics/",),
        short=lambda _: [tests("tb/unit/atomics_test", "*Assertions.*:AtomicsPorts.*:AtomicsOperations/*:Times.*:Atomics/*-*.RandomUpdates"),
                         tests("tb/unit/atomics_test", "AtomicsLanes.*", ("rtl/atomics/muster_atomics_lanes", "rtl/atomics/muster_atomics_pkg")),
                         tests("tb/unit/atomics_test", "AtomicsFloat.*", ADDER),
                         tests("tb/unit/atomics_test", "Atomics/0.RandomUpdates", AT_UPDATES)],
        long=lambda _: [tests("tb/unit/atomics_test", "Atomics/*.RandomUpdates-Atomics/0.*", AT_UPDATES)],
        verilated="tb/unit/verilated/Vatomics_*",
        tops=lambda _: [("muster_atomics_lanes", {}), ("muster_atomics_update", {}),
                        *(("muster_atomics_enter", {"NumWarps": 8, "En128": wide, "EnRemote": 1}) for wide in (0, 1)),
                        *(("muster_atomics_sums", {"Floats": floats}) for floats in (1, 2, 3))],
        unproven="a circuit of muster_atomics needs a structure of parameters"),
    "cluster": Subject(
        sources=("rtl/cluster/",),
        # The random traffic of the first shape notices most, in half a second; the worst waits of the largest take half a minute.
        short=lambda _: [tests("tb/unit/cluster_test", "ClusterRandom/0.*"),
                         tests("tb/unit/cluster_test", "-ClusterRandom/*:ClusterNetwork/2.*:ClusterOrder/2.*")],
        long=lambda _: [tests("tb/unit/cluster_test", "ClusterNetwork/2.*:ClusterOrder/2.*:ClusterRandom/*-ClusterRandom/0.*")],
        verilated="tb/unit/verilated/Vc*",
        tops=lambda _: [*variants("cluster"), ("muster_cancel_decode", {})]),
    "gpc": Subject(
        sources=("rtl/muster_gpc.sv", "rtl/muster_gpc_unit.sv", "rtl/muster_gpc_pkg.sv", "rtl/muster_async_mux.sv", "rtl/muster_remote_split.sv"),
        short=lambda _: [gpc_regression("1-2", 5000), gpc_regression("1-4", 20000)],
        long=lambda _: [gpc_regression("1-10", 100000)],
        verilated="sim/lockstep/verilated/Vgpc_small",
        tops=gpc),
    "golden": GoldenModel(
        sources=("sim/golden/", "sim/log/"),
        short=lambda _: [tests("tb/golden/golden_test", "-*Random.*")],
        long=lambda _: [tests("tb/golden/golden_test", "*Random.*")],
        verilated="",
        tops=lambda _: []),
}
