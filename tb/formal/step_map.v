// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An assertion as the step of an induction, for circuits that begin in any state: it is assumed in the
// cycles before, and is reached if it fails after six such cycles.
(* techmap_celltype = "$assert" *)
module step_is_reached (input A, input EN);
  wire fails = EN & ~A;
  wire failed;
  (* init = 1'b0 *) wire one;
  (* init = 1'b0 *) wire two;
  (* init = 1'b0 *) wire three;
  (* init = 1'b0 *) wire four;
  (* init = 1'b0 *) wire five;
  (* init = 1'b0 *) wire six;
  \$_FF_ before (.D(fails), .Q(failed));
  \$_FF_ since_1 (.D(1'b1), .Q(one));
  \$_FF_ since_2 (.D(one), .Q(two));
  \$_FF_ since_3 (.D(two), .Q(three));
  \$_FF_ since_4 (.D(three), .Q(four));
  \$_FF_ since_5 (.D(four), .Q(five));
  \$_FF_ since_6 (.D(five), .Q(six));
  \$assume held (.A(~(failed & one)), .EN(1'b1));
  \$cover reached (.A(fails & six), .EN(1'b1));
endmodule
