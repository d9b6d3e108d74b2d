cta_spec_pkg.sv
cta_life_props.sv
cta_props.sv
cta_binds.sv
