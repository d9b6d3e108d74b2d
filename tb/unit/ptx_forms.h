// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is said of an instruction alone: whether it is accepted, from which .version and .target on.
#ifndef MUSTER_TB_UNIT_PTX_FORMS_H_
#define MUSTER_TB_UNIT_PTX_FORMS_H_

#include <cstdint>
#include <string>

namespace muster::ptx {

enum class FormVerdict : std::uint8_t { kAccepted, kMisuse, kRefused };

// In a kernel with registers %p0-3, %h0-8, %r0-8, %d0-8, %f0-8, %g0-3, %q0-3 (.b128), %u0-3 (.u32)
// and the variables s and g.
FormVerdict Judge(const std::string& form, unsigned version = 88,
                  const std::string& target = "100a");

struct Form {
  const char* text;
  unsigned version;          // that it needs: 78 is 7.8; 0: any
  unsigned target;           // 90 is sm_90
  const char* variant = "";  // "a" or "f": of that target only, by this name
};

// Each is accepted from its version and target on, and misuse below.
void CheckForms(const Form* begin, const Form* end);

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_FORMS_H_
