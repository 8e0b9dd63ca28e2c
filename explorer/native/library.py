"""The library: every kernel by name."""

from __future__ import annotations

from replicheck.explorer.native.kernel import Kernel

expand = Kernel("expand", "expand")
retry = Kernel("expand", "retry")
sort_by_source = Kernel("candidate_sort", "sort_by_source")
count_parts = Kernel("candidate_sort", "count_parts")
scatter = Kernel("candidate_sort", "scatter")
add_all = Kernel("visited_insert", "add_all")
spread = Kernel("visited_insert", "spread")
insert = Kernel("visited_insert", "insert")
gather = Kernel("level_sort", "gather")
renumber = Kernel("exchange", "renumber")
drop_known = Kernel("exchange", "drop_known")
pick_uniformly = Kernel("random_walk", "pick_uniformly")
pick_by_priority = Kernel("random_walk", "pick_by_priority")
pick_with_faults = Kernel("random_walk", "pick_with_faults")
move = Kernel("random_walk", "move")
follow = Kernel("choice_walk", "follow")
count_states = Kernel("random_walk", "count_states")
choose = Kernel("reduction.persistent_set", "choose")
number_states = Kernel("liveness.edge_list", "number_states")
count_edges = Kernel("liveness.edge_list", "count_edges")
place_edges = Kernel("liveness.edge_list", "place_edges")
find_components = Kernel("liveness.strong_components", "find_components")
judge_components = Kernel("liveness.component_fairness", "judge_components")
reach_fair = Kernel("liveness.run_search", "reach_fair")
reach_within = Kernel("liveness.run_search", "reach_within")
