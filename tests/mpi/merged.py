# SPDX-License-Identifier: BSD-3-Clause
"""merged.py FILE RANKS - what a merged trace of so many ranks must have; fails with what is wrong."""
import json
import sys

events = json.load(open(sys.argv[1], encoding="utf-8"))
ranks = int(sys.argv[2])
rows = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
spans = [e for e in events if e["ph"] == "X"]


def check(good, *what):
    """End the program with what is wrong."""
    if not good:
        print(*what, *events[:60], sep="\n")
        sys.exit(1)


check(sorted(rows) == list(range(ranks)), "a row for each rank", rows)
check(all(name.startswith(f"rank {r}: ") and "," in name for r, name in rows.items()), "host and device", rows)
check({e["pid"] for e in spans} == set(rows), "spans of every rank, and of nobody else")
check(all(e["dur"] >= 0 for e in spans), "no span ends before it begins")
threads = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
for r in rows:
    mine = [e for e in spans if e["pid"] == r]
    check({"kernel", "exchange", "wait", "call"} <= {e["cat"] for e in mine}, "what a rank does", r)
    check(any((r, e["tid"]) in threads for e in mine if e["cat"] == "kernel"), "its device's own times", r)

# The clocks: an exchange is over on no rank before it has begun on all.
exchanges = {r: sorted((e["ts"], e["ts"] + e["dur"]) for e in spans if e["cat"] == "exchange" and e["pid"] == r)
             for r in rows}
check(len({len(e) for e in exchanges.values()}) == 1 and exchanges[0], "as many exchanges on each rank")
for n in range(len(exchanges[0])):
    begins, ends = zip(*(exchanges[r][n] for r in rows))
    check(max(begins) < min(ends) + 300, f"exchange {n}: the last begins at {max(begins)}, the first ends at {min(ends)}")
