// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Formats text as printf does.
#ifndef MUSTER_SIM_PTX_SIMT_PRINTF_H_
#define MUSTER_SIM_PTX_SIMT_PRINTF_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::ptx {

// Holds what a kernel has printed, as much of it as is kept.
class Printed {
 public:
  void Add(const std::string& text);
  const std::string& text() const { return text_; }
  std::uint64_t lost() const { return lost_; }  // bytes that came when there was no room

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;  // CUDA's default

  std::string text_;
  std::uint64_t lost_ = 0;
};

// `next` gives the next argument of 4 or 8 bytes, `text_at` the string at an address. A conversion
// that C does not have is printed as it stands.
std::string FormatPrintf(std::string_view format,
                         const std::function<std::uint64_t(unsigned)>& next,
                         const std::function<std::string(std::uint64_t)>& text_at);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_PRINTF_H_
