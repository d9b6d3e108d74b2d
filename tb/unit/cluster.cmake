# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
muster_cluster_sources(sources)

muster_test(cluster_test cluster_test.cpp cluster_order_test.cpp cluster_network_test.cpp cluster_grid_test.cpp
            cluster_slot_test.cpp cluster_edge_test.cpp cluster_turnover_test.cpp cluster_next_cta_test.cpp cluster_payload_test.cpp cluster_random_test.cpp
            cluster_assert_test.cpp LIBS muster_traffic)
function(muster_cluster_unit name)
  muster_verilate(cluster_test
    TOP_MODULE muster_cluster
    PREFIX Vcluster_${name}
    SOURCES ${sources}
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt +incdir+${PROJECT_SOURCE_DIR}/rtl/common
                   -Wall -Wno-SYNCASYNCNET --assert ${ARGN}
    OPT_FAST -O1)
endfunction()
muster_cluster_unit(pair -GNumUnits=2 -GNumWarps=8 -GNumCtas=2 -GNumClusters=2 -GNumGrids=2)
muster_cluster_unit(four -GNumUnits=4 -GNumWarps=32 -GNumCtas=8 -GNumClusters=8 -GNumGrids=2)
muster_cluster_unit(sixteen -GNumUnits=16 -GNumWarps=4 -GNumCtas=2 -GNumClusters=4 -GNumGrids=8 -GNumRanks=32)
muster_cluster_unit(one -GNumUnits=1 -GNumWarps=4 -GNumCtas=1 -GNumClusters=1 -GNumGrids=1)
muster_cluster_unit(odd -GNumUnits=3 -GNumWarps=5 -GNumCtas=3 -GNumClusters=5 -GNumGrids=3)

muster_verilate(cluster_test
  TOP_MODULE muster_cancel_decode
  PREFIX Vcancel_decode
  SOURCES ${PROJECT_SOURCE_DIR}/rtl/muster_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/muster_cfg_pkg.sv
          ${PROJECT_SOURCE_DIR}/rtl/atomics/muster_atomics_pkg.sv ${PROJECT_SOURCE_DIR}/rtl/cluster/muster_cluster_pkg.sv
          ${PROJECT_SOURCE_DIR}/rtl/cluster/muster_cancel_decode.sv
  VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/rtl/muster.vlt -Wall
  OPT_FAST -O1)
