tb/formal/cta_spec_pkg.sv
tb/formal/cta_life_props.sv
tb/formal/cta_props.sv
tb/formal/cta_binds.sv
