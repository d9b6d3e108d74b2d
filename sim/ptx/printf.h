// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What printf makes of a format.
#ifndef MUSTER_SIM_PTX_PRINTF_H_
#define MUSTER_SIM_PTX_PRINTF_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::ptx {

// `next` gives the next argument of 4 or 8 bytes, `text_at` the string at an address. A conversion
// that C does not have is printed as it stands.
std::string FormatPrintf(std::string_view format,
                         const std::function<std::uint64_t(unsigned)>& next,
                         const std::function<std::string(std::uint64_t)>& text_at);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PRINTF_H_
