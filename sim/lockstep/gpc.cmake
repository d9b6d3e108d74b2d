# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# The GPCs of the configurations (muster_gpc): a library for each, Verilated as a whole, which has MakeGpc; and the
# harness. A program has one of them.
file(READ ${PROJECT_SOURCE_DIR}/rtl/configs.json all_configs)
string(JSON gpcs GET "${all_configs}" muster_gpc)
muster_read_file_list(${PROJECT_SOURCE_DIR}/rtl/muster.f gpc_sources gpc_options)

add_library(muster_gpc_lockstep gpc_crossing.cpp gpc_harness.cpp)
target_link_libraries(muster_gpc_lockstep PUBLIC muster_lockstep)
set_target_properties(muster_gpc_lockstep PROPERTIES UNITY_BUILD OFF)  # whoever needs the checks alone links no GPC

set(built "")
string(JSON count LENGTH "${gpcs}")
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
  string(JSON name MEMBER "${gpcs}" ${index})
  string(JSON unit GET "${gpcs}" ${name} Unit)
  string(JSON config ERROR_VARIABLE lacks GET "${configs}" ${unit})
  if(MUSTER_RTL OR lacks OR NOT unit IN_LIST names)  # a GPC is Verilated from the sources themselves
    continue()
  endif()
  list(APPEND built ${name})
  foreach(pair num_units/NumUnits en_atomics/EnAtomics floats/Floats en_128/En128 lanes_per_beat/LanesPerBeat num_clusters/NumClusters num_grids/NumGrids num_ranks/NumRanks)
    string(REPLACE "/" ";" pair ${pair})
    list(GET pair 0 variable)
    list(GET pair 1 parameter)
    string(JSON ${variable} GET "${gpcs}" ${name} ${parameter})
  endforeach()
  set(members "")
  string(JSON length LENGTH "${config}")
  math(EXPR last_member "${length} - 1")
  foreach(member RANGE ${last_member})
    string(JSON parameter MEMBER "${config}" ${member})
    string(JSON value GET "${config}" ${parameter})
    list(APPEND members ${parameter}=${value})
  endforeach()
  muster_cfg(cfg ${members})
  string(JSON num_warps GET "${config}" NumWarps)
  string(JSON num_ctas GET "${config}" NumCtas)
  string(JSON num_issue GET "${config}" NumIssue)
  string(JSON warp_size GET "${config}" WarpSize)

  # The instances of gpc.vlt, as Verilator names them.
  set(units "")
  set(warps "")
  set(atomics "")
  math(EXPR last_unit "${num_units} - 1")
  foreach(u RANGE ${last_unit})
    set(of_unit root->__PVT__muster_gpc__DOT__g_unit__BRA__${u}__KET____DOT__u_unit__DOT__)
    list(APPEND units ${of_unit}u_muster)
    list(APPEND warps ${of_unit}u_warp)
    list(APPEND atomics ${of_unit}g_atomics__DOT__u_atomics)
  endforeach()
  list(JOIN units ", " units)
  list(JOIN warps ", " warps)
  list(JOIN atomics ", " atomics)
  configure_file(gpc_unit.cpp.in gpc_unit_${name}.cpp @ONLY)
  add_library(muster_gpc_unit_${name} STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/gpc_unit_${name}.cpp)
  muster_verilate(muster_gpc_unit_${name} HOOKED SETTLED
    PREFIX V${name}
    TOP_MODULE muster_gpc
    SOURCES ${gpc_sources}
    VERILATOR_ARGS ${PROJECT_SOURCE_DIR}/tb/lockstep/gpc.vlt ${gpc_options} -GNumUnits=${num_units}
                   -GEnAtomics=1'b${en_atomics} -GFloats=${floats} -GEn128=1'b${en_128}
                   -GLanesPerBeat=${lanes_per_beat} -GNumClusters=${num_clusters} -GNumGrids=${num_grids} -GNumRanks=${num_ranks} -GCfg=${cfg}
                   +define+MUSTER_OBSERVE
                   --assert -Wno-lint -Wno-fatal ${trace_options} --x-assign fast --x-initial unique --timescale 1ns/1ns
    OPT_FAST -O1)  # compiling takes longer than running
  target_link_libraries(muster_gpc_unit_${name} PUBLIC muster_gpc_lockstep)
endforeach()
set_property(GLOBAL PROPERTY MUSTER_GPCS ${built})
