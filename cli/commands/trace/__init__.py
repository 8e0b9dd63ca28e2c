"""The commands `replicheck trace …`: a saved run is shown in another form, replayed in
the present model, or explained; and the runs of the gallery are searched for anew.
"""
