tb/formal/mb_spec_pkg.sv
tb/formal/ram_props.sv
tb/formal/rr_arbiter_props.sv
tb/formal/mb_word_props.sv
tb/formal/mb_commit_props.sv
tb/formal/mb_park_props.sv
tb/formal/mb_front_props.sv
tb/formal/mb_binds.sv
