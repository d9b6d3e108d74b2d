# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# For OpenSTA: sizes and buffers the slowest paths. abc cannot see them whole: it knows neither the time to the output of a flip-flop
# or of a macro, nor set-up times. Each step takes the slowest path, and tries changes of its gates, the slowest gate first, until one
# makes all paths through that gate faster than the slowest was, and no other slower than that. (The end of the path may remain as late,
# by another path.) asic.py has read libraries and netlist, and has set
#   alternatives          of a cell, the others of its function and pins
#   buffers               cells that are buffers, each with the names of its input and output
#   steps                 how many changes there may be

set gain 0.00002  ;# ns that a change must bring
set tries 20     ;# gates of a path that are tried
set buffer_count 0

# The slack of the slowest path, and its drivers, each with its load on the path, the slowest first.
proc slowest {} {
  set path [lindex [find_timing_paths] 0]
  set stages {}
  set driver {}
  set begun 0.0
  foreach point [get_property $path points] {
    set pin [get_property $point pin]
    set now [get_property $point arrival]
    if {[get_property $pin direction] eq "output"} {
      set driver $pin
    } elseif {$driver ne {}} {
      lappend stages [list [expr {$now - $begun}] $driver $pin]
      set begun $now
    }
  }
  return [list [worst_slack] [lsort -real -decreasing -index 0 $stages]]
}

# What keeps a change: its gain at the driver, and no worse slack anywhere.
proc better {driver was} {
  set now [expr {min([get_property $driver max_rise_slack], [get_property $driver max_fall_slack])}]
  return [expr {$now > $was + $::gain && [worst_slack] >= $was - 1e-6}]  ;# properties have seven digits
}

proc resize {driver was} {
  set instance [get_cells -of_objects $driver]
  set before [get_property $instance ref_name]
  if {![dict exists $::alternatives $before]} { return 0 }
  return [first $instance $before [dict get $::alternatives $before] $driver $was]
}

# Takes the smallest cell that makes it better; otherwise the instance keeps the one that it had.
proc first {instance before cells driver was} {
  foreach cell $cells {
    replace_cell $instance $cell
    if {[better $driver $was]} { return 1 }
  }
  replace_cell $instance $before
  return 0
}

# Moves loads, each an instance and its port, to another net.
proc move {loads net} {
  foreach load $loads {
    lassign $load instance port
    ::sta::disconnect_pin_cmd [$instance find_pin [get_property $port full_name]]
    ::sta::connect_pin_cmd $instance $port $net
  }
}

# A buffer for all loads of a gate, or for all but the one on the path.
proc buffer {driver on_path was} {
  set net [get_nets -of_objects $driver]
  set all {}
  set others {}
  foreach pin [get_pins -of_objects $net] {
    if {[get_property $pin direction] ne "input"} continue
    lappend all [list [$pin instance] [$pin port]]
    if {$pin ne $on_path} { lappend others [lindex $all end] }
  }
  if {[llength $all] < 2} { return 0 }
  set name sized_[incr ::buffer_count]
  lassign [lindex $::buffers 0] cell input output
  set instance [make_instance $name $cell]
  make_net $name
  set behind [get_nets $name]
  ::sta::connect_pin_cmd $instance [[$instance cell] find_port $output] $behind
  ::sta::connect_pin_cmd $instance [[$instance cell] find_port $input] $net
  foreach loads [list $others $all] {
    move $loads $behind
    if {[first $instance $cell [lmap buffer $::buffers {lindex $buffer 0}] $driver $was]} { return 1 }
    move $loads $net
  }
  ::sta::disconnect_pin_cmd [$instance find_pin $input]
  ::sta::disconnect_pin_cmd [$instance find_pin $output]
  delete_instance $name
  delete_net $name
  return 0
}

proc improve {} {
  lassign [slowest] was stages
  foreach stage [lrange $stages 0 $::tries-1] {
    lassign $stage delay driver on_path
    if {[resize $driver $was] || [buffer $driver $on_path $was]} { return 1 }
  }
  return 0
}

set begun [worst_slack]
for {set step 0} {$step < $steps && [improve]} {incr step} {}
puts "sized: $step steps, slack $begun to [worst_slack]"
