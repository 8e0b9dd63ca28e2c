/*
 * A model for Spin, written by replicheck.
 *
 * scenario: clock
 *
 * A cell of the state is a variable, which holds the number of its value.
 * A d_step is one step, and one transition of Spin.
 *
 * replicheck: 2 distinct states, 2 generated, depth 2
 * Spin:       3 states, stored; 4 transitions
 * Spin begins in a state of its own, which it counts as a state and as a
 * transition, and goes from there to each initial state (1).
 *
 *     spin -a clock.pml
 *     gcc -O2 -DNOREDUCE -DSAFETY -o pan pan.c
 *     ./pan -m10000 -w16
 */

/*
 * The values of at
 * 0  0
 * 1  1
 */
byte at;

/* Always 0: an assertion fails with the name of what is wrong */
hidden byte met_by_replicheck;

active proctype system()
{
  if
  :: d_step {
      at = 0
    }
  fi;
end_of_a_run:
  do
  :: false
  /* go */
  :: d_step {
      true ->
      if
      :: at == 0 ->
         at = 1
      :: else ->
         at = 0
      fi
    }
#ifndef UNJUDGED
#endif
  od
}
