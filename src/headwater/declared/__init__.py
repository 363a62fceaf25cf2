"""Jobs that their authors declare in YAML files, as OpenLineage events.

    text -> values with their lines -> jobs -> events

`yaml_lines` reads a text, `form` is what may stand in it, `reading` brings both together and finds
what is wrong, `events` makes events of it. docs/declared-jobs.md shows the files.
"""
