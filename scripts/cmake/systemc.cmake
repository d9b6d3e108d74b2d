# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# SystemC, as PkgConfig::SYSTEMC.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)

# A SystemC library built for another C++ standard fails at link time with a puzzling symbol: say
# it here, in a sentence.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::SYSTEMC)
check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char**) { return 0; }"
                          MUSTER_SYSTEMC_IS_CXX17)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT MUSTER_SYSTEMC_IS_CXX17)
  message(FATAL_ERROR "SystemC ${SYSTEMC_VERSION} was found, but a C++17 program does not link with "
                      "it: it was probably built for another C++ standard. Muster is C++17; install "
                      "Debian's libsystemc-dev, or rebuild SystemC with CMAKE_CXX_STANDARD=17.")
endif()
