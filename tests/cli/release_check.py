"""Checks a released folder with no tolerance: everything adds up, nothing is negative.

    release_check.py FOLDER TRUTH.csv LEVEL:column,... ATTRIBUTE,... [INVARIANT_LEVEL] [BOUNDS.csv ATTRIBUTE]

Tables are compared with the detailed one of the same level, levels with each other, the
microdata with the leaves, invariants with the truth, bounds with their table (lower = n, upper =
9999 n).  Prints the first fault and exits 1.
"""
import collections, csv, os, sys

folder, truth_file = sys.argv[1], sys.argv[2]
levels = [(os.environ.get("TOP", "US"), None)] + [tuple(l.split(":")) for l in sys.argv[3].split(",")]
attributes = sys.argv[4].split(",")
invariant = sys.argv[5] if len(sys.argv) > 5 and sys.argv[5] != "-" else None
bounds = sys.argv[6:8] if len(sys.argv) > 7 else None


def fail(text):
    print("# " + text)
    sys.exit(1)


def read(name):
    with open(os.path.join(folder, name)) as f:
        return list(csv.DictReader(f))


def path(row, depth):
    return tuple(row[l] for l, _ in levels[1:depth + 1])


detailed = []
for depth, (level, _) in enumerate(levels):
    cells = {}
    for row in read(f"{level}.detailed.csv"):
        value = int(row["value"])
        if value < 0:
            fail(f"{level}: a negative count")
        cells[path(row, depth), tuple(row[a] for a in attributes)] = value
    detailed.append(cells)
for depth in range(1, len(levels)):
    sums = collections.Counter()
    for (p, cell), value in detailed[depth].items():
        sums[p[:-1], cell] += value
    for key, value in detailed[depth - 1].items():
        if sums[key] != value:
            fail(f"{levels[depth][0]} does not add up to {key}: {sums[key]} and {value}")
for name in os.listdir(folder):
    if not name.endswith(".csv") or name.split(".")[0] not in [l for l, _ in levels] or "detailed" in name:
        continue
    depth = [l for l, _ in levels].index(name.split(".")[0])
    rows = read(name)
    kept = [i for i, a in enumerate(attributes) if a in rows[0]]
    sums = collections.Counter()
    for (p, cell), value in detailed[depth].items():
        sums[p, tuple(cell[i] for i in kept)] += value
    for row in rows:
        key = path(row, depth), tuple(row[attributes[i]] for i in kept)
        if int(row["value"]) != sums[key]:
            fail(f"{name}: {key} is {row['value']}, its cells add up to {sums[key]}")
if os.path.exists(os.path.join(folder, "people_dp.csv")):
    people = collections.Counter()
    for row in read("people_dp.csv"):
        people[path(row, len(levels) - 1), tuple(row[a] for a in attributes)] += 1
    for key, value in detailed[-1].items():
        if people[key] != value:
            fail(f"microdata: {key} comes {people[key]} times, the table says {value}")
if invariant:
    depth = [l for l, _ in levels].index(invariant)
    true = collections.Counter()
    with open(truth_file) as f:
        for row in csv.DictReader(f):
            true[tuple(row[c] for _, c in levels[1:depth + 1])] += 1
    have = collections.Counter()
    for (p, _), value in detailed[depth].items():
        have[p] += value
    for p, value in have.items():
        if true[p] != value:
            fail(f"invariant: {p} has {value}, the truth is {true[p]}")
if bounds:
    n = collections.Counter()
    with open(bounds[0]) as f:
        for row in csv.DictReader(f):
            n[tuple(row[c] for _, c in levels[1:]), row[bounds[1]]] += int(row["n"])
    at = attributes.index(bounds[1])
    have = collections.Counter()
    for (p, cell), value in detailed[-1].items():
        have[p, cell[at]] += value
    for key, value in have.items():
        if not n[key] <= value <= 9999 * n[key]:
            fail(f"bounds: {key} has {value}, n is {n[key]}")
