# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# What others need beside libraries and headers: the sources of the unit with their file list, the
# named configurations, and what find_package(muster) reads.
include(CMakePackageConfigHelpers)
set(MUSTER_DATA_DIR ${CMAKE_INSTALL_DATADIR}/muster)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/muster)

install(DIRECTORY rtl DESTINATION ${MUSTER_DATA_DIR})
install(FILES scripts/cmake/muster_rtl.cmake DESTINATION ${MUSTER_DATA_DIR}/scripts/cmake)
install(FILES sim/ptx/launch/manifest.schema.json sim/ptx/launch/schedule.schema.json sim/explore/explore.schema.json sim/litmus/litmus.schema.json
              sim/explore/needless.schema.json sim/gpu/gpu.schema.json sim/kernels/cuda.h
        DESTINATION ${MUSTER_DATA_DIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT muster-targets NAMESPACE muster:: DESTINATION ${package})
if(TARGET muster_tlm)
  install(EXPORT muster-tlm-targets NAMESPACE muster:: DESTINATION ${package})
endif()
configure_package_config_file(scripts/cmake/muster-config.cmake.in muster-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS MUSTER_DATA_DIR)
write_basic_package_version_file(muster-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/muster-config.cmake
              ${PROJECT_BINARY_DIR}/muster-config-version.cmake DESTINATION ${package})
