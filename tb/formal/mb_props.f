mb_spec_pkg.sv
ram_props.sv
rr_arbiter_props.sv
mb_word_props.sv
mb_commit_props.sv
mb_park_props.sv
mb_front_props.sv
mb_binds.sv
