#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/cli/finance.bats - the sheets of finance against figures made here from the charges, by bisection and by hand.

load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >two.json <<'END'
{ "rackrate": 1, "name": "two", "start": "2026-02-01", "horizon": "2 years", "baseline": "rent",
  "workload": { "w": { "generate": { "count": 18000, "arrival": { "poisson": { "rate": "1/h" } }, "duration": "30 min", "gpus": 8 } } },
  "finance": { "discount_rate": 0.09, "fiscal_year_start": "04-01", "exit_resale": 0.6,
               "tax": { "rate": 0.21, "depreciation": "macrs_5", "vat": 0.13, "vat_recovered": 1, "vat_lag": 2 } },
  "fx": { "CNY": { "rate": 0.14, "date": "2026-01-02", "source": "made up" } },
  "alternatives": {
    "own": { "pools": { "own": { "hardware": "hgx-h100-8", "nodes": 1, "plan": { "type": "owned", "price": "$241,000", "life": "4 years",
             "residual": 0, "idle_power": "0 W", "max_power": "0 W", "colocation": "$0/kW/month", "maintenance": 0, "people": 0, "staff": "$1/person/year" } } } },
    "rent": { "pools": { "rent": { "gpus_per_node": 8, "nodes": 1, "plan": { "type": "on_demand", "rate": "$2.385/gpu/h" } } } } } }
END
}

@test "returns, break-even and flips are those of the charges" {
    works "$RR" run two.json -o out
    python3 - <<'END'
import csv, json, math
sheets = {s["name"]: s for s in json.load(open("out/results.json"))["sheets"]}
def row(name, first): return next(r for r in sheets[name]["rows"] if r[0] == first)
def near(a, b, most): assert abs(a - b) <= most * max(1, abs(b)), (a, b)

# flows by the month they are due in: rent at each month's end, the purchase at once, half of its price is left after two of four years
paid = {"own": [0] * 25, "rent": [0] * 25}
edges = [(2026 + (m // 12), m % 12 + 1) for m in range(1, 26)]
for c in csv.DictReader(open("out/charges.csv")):
    y, m = int(c["due"][:4]), int(c["due"][5:7])
    paid[c["alternative"]][edges.index((y, m))] += float(c["billed"])
days = (__import__("datetime").date(2028, 2, 1) - __import__("datetime").date(2026, 2, 1)).days
life = (__import__("datetime").date(2030, 2, 1) - __import__("datetime").date(2026, 2, 1)).days
left = 241000 * (1 - days / life)
paid["own"][24] -= left
saved = [r - o for r, o in zip(paid["rent"], paid["own"])]
npv = lambda rate: sum(f / (1 + rate) ** i for i, f in enumerate(saved))
near(row("finance.returns", "own")[6], npv(1.09 ** (1 / 12) - 1), 1e-9)
low, high = 0.0, 1.0
for _ in range(200):
    mid = (low + high) / 2
    low, high = (mid, high) if npv(mid) > 0 else (low, mid)
near(row("finance.returns", "own")[7], (1 + low) ** 12 - 1, 1e-9)
total, payback = 0, None
for i, f in enumerate(saved):
    if total < 0 <= total + f: payback = i - 1 + -total / f
    total += f
near(row("finance.returns", "own")[9], payback, 1e-9)

# break-even use: what fixed capacity costs over what its hours would cost as rent
hours = days * 24 * 8
cost = 241000 - left
rent = next(r for r in sheets["finance.break_even"]["rows"])
m = next(a for a in json.load(open("out/results.json"))["alternatives"] if a["name"] == "rent")["metrics"]
used = m["gpu_hours.used"]["mean"]
near(rent[2], 2.385, 1e-6) # one machine all the time: its rate, however little of it is used
assert rent[4] == "%.1f %%" % (100 * cost / (hours * rent[2])), rent
near(rent[5], cost / used, 1e-6)

# the price at which both cost the same: P less what is left of it, discounted, against the rents
rents = sum(f / 1.09 ** (i / 12) for i, f in enumerate(paid["rent"]))
price = rents / (1 - (1 - days / life) / 1.09 ** 2)
text = row("finance.flips", "/pools/own/plan/price")[3]
assert text.startswith("above $"), text
near(float(text[7:].replace(",", "")), price, 0.005)

# rents that fall by 30 % a year, in steps of a month
falling = sum(f * 0.7 ** (max(0, i - 1) / 12) / 1.09 ** (i / 12) for i, f in enumerate(paid["rent"]))
near(row("finance.rents", "falls by 30 % a year")[2], falling, 1e-6)

# currencies, and MACRS: 20 % of the price in the fiscal year that ends in March 2026, then 32 and 19.2 %
cny = next(r for r in sheets["finance.currencies"]["rows"] if r[:2] == ["own", "CNY"])
near(cny[4], cost / 0.14, 1e-9)
tax = row("finance.tax", "own")
ends = [2 / 12, 14 / 12, 2]
near(tax[2], sum(0.21 * 241000 * s / 1.09 ** t for s, t in zip([0.2, 0.32, 0.192], ends)), 1e-9)
vat = 0.13 * 241000 * (1 - 1 / 1.09 ** (2 / 12))
near(tax[3], vat, 1e-9)
near(tax[4], tax[1] - tax[2] + tax[3], 1e-9)

# the end of March 2026: book value and the cost of leaving at 60 % of it
march = next(r for r in sheets["finance.quarters"]["rows"] if r[:2] == ["2026-02 to 2026-03", "own"])
book = 241000 * (1 - 59 / life)
near(march[10], book, 1e-9)
near(march[11], 0.4 * book, 1e-9)
years = [r[0] for r in sheets["finance.years"]["rows"] if r[1] == "own"]
assert years == ["2026-02 to 2026-03", "2026-04 to 2027-03", "2027-04 to 2028-01"], years
END
}

@test "the sheets add up to the totals" {
    works "$RR" run two.json -o out
    python3 - <<'END'
import json
d = json.load(open("out/results.json"))
sheets = {s["name"]: s for s in d["sheets"]}
for a in d["alternatives"]:
    total, cash = a["metrics"]["cost.total"]["mean"], a["metrics"]["cash.total"]["mean"]
    for name in "finance.months", "finance.quarters", "finance.years":
        rows = [r for r in sheets[name]["rows"] if r[1] == a["name"]]
        assert abs(sum(r[4] for r in rows) - total) < 1e-4, (name, a["name"])
        assert abs(sum(r[2] for r in rows) - cash) < 1e-4, (name, a["name"])
bridge = [r for r in sheets["finance.bridge"]["rows"] if r[0] == "own"]
for r in bridge: assert abs(r[2] + sum(r[3:8]) - r[8]) < 1e-6, r
assert bridge[-1][1] == "all"
END
}

@test "dated prices are the forward curve of rents; flat and yearly courses replace them" {
    printf '%s\n' provider,instance,gpu,gpu_count,unit,region,plan,currency,price,valid_from,source \
        my,my/box,h100,8,instance-hour,,on_demand,USD,19,2025-12-01,list my,my/box,h100,8,instance-hour,,on_demand,USD,11,2026-07-01,announced >book.csv
    cat >curve.json <<'END'
{ "rackrate": 1, "name": "curve", "start": "2026-01-01", "horizon": "1 year", "baseline": "book", "prices": ["book.csv"],
  "workload": { "w": { "generate": { "count": 50, "arrival": { "poisson": { "rate": "1/h" } }, "duration": "30 min", "gpus": 8 } } },
  "alternatives": {
    "book": { "pools": { "p": { "instance": "my/box", "nodes": 1, "plan": { "type": "on_demand" } } } },
    "steps": { "pools": { "p": { "gpus_per_node": 8, "nodes": 1, "plan": { "type": "on_demand", "rate": "$19/h", "steps": { "2026-07-01": "$11/h" } } } } },
    "flat": { "pools": { "p": { "instance": "my/box", "nodes": 1, "plan": { "type": "on_demand", "change_per_year": 0 } } } },
    "own rate": { "pools": { "p": { "gpus_per_node": 8, "nodes": 1, "plan": { "type": "on_demand", "rate": "$13/h" } } } } } }
END
    works "$RR" run curve.json -o curve
    python3 - <<'END'
import json
sheet = next(s for s in json.load(open("curve/results.json"))["sheets"] if s["name"] == "finance.rents")
rows = {r[0].split(":")[0]: r[1:5] for r in sheet["rows"]}
dated, flat = 19 * 181 * 24 + 11 * 184 * 24, 19 * 365 * 24
assert rows["as it is"] == [dated, dated, flat, 13 * 8760], rows
assert rows["flat"] == [flat, flat, flat, 13 * 8760], rows
assert rows["forward curve"] == [dated, dated, dated, 13 * 8760], rows
# a line of one price has a rate, and it makes the cost; a line of several has none
lines = [[c.strip() for c in l.split("|")[1:-1]] for l in open("curve/report.md") if "on-demand, compute" in l]
assert {l[0]: l[4] for l in lines} == {"book": "", "steps": "", "flat": "$19.00/h", "own rate": "$13.00/h"}, lines
fall = sum(d * 24 * 19 * 0.7 ** (m / 12) for m, d in enumerate([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]))
for got in rows["falls by 30 % a year"][:3]: assert abs(got - fall) < 0.01, (got, fall)
END
    jq -e '.sheets[] | select(.name == "finance.rents") | .rows | map(.[0]) | map(startswith("forward")) | any | not' <(
        "$RR" run two.json -o two >/dev/null && cat two/results.json)
}

@test "finance that makes no sense is refused with its place" {
    for bad in '/finance/fiscal_year_start="04-15"' '/finance/tax={"vat": 0.1}' '/finance/tax={"rate": 1.2}' '/finance/exit_penalty=2'; do
        fails 3 "${bad%%=*}" "$RR" check two.json --set "$bad"
    done
}

@test "the register that a run writes is taken back, and a changed one changes what it says" {
    works "$RR" run two.json -o out
    head -1 out/assumptions.csv | grep -qx 'pointer,value,low,mode,high,unit,source,owner,as_of,given,alternatives,effect,as_run'
    # by its own effect: the price of the machine comes before what nobody gave
    works "$RR" run two.json --assumptions out/assumptions.csv -o same
    cmp <(jq 'del(.inputs, .sheets)' out/results.json) <(jq 'del(.inputs, .sheets)' same/results.json)
    cat >mine.csv <<'END'
pointer,value,low,mode,high,unit,source,owner,as_of
/pools/own/plan/price,"USD 300,000","USD 280,000","USD 300,000","USD 350,000",per node,quote 17,ann,2026-01-05
/finance/discount_rate,0.05,,,,,board,,
END
    works "$RR" run two.json --assumptions mine.csv --reps 40 -o mine
    python3 - <<'END'
import csv, json, math
rows = {r["pointer"]: r for r in csv.DictReader(open("mine/assumptions.csv"))}
p = rows["/pools/own/plan/price"]
assert (p["source"], p["owner"], p["as_of"], p["low"], p["high"]) == ("quote 17", "ann", "2026-01-05", "USD 280,000", "USD 350,000"), p
assert rows["/finance/discount_rate"]["value"] == "0.05"
d = json.load(open("mine/results.json"))
own = next(a for a in d["alternatives"] if a["name"] == "own")["metrics"]["cash.total"]
assert 280000 < own["min"] < own["mean"] < own["max"] < 350000, own
# a triangle's mean is a third of the sum; its standard deviation gives the band
sd = math.sqrt((280**2 + 300**2 + 350**2 - 280*300 - 280*350 - 300*350) / 18) * 1000
assert abs(own["mean"] - 310000) < 4 * sd / math.sqrt(40), own
END
}

@test "registers of the shipped scenarios are taken back; a changed row holds where it was used" {
    for name in buy-vs-rent own-or-rent ways-to-pay uncertain; do
        works "$RR" run "$ROOT/data/scenarios/$name.json" --reps 1 -o "$name"
        run "$RR" check "$ROOT/data/scenarios/$name.json" --assumptions "$name/assumptions.csv"
        [ "$status" -eq 0 ]
    done
    # the price of the machine is doubled; the spot prices of another alternative have the same pointer
    sed '/^\/pools\/gpus\/plan\/price,/s/¥1,000,000/¥2,000,000/' own-or-rent/assumptions.csv >dear.csv
    ! cmp -s dear.csv own-or-rent/assumptions.csv
    works "$RR" run "$ROOT/data/scenarios/own-or-rent.json" --reps 1 --assumptions dear.csv -o dear
    python3 - <<'END'
import json
of = lambda d: {a["name"]: a["metrics"]["cash.total"]["mean"] for a in json.load(open(d + "/results.json"))["alternatives"]}
before, after = of("own-or-rent"), of("dear")
# twice the price, and four years of upkeep of 6 % of it
assert abs(after.pop("own") - before.pop("own") - 1e6 * (1 + 4 * 0.06)) < 1, (before, after)
assert before == after, (before, after)
END
    # an input that varies keeps its name and what it goes with; a value alone does not say how it varies
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("uncertain/assumptions.csv")))
x = next(r for r in rows if r["pointer"] == "/finance/electricity")
x["high"] = "$0.20/kWh"
with open("wide.csv", "w", newline="") as f:
    w = csv.DictWriter(f, rows[0].keys()); w.writeheader(); w.writerows(rows)
x["low"] = x["mode"] = x["high"] = ""
with open("alone.csv", "w", newline="") as f:
    w = csv.DictWriter(f, rows[0].keys()); w.writeheader(); w.writerows(rows)
END
    run "$RR" check "$ROOT/data/scenarios/uncertain.json" --assumptions wide.csv
    [ "$status" -eq 0 ]
    fails 3 'alone.csv:[0-9]*: /finance/electricity varies in the scenario' "$RR" check "$ROOT/data/scenarios/uncertain.json" --assumptions alone.csv
}

@test "a register that is wrong is one line with its place" {
    bad_register() { printf '%s\n' "$2" >r.csv; fails 3 "$1" "$RR" check two.json --assumptions r.csv; }
    bad_register 'r.csv:1: ' 'name,value'
    bad_register 'r.csv:2: pointer "price"' $'pointer,value\nprice,3'
    bad_register 'r.csv:3: /finance/pue stands on line 2' $'pointer,value\n/finance/pue,1.2\n/finance/pue,1.3'
    bad_register 'r.csv:2: .*"low" and "high"' $'pointer,value,low,mode,high\n/finance/pue,1.2,1.1,,'
    bad_register 'r.csv:2.*/finance/puee' $'pointer,value\n/finance/puee,1.2'
    bad_register 'r.csv:2.*/finance/pue' $'pointer,value\n/finance/pue,0.2'
    fails 4 'none.csv' "$RR" check two.json --assumptions none.csv
}
