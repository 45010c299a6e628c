#!/usr/bin/env bats
# tests/cli/prices.bats - price books: importing, searching, comparing, lints, and scenarios that name them.
load helper

SHARED=${RACKRATE_SHARED:-$ROOT/../shared}
SKYPILOT=$SHARED/catalogs/skypilot

head_row='provider,product,instance,gpu,gpu_count,unit,region,zone,plan,term,payment,currency,price,upfront,valid_from,source,note'
book() {
    echo "$head_row"
    printf '%s\n' "$@"
}
priced() { scenario '.prices = ["book.csv"] | .pools.p = {"instance": "acme/x4", "region": "east", "nodes": 2, "plan": {"type": "on_demand"}}'; }

@test "a scenario pays what its book says, and the hash of the book is an input" {
    jobs >jobs.csv
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.385,,2025-11-03,quote 17,' >book.csv
    priced >s.json
    run --separate-stderr "$RR" run s.json -o out --format json,csv,md
    [ "$status" -eq 0 ]
    # 2 nodes x 4 GPUs x 48 h x 2.385
    jq -e '.alternatives[0].metrics["cost.total"].mean == 915.84' out/results.json
    sha=$(sha256sum book.csv | cut -d" " -f1)
    jq -e --arg s "$sha" '.inputs | any(.path == "book.csv" and .sha256 == $s)' out/results.json
    grep -q 'quote 17, 2025-11-03 (book.csv:2)' out/report.md
}
@test "a stored result renders the same after the book has changed" {
    jobs >jobs.csv
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.385,,2025-11-03,quote 17,' >book.csv
    priced >s.json
    "$RR" run s.json -q -o out --format md,json,db 2>/dev/null
    cp out/report.md before.md
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,9.5,,2025-11-03,quote 18,' >book.csv
    "$RR" report out -o again --format md >/dev/null
    cmp before.md again/report.md
    rm book.csv
    "$RR" report out -o once-more --format md >/dev/null
    cmp before.md once-more/report.md
}
@test "discounts of a family, the longest pattern" {
    jobs >jobs.csv
    book 'acme,,x4,H100,4,instance-hour,east,,,,,USD,10,,2025-11-03,quote,' >book.csv
    scenario '.prices = [{"path": "book.csv", "discount": {"acme/*": "50 %", "acme/x*": "12.5 %"}}] |
        .pools.p = {"instance": "acme/x4", "region": "east", "nodes": 2, "plan": {"type": "on_demand"}}' >s.json
    "$RR" run s.json -q -o out --format json 2>/dev/null
    jq -e '.alternatives[0].metrics["cost.total"].mean == 840' out/results.json # 2 x 48 h x 8.75
    scenario '.prices = [{"path": "book.csv", "discount": {"acme/y*": "12 %"}}]' >s.json
    fails 3 's.json:[0-9:]+ /prices/0: no instance of book.csv is like "acme/y\*"' "$RR" check s.json
    scenario '.prices = [{"path": "book.csv", "discount": {"acme/*": "120 %"}}]' >s.json
    fails 3 's.json:[0-9:]+ /prices/0/discount/acme~1\*: "120 %" given; a share from 0 to below 100 %' "$RR" check s.json
}
@test "a price that changes cuts the leases at its hour" {
    jobs >jobs.csv
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,3.25,,2026-01-01T18:19:26Z,q,' \
        'acme,,x4,H100,4,GPU-hour,east,,spot,,,USD,1,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,spot,,,USD,2,,2026-01-02T06:00:00Z,q,' >book.csv
    priced >s.json
    "$RR" run s.json -q -o out --format json,md 2>/dev/null
    # 8 GPUs: 19 h at 2.50, from the next whole hour on 29 h at 3.25
    jq -e '.alternatives[0].metrics["cost.total"].mean == 1134' out/results.json
    grep -q 'is $2.50/gpu/h at the start, and changes 1 time, at last to $3.25/gpu/h (line 3)' out/report.md
    printf 'time,nodes\n0,2\n172800,\n' >nodes.csv
    priced | jq '.pools.p.plan = {"type": "spot", "availability": "nodes.csv"} | .classes.all = {"interruptible": true, "where": "gpus > 0"}' >spot.json
    run --separate-stderr "$RR" run spot.json -q -o spot --format json,md
    [ "$status" -eq 0 ] || { echo "$stderr"; false; }
    jq -e '.alternatives[0].metrics["cost.total"].mean == 528' spot/results.json # 8 GPUs: 30 h at 1, 18 h at 2
    ! grep -q 'gaps* of more' spot/report.md
    # the last spot price is of 2 January, 6:00: for 28.75 days it is carried on
    "$RR" run spot.json -q -o gap --format md --set '/horizon="30 days"' 2>/dev/null
    grep -q '1 gap of more than 7 d, the longest 28.8 d: the last price is carried on' gap/report.md
    "$RR" run s.json -q -o own --format json --set '/pools/p/plan/change_per_year=-10 %' 2>/dev/null
    jq -e '.alternatives[0].metrics["cost.total"].mean == 960' own/results.json # the scenario's own course wins
}
@test "bad books: one line and exit 3" {
    jobs >jobs.csv
    priced >s.json
    bad() {
        local want=$1
        shift
        book "$@" >book.csv
        fails 3 "$want" "$RR" check s.json
    }
    bad 'book.csv:2: the price -2.5 is negative' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,-2.5,,2025-11-03,q,'
    bad 'book.csv:2: a price of 0' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,0,,2025-11-03,q,'
    bad 'book.csv:2: unit "hour" is not known' 'acme,,x4,H100,4,hour,east,,,,,USD,2.5,,2025-11-03,q,'
    bad 'book.csv:2: unit "GPU-hours" is not known, did you mean "GPU-hour"' 'acme,,x4,H100,4,GPU-hours,east,,,,,USD,2.5,,2025-11-03,q,'
    bad 'book.csv:2: valid_from is empty' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,,q,'
    bad 'book.csv:2: "2025-02-29" is no date' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-02-29,q,'
    bad 'book.csv:2: the row has no source' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,,'
    bad 'book.csv:2: zone "e1" without a region' 'acme,,x4,H100,4,GPU-hour,,e1,,,,USD,2.5,,2025-11-03,q,'
    bad 'book.csv:2: plan "spott" is not known, did you mean "spot"' 'acme,,x4,H100,4,GPU-hour,east,,spott,,,USD,2.5,,2025-11-03,q,'
    bad 'book.csv:2: the price 2.0000000001 has more than 9 decimals' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.0000000001,,2025-11-03,q,'
    bad 'book.csv:2: "usd" is no currency code' 'acme,,x4,H100,4,GPU-hour,east,,,,,usd,2.5,,2025-11-03,q,'
    bad 'book.csv:2: a reserved price needs a term' 'acme,,x4,H100,4,GPU-hour,east,,reserved,,,USD,2.5,,2025-11-03,q,'
    bad 'book.csv:3: in EUR, but the same price stands in USD on line 2' \
        'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,,,,EUR,2.5,,2025-12-03,q,'
    bad 'book.csv:3: another price of the same key and day stands on line 2' \
        'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.6,,2025-11-03,q,'
    bad 'book.csv:2: 16 cells, the header has 17' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q'
    echo "provider,instance,unit,currency,pricce,valid_from,source" >book.csv
    fails 3 'book.csv:1: column "price" is missing' "$RR" check s.json
}
@test "what cannot be priced is an error, never 0" {
    jobs >jobs.csv
    # run prices; check reads the scenario alone
    priced >s.json
    book 'acme,,x4,H100,4,GPU-hour,west,,,,,USD,2.5,,2025-11-03,q,' >book.csv
    fails 3 'no on_demand price for acme/x4 in east' "$RR" run s.json
    book 'acme,,x4,H100,4,GPU-hour,east,e1,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,e2,,,,USD,2.75,,2025-11-03,q,' >book.csv
    fails 3 'depends on the zone \(e1 on line 2, e2 on line 3' "$RR" run s.json
    fails 3 'zone "e3" of east is not known for acme/x4; there is: e1, e2' "$RR" run s.json --set /pools/p/region=east/e3
    run --separate-stderr "$RR" run s.json --set /pools/p/region=east/e2 -o out --format json
    [ "$status" -eq 0 ]
    jq -e '.alternatives[0].metrics["cost.total"].mean == 1056' out/results.json # 8 x 48 x 2.75
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,,,2025-12-03,q,' >book.csv
    fails 3 'book.csv:3: acme/x4 is not offered on_demand in east from 2025-12-03 on' "$RR" run s.json
    book 'acme,,x4,H100,,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' >book.csv
    fails 3 'book.csv:2: no gpu_count says how many GPUs acme/x4 has' "$RR" run s.json
}
@test "a price of one GPU for a machine of eight is refused" {
    jobs >jobs.csv
    book 'aws,,p5.48xlarge,H100,1,instance-hour,us-east-1,,,,,USD,6.88,,2025-11-03,q,' >book.csv
    scenario '.prices = ["book.csv"] | .pools.p = {"instance": "aws/p5.48xlarge", "region": "us-east-1", "nodes": 2, "plan": {"type": "on_demand"}}' >s.json
    fails 3 'book.csv:2: 1 GPUs, but aws/p5.48xlarge has 8 \(data/facts/instances.csv:[0-9]+\); a price per GPU has the unit GPU-hour' "$RR" run s.json
}
@test "another currency needs a rate, not older than the price" {
    jobs >jobs.csv
    priced >s.json
    book 'acme,,x4,H100,4,instance-hour,east,,,,,EUR,10,,2025-11-03,q,' >book.csv
    fails 3 'no rate for EUR in /fx' "$RR" run s.json
    jq '.fx = {"EUR": {"rate": 1.25, "date": "2025-11-02"}}' s.json >old.json
    fails 3 '/fx/EUR is of 2025-11-02, older than the price of 2025-11-03 \(book.csv:2\)' "$RR" run old.json
    jq '.fx = {"EUR": {"rate": 1.25, "date": "2025-11-03"}}' s.json >new.json
    "$RR" run new.json -q -o out --format json 2>/dev/null
    jq -e '.alternatives[0].metrics["cost.total"].mean == 1200' out/results.json # 2 x 48 h x 12.5
}
@test "the shipped prices: searched, compared, and clean" {
    works "$RR" prices --gpu H100 --region us-east-1 --plan on_demand --json
    jq -e '[.prices[] | select(.instance == "aws/p5.48xlarge")] | length == 1 and .[0].price == 55.04 and .[0].per_gpu_hour == 6.88' <<<"$output"
    works "$RR" prices --at 2024-06 --instance aws/p5.48xlarge --plan on_demand --json
    jq -e '.prices | length == 1 and .[0].price == 98.32' <<<"$output"
    works "$RR" prices --search "h100 lambda"
    [[ $output == *lambda/gpu_1x_h100_pcie* ]]
    works "$RR" prices --compare --gpu h100-80gb-sxm --json
    jq -e '[.compare[].per_gpu_hour] | . == sort and length > 2' <<<"$output"
    works "$RR" prices --lint
    [ "$output" = "nothing looks wrong" ]
    run --separate-stderr "$RR" prices --gpu h100 --at 2019-05-01
    [ "$status" -eq 0 ] && [[ $stderr == 'rackrate: no price holds on that day: the first one is of '20[0-9][0-9]-*-* ]]
    run --separate-stderr "$RR" prices --search "h100 nosuchcloud"
    [ "$status" -eq 0 ] && [ "$stderr" = 'rackrate: no price fits' ]
    fails 3 'no price of the GPU "h100-80gb-sxn", did you mean "h100-80gb-sxm"' "$RR" prices --gpu h100-80gb-sxn
}
@test "lints find what is wrong" {
    book 'aws,,p5.48xlarge,H100,8,instance-hour,us-east-1,,,,,USD,55.04,,2026-01-01,q,' \
        'aws,,p5.48xlarge,H100,8,instance-hour,us-west-2,,,,,USD,6.88,,2026-01-01,q,' \
        'aws,,p5.48xlarge,H100,8,instance-hour,us-east-1,,reserved,1 year,all_upfront,USD,,500000,2026-01-01,q,' \
        'aws,,p5.48xlarge,H100,8,instance-hour,us-east-1,,spot,,,USD,60,,2026-01-01,q,' \
        'acme,,big,H100,8,GPU-hour,,,,,,USD,55,,2026-01-01,q,' \
        'acme,,a,T4,1,instance-hour,,,,,,USD,700,,2026-01-01,q,' 'acme,,b,T4,1,instance-hour,,,,,,USD,700,,2026-01-01,q,' \
        'acme,,c,T4,1,instance-hour,,,,,,USD,700.0,,2026-01-01,q,' >book.csv
    run --separate-stderr "$RR" prices book.csv --lint --json
    [ "$status" -eq 1 ]
    jq -e '[.lints[] | "\(.line) \(.lint)"] - ["2 regions", "3 unit", "4 reserved-dear", "5 spot-dear", "6 unit", "7 band", "7 sentinel", "8 band",
        "8 sentinel", "9 band", "9 sentinel"] == [] and (.lints | length == 11)' <<<"$output"
    book 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.5,,2025-11-03,q,' 'acme,,x4,H100,4,GPU-hour,east,,,,,USD,2.6,,2025-11-03,q,' >book.csv
    run --separate-stderr "$RR" prices book.csv --lint
    [ "$status" -eq 3 ]
    [[ $output == *'book.csv:3: two-prices:'*'$2.6000, but $2.5000 on line 2'* ]]
}
@test "a plain list by its own header" {
    cat >list.csv <<'CSV'
Machine,Cards,Card,Hourly (EUR),Comment
gpu-8,8,H100,19.2,now
gpu-1,1,L40S,1.085,
CSV
    run --separate-stderr "$RR" import prices list.csv -o book.csv --format csv --column instance=Machine --column gpu_count=Cards --column gpu=Card \
        --column 'price=Hourly (EUR)' --set provider=acme --set currency=EUR --set unit=instance-hour --set valid_from=2026-02-03 --set source=offer \
        --discount 'acme/gpu-8=12.5 %'
    [ "$status" -eq 0 ]
    [ "$(sed -n 2,3p book.csv)" = "acme,compute,acme/gpu-8,h100-80gb-sxm,8,instance-hour,,,on_demand,,,EUR,16.8,,2026-02-03,offer,less 12.5 % (acme/gpu-8)
acme,compute,acme/gpu-1,l40s,1,instance-hour,,,on_demand,,,EUR,1.085,,2026-02-03,offer," ]
    fails 3 'list.csv:1: there is no column "Maschine"' "$RR" import prices list.csv -o x.csv --format csv --column instance=Maschine
    fails 3 'column "provider" is missing; --column provider=THEIRS or --set provider=VALUE' "$RR" import prices list.csv -o x.csv --format csv \
        --column instance=Machine
    fails 2 'did you mean "instance"' "$RR" import prices list.csv -o x.csv --format csv --column instanse=Machine
    fails 3 'no price list that is known here' "$RR" import prices list.csv -o x.csv
    [ ! -e x.csv ]
}
@test "the host's and the GPU's half of a machine, sentinels, blanks and shares" {
    cat >gcp.csv <<'CSV'
Region,InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,AvailabilityZone,Price,SpotPrice
us-central1,,,,A100,1.0,"{'Gpus': [{'Name': 'A100', 'Count': 1}]}",us-central1-a,2.93391,1.1134
us-central1,a2-highgpu-1g,12.0,85.0,,,,us-central1-a,0.73948,0.22
us-central1,,,,V100,8,,us-central1-a,19.84,5.92
us-central1,,,,tpu-v6e-256,1,tpu-v6e-256,us-central1-b,700.0,139.31725
us-central1,,,,tpu-v5p-8192,1,tpu-v5p-8192,us-central1-a,17203.2,
CSV
    run --separate-stderr "$RR" import prices gcp.csv -o book.csv --set valid_from=2026-01-01
    [ "$status" -eq 0 ]
    [[ $stderr == *'1 x a price of 700 that stands for none (TPU), first on line 5'* ]]
    [[ $stderr == *'1 x no spot offer (blank), first on line 6'* ]]
    [[ $stderr == *'1 x an accelerator without its host, kept as product accelerator, first on line 4'* ]]
    "$RR" prices book.csv --json >p.json
    jq -e '.prices[] | select(.product == "compute" and .instance == "gcp/a2-highgpu-1g" and .plan == "on_demand") | .price == 3.67339 and .gpus == 1 and .gpu == "a100-40gb-sxm"' p.json
    jq -e '.prices[] | select(.product == "compute" and .instance == "gcp/a2-highgpu-1g" and .plan == "spot") | .price == 1.3334' p.json
    jq -e '.prices[] | select(.instance == "gcp/tpu-v6e-256") | .plan == "spot" and .gpus == 256' p.json
    jq -e '.prices[] | select(.instance == "gcp/tpu-v5p-8192") | .gpus == 4096 and .per_gpu_hour == 4.2' p.json
    jq -e '[.prices[] | select(.gpu == "v100-16gb-sxm") | .product] == ["accelerator", "accelerator"]' p.json
    fails 3 'gcp.csv is a price list \(skypilot\), no book: rackrate import prices gcp.csv -o BOOK' "$RR" prices gcp.csv
    fails 3 'of which day are these prices' "$RR" import prices gcp.csv -o x.csv
    sed 's/,0.73948/,-0.73948/' gcp.csv >bad.csv
    fails 3 'bad.csv:3: the price -0.73948 is negative' "$RR" import prices bad.csv -o x.csv --set provider=gcp --set valid_from=2026-01-01
}
@test "SkyPilot's catalogs: the counts of their README" {
    [ -d "$SKYPILOT" ] || skip "the public data is not here"
    run --separate-stderr "$RR" import prices "$SKYPILOT/v8-2026/gcp_gpu_excerpt.csv" -o gcp.csv --set provider=gcp --set valid_from=2026-01-01
    [[ $stderr == *'169 rows read'* ]]
    [[ $stderr == *'kept: 10 x spot above on demand'* ]]
    [[ $stderr == *'left out: 14 x a price of 700 that stands for none (TPU)'* ]] # two of them are the rest of the README's 12
    "$RR" prices gcp.csv --json >p.json
    jq -e '[.prices[] | select(.product == "compute" and .instance == "gcp/a2-highgpu-1g" and .region == "us-central1" and .plan == "on_demand") | .price] | unique == [3.67339]' p.json
    jq -e '[.prices[] | select(.price == 700)] == []' p.json
    jq -e '.prices[] | select(.instance == "gcp/tpu-v5p-8192" and .price == 17203.2) | .per_gpu_hour == 4.2' p.json
    jq -e '[.prices[] | select(.instance == "gcp/A100-80GB:1" and .region == "us-central1") | .price] | index(1.8462) and index(1.964)' p.json
    run --separate-stderr "$RR" prices gcp.csv --lint --json
    [ "$status" -eq 1 ]
    jq -e '[.lints[] | select(.lint == "regions") | .what] | any(test("H100:1")) and any(test("H200:8"))' <<<"$output"
    run --separate-stderr "$RR" import prices "$SKYPILOT/v5-2023-07-10/azure.csv" -o azure.csv
    "$RR" prices azure.csv --json --region eastus >p.json
    jq -e '[.prices[] | select(.plan == "on_demand") | {(.instance): .gpus}] | add |
        .["azure/Standard_NV6ads_A10_v5"] == 0.167 and .["azure/Standard_NV18ads_A10_v5"] == 0.5 and .["azure/Standard_NV36ads_A10_v5"] == 1
        and .["azure/Standard_NV4as_v4"] == 0.125' p.json
    works "$RR" prices azure.csv --compare --gpu a10 --json
    jq -e '.compare[0].gpus >= 1 and .parts_left_out > 0' <<<"$output"
}
@test "a scenario on an imported catalog, host and GPU" {
    [ -d "$SKYPILOT" ] || skip "the public data is not here"
    jobs >jobs.csv
    "$RR" import prices "$SKYPILOT/v8-2026/gcp_gpu_excerpt.csv" -o gcp.csv --set provider=gcp --set valid_from=2026-01-01 2>/dev/null
    scenario '.prices = ["gcp.csv"] | .pools.p = {"instance": "gcp/a2-highgpu-1g", "region": "us-central1/us-central1-a", "nodes": 2,
        "plan": {"type": "on_demand"}}' >s.json
    "$RR" run s.json -q -o out --format json 2>/dev/null
    jq -e '.alternatives[0].metrics["cost.total"].mean == 352.64544' out/results.json # 2 x 48 h x 3.67339
}
