// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ptx_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {

FormVerdict Judge(const std::string& form, unsigned version, const std::string& target) {
  const std::string text = fmt::format(R"(.version {}.{}
.target sm_{}
.address_size 64
.visible .entry k() {{
  .reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;
  .reg .b128 %q<4>; .reg .u32 %u<4>; .reg .f64 %g<4>; .shared .align 16 .b8 s[64];
  .global .align 16 .b8 g[64];
  {}
}})",
                                       version / 10, version % 10, target, form);
  try {
    FormVerdict verdict = FormVerdict::kAccepted;
    for (const Finding& finding : Check(*Parse("f.ptx", text))) {
      verdict = std::max(verdict, finding.runs ? FormVerdict::kMisuse : FormVerdict::kRefused);
    }
    return verdict;
  } catch (const InputError&) {
    return FormVerdict::kRefused;
  }
}

void CheckForms(const Form* begin, const Form* end) {
  for (const Form* form = begin; form != end; ++form) {
    const unsigned version = std::max(form->version, 60U);
    const unsigned newest = std::max(form->version, 88U);
    const std::string target = std::to_string(std::max(form->target, 60U));
    const char* const variant = *form->variant == '\0' ? "a" : form->variant;
    EXPECT_EQ(Judge(form->text, newest, std::to_string(std::max(form->target, 100U)) + "a"),
              FormVerdict::kAccepted)
        << form->text;
    EXPECT_EQ(Judge(form->text, version, target + form->variant), FormVerdict::kAccepted)
        << form->text;
    if (form->version != 0) {
      EXPECT_EQ(Judge(form->text, form->version - 1, std::string("100") + variant),
                FormVerdict::kMisuse)
          << form->text;
    }
    if (form->target != 0) {
      unsigned before = form->target - 1;  // the latest of the older targets
      while (Judge("", newest, std::to_string(before)) != FormVerdict::kAccepted) {
        --before;
      }
      EXPECT_EQ(Judge(form->text, newest, std::to_string(before)), FormVerdict::kMisuse)
          << form->text << " for sm_" << before;
    }
    if (*form->variant != '\0') {
      EXPECT_EQ(Judge(form->text, newest, target), FormVerdict::kMisuse) << form->text;
    }
  }
}

}  // namespace muster::ptx
