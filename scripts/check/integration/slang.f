// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// slang is run with all its warnings of -Wextra but these.
-Wextra
// Each case has a default, unique or not: lowRISC's style, and what simulation does with an unknown value.
-Wno-case-redundant-default
// A cast to a width that another configuration needs.
-Wno-useless-cast
// Of a vector whose width is a parameter, more bits are shifted out than the smallest has.
-Wno-shift-count-overflow
