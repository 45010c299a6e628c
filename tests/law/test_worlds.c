/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_worlds.c - laws over random worlds: all policies x placements x plans x pools x failures x classes x arrays x dependencies x speeds x uncertain inputs, as the registries
 * have them.
 *
 * Each world is a scenario and a trace as a user would write them, two alternatives and sometimes several replications. It goes through the whole study,
 * which checks the five laws of DESIGN.md section 5, twice: once on one thread, once on two, for the same bytes. Then its first alternative is
 * replayed alone: no job is lost or doubled, attempts of one job follow on each other, the clock of everything that is told never goes back, pools and
 * arrays keep their limits, nobody starts before what it depends on has ended, and where the policy leaves nobody out no job waits for whom there
 * is room. A world that is refused must say why in one line; few are. 60 worlds, 1,000 with RACKRATE_LONG. RACKRATE_WORLD=N: that one,
 * and its files stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/cli/registry.c" // the program's own open sets: what is added there is tested here
#include "data/base/rng.h"
#include "data/trace_after.h"
#define rr_series rr_series_told // the store and the engine have a struct of this name each; they never meet elsewhere
#include "sim/study/study.h"
#undef rr_series
#include "sim/supply/supply.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[32], scenario_path[48], trace_path[48], nodes_path[48], speeds_path[48];
static struct rr_arena *arena;
static struct rr_catalog catalog;
static struct {
    long policy[64], placement[64], refused, restarts, failures, reclaims, jobs, held, linked, fast, uncertain, accepts, looks;
} seen;
static int this_world;
static bool guarded; // the first alternative has "max_wait"

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }
static bool chance(struct rr_rng *g, int percent) { return draw(g, 100) < percent; }
#define PICK(g, list) (list)[draw(g, (int)(sizeof(list) / sizeof *(list)))]

// --- a world in words ---

static void put_trace(struct rr_buf *b, struct rr_rng *g)
{
    static const char *const classes[] = {"", "night", "web"}, *const types[] = {"", "", "", "A", "B|A"},
                             *const status[] = {"finished", "finished", "finished", "failed", "killed"};
    const int n = 20 + draw(g, 130), gap = 1 + draw(g, 1500), most = chance(g, 60) ? 9 : 33;
    const bool plain = chance(g, 30), shares = chance(g, 30), typed = chance(g, 30), linked = chance(g, 30), arrays = chance(g, 30);
    const int limit = 1 + draw(g, 6);
    rr_buf_puts(b,
                "job_id,submit_s,duration_s,gpus,estimate_s,time_limit_s,cpus,host_memory_gib,gpu_type,user,account,class,status,priority,"
                "deadline_s,depends_on,think_s,array,array_limit\n");
    int at = 0;
    for (int i = 0; i < n; i++) {
        const int run = chance(g, 4) ? 0 : chance(g, 60) ? draw(g, 4000) : draw(g, 90000);
        at += chance(g, 30) ? 0 : draw(g, gap);
        rr_buf_putf(b, "j%d,%d,%d,", i, at, run);
        if (shares && chance(g, 50))
            rr_buf_putf(b, "0.%d,", 1 + draw(g, 9));
        else
            rr_buf_putf(b, "%d,", plain ? 1 << draw(g, 4) : draw(g, most));
        rr_buf_putf(b, "%d,", run + draw(g, 600) - (run > 300 ? 300 : run));
        if (chance(g, 10)) rr_buf_putf(b, "%d", 1 + run / 2 + draw(g, 4000));
        rr_buf_putf(b, ",%d,%d,%s,u%d,a%d,%s,%s,%d,%d,", plain ? 0 : 1 + draw(g, 8), plain ? 0 : draw(g, 30), typed ? PICK(g, types) : "",
                    draw(g, 4), draw(g, 3), PICK(g, classes), PICK(g, status), draw(g, 5), at + run * 2 + 3600 + draw(g, 40000));
        const bool behind = linked && i > 0 && chance(g, 40); // sometimes of two; mostly of one that came not long before
        if (behind) rr_buf_putf(b, "%sj%d", chance(g, 50) ? "afterany:" : "", i - 1 - draw(g, i < 9 ? i : 9));
        if (behind && chance(g, 30)) rr_buf_putf(b, ";j%d", draw(g, i));
        rr_buf_putf(b, ",%d,", behind && chance(g, 30) ? draw(g, 3000) : 0);
        if (arrays && chance(g, 50))
            rr_buf_putf(b, "x%d,%d\n", draw(g, 3), limit);
        else
            rr_buf_puts(b, ",\n");
    }
}

static void put_nodes(struct rr_buf *b, struct rr_rng *g, bool elastic)
{
    const int min = elastic ? draw(g, 3) : 1 + draw(g, 8);
    if (!elastic)
        rr_buf_putf(b, "\"nodes\": %d", min);
    else
        rr_buf_putf(b, "\"nodes\": {\"min\": %d, \"max\": %d}, \"boot\": \"%d s\", \"idle_timeout\": \"%d s\"", min, min + 1 + draw(g, 7),
                    draw(g, 2) * draw(g, 900), draw(g, 2) * draw(g, 3600));
}

static void put_spot(struct rr_buf *b, struct rr_rng *g)
{
    static const char *const share[] = {"<5 %", "5-10 %", "10-15 %", "15-20 %", ">20 %"};
    const int mean = 2 + draw(g, 9);
    rr_buf_puts(b, "{\"type\": \"spot\", \"price\": ");
    if (chance(g, 30))
        rr_buf_putf(b, "\"$%d.5/h\"", mean);
    else
        rr_buf_putf(b, "{\"model\": {\"mean\": \"$%d/h\", \"sd\": 0.%d, \"half_life\": \"%d h\"}}", mean, 1 + draw(g, 8), 1 + draw(g, 9));
    if (chance(g, 70)) rr_buf_putf(b, ", \"max_price\": \"$%d/h\"", mean + 1 + draw(g, 2));
    if (chance(g, 50))
        rr_buf_puts(b, ", \"availability\": \"nodes.csv\"");
    else if (chance(g, 70))
        rr_buf_putf(b, ", \"availability\": {\"monthly\": 0.9999%d, \"batch\": %d}", draw(g, 10), 1 + draw(g, 4));
    else
        rr_buf_putf(b, ", \"availability\": {\"hazard\": \"%s\"}", PICK(g, share));
    rr_buf_putf(b, ", \"notice\": \"%d s\"}", draw(g, 3) * 60);
}

static void put_speeds(struct rr_buf *b, struct rr_rng *g)
{
    rr_buf_putf(b, "class,gpu,throughput\n*,A,1\n*,B,0.%d\nnight,A,%d\nnight,B,3.7\n", 1 + draw(g, 9), 1 + draw(g, 5));
}

static bool put_pools(struct rr_buf *b, struct rr_rng *g, bool fast)
{
    static const char *const accepts[] = {"gpus <= 4", "gpus > 2 or class == 'night'", "user != 'u1'", "run > 600 or gpus < 3"};
    const int n = 1 + draw(g, 3), market = chance(g, 50) ? draw(g, n) : -1;
    rr_buf_puts(b, "\"pools\": {");
    for (int i = 0; i < n; i++) {
        const bool spot = i == market, elastic = spot || chance(g, 40);
        rr_buf_putf(b, "%s\"p%d\": {\"gpus_per_node\": %d, ", i ? ", " : "", i, chance(g, 70) ? 8 : 1 + draw(g, 8));
        if (chance(g, 40)) rr_buf_putf(b, "\"cpus\": %d, \"memory\": \"%d GiB\", ", 16 + draw(g, 80), 64 + draw(g, 500));
        if (fast || chance(g, 40)) rr_buf_putf(b, "\"gpu\": \"%s\", ", chance(g, 50) ? "A" : "B");
        if (chance(g, 25)) rr_buf_puts(b, "\"nodes_per_switch\": 2, \"nodes_per_rack\": 4, ");
        const bool picks = n > 1 && chance(g, 20);
        if (picks) rr_buf_putf(b, "\"accepts\": \"%s\", ", PICK(g, accepts));
        seen.accepts += picks;
        put_nodes(b, g, elastic);
        rr_buf_puts(b, ", \"plan\": ");
        if (spot)
            put_spot(b, g);
        else
            rr_buf_putf(b, "{\"type\": \"on_demand\", \"rate\": \"$%d.%d/h\"}", 1 + draw(g, 30), draw(g, 10));
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "}");
    return n > 1 && market >= 0;
}

static bool put_failures(struct rr_buf *b, struct rr_rng *g)
{
    if (chance(g, 40)) return false;
    rr_buf_putf(b, ", \"failures\": {\"detect\": \"%d s\"", draw(g, 2) * draw(g, 1800));
    if (chance(g, 50))
        rr_buf_putf(b, ", \"node_mtbf\": \"%d h\"", 20 + draw(g, 400));
    else
        rr_buf_putf(b, ", \"node\": {\"weibull\": {\"scale\": \"%d h\", \"shape\": %s}}", 20 + draw(g, 400), chance(g, 50) ? "0.7" : "1.8");
    if (chance(g, 30)) rr_buf_putf(b, ", \"gpu_mtbf\": \"%d h\"", 1000 + draw(g, 3000));
    if (chance(g, 50)) rr_buf_puts(b, ", \"causes\": {\"gpu\": 5, \"network\": 2, \"software\": 1, \"node\": 1, \"power\": 1}");
    if (chance(g, 50))
        rr_buf_putf(b, ", \"repair\": \"%d s\"", draw(g, 2) * draw(g, 9000));
    else
        rr_buf_puts(
            b, ", \"repair\": {\"minutes\": \"20 min\", \"days\": {\"lognormal\": {\"median\": \"9 h\", \"sigma\": 1}}, \"share\": 0.2}");
    if (chance(g, 40))
        rr_buf_putf(b, ", \"domains\": {\"%s\": {\"mtbf\": \"%d h\", \"nodes\": %d}}", rr_domain_names[draw(g, RR_DOMAINS)],
                    50 + draw(g, 400), 1 + draw(g, 5));
    if (chance(g, 40))
        rr_buf_putf(b, ", \"maintenance\": {\"m\": {\"every\": \"%d h\", \"length\": \"%d min\", \"notice\": \"%d min\"%s}}",
                    10 + draw(g, 50), 1 + draw(g, 300), draw(g, 2) * draw(g, 300), chance(g, 50) ? ", \"at_once\": 2" : "");
    rr_buf_puts(b, "}");
    return true;
}

static void put_checkpoint(struct rr_buf *b, struct rr_rng *g, bool fails)
{
    static const char *const rule[] = {"young", "daly", "best"};
    if (chance(g, 25)) return;
    rr_buf_puts(b, ", \"checkpoint\": {");
    if (chance(g, 60)) // beside failures a rule is more often of use
        rr_buf_putf(b, "\"interval\": \"%d min\", ", 1 + draw(g, 90));
    else if (fails)
        rr_buf_putf(b, "\"interval\": \"%s\", ", PICK(g, rule));
    rr_buf_putf(b, "\"write\": \"%d s\", \"restore\": \"%d s\", \"start\": \"%d s\", \"on_preempt\": \"%s\", \"on_notice\": %s}",
                draw(g, 120), draw(g, 120), draw(g, 2) * draw(g, 60), chance(g, 60) ? "save" : "lose", chance(g, 60) ? "true" : "false");
}

static void put_classes(struct rr_buf *b, struct rr_rng *g)
{
    if (chance(g, 50)) return;
    rr_buf_putf(
        b,
        ", \"classes\": {\"night\": {\"interruptible\": true, \"priority\": %d}, \"web\": {\"interruptible\": %s, \"priority\": %d, "
        "\"waiting_cost\": \"$%d/h\"}",
        draw(g, 3), chance(g, 70) ? "false" : "true", draw(g, 5), 1 + draw(g, 9));
    if (chance(g, 50))
        rr_buf_puts(
            b, ", \"big\": {\"where\": \"gpus >= 8\", \"pools\": [\"p0\"], \"checkpoint\": {\"interval\": \"7 min\", \"write\": \"9 s\"}}");
    rr_buf_puts(b, "}");
}

static bool has_param(const struct rr_kind *k, const char *name)
{
    for (size_t i = 0; i < k->n_params; i++)
        if (strcmp(k->params[i].name, name) == 0) return true;
    return false;
}

// Policies for spot beside other machines.
static bool is_dated(const struct rr_kind *k) { return strncmp(k->name, "deadline_", 9) == 0; }

static void put_scheduler(struct rr_buf *b, struct rr_rng *g, bool market, bool first)
{
    static const char *const estimate[] = {"\"user\"", "\"exact\"", "{\"factor\": 2.5}"};
    size_t policy = (size_t)draw(g, (int)rr_policies.n);
    while (is_dated(rr_policies.at[policy]) && !market) policy = (size_t)draw(g, (int)rr_policies.n);
    const size_t placement = (size_t)draw(g, (int)rr_placements.n);
    seen.policy[policy]++;
    seen.placement[placement]++;
    rr_buf_putf(b, "\"scheduler\": {\"policy\": \"%s\", \"placement\": \"%s\", \"estimate\": %s, \"blocking\": %s, \"overrun\": \"%s\"",
                rr_policies.at[policy]->name, rr_placements.at[placement]->name, PICK(g, estimate), chance(g, 50) ? "true" : "false",
                chance(g, 80) ? "continue" : "kill");
    if (is_dated(rr_policies.at[policy])) rr_buf_putf(b, ", \"deadline\": \"%d h\"", 1 + draw(g, 90));
    const struct rr_kind *k = rr_policies.at[policy];
    const bool guard = has_param(k, "max_wait") && chance(g, 40);
    if (guard) rr_buf_putf(b, ", \"max_wait\": \"%d min\"", 1 + draw(g, 600));
    if (first) guarded = guard;
    if (has_param(k, "migrate") && chance(g, 40)) rr_buf_putf(b, ", \"migrate\": \"%s\"", chance(g, 50) ? "needed" : "always");
    if (chance(g, 25)) rr_buf_putf(b, ", \"spread_slowdown\": {\"nodes\": 1.%d, \"switch\": 2.%d}", draw(g, 10), draw(g, 10));
    if (chance(g, 20)) rr_buf_puts(b, ", \"order\": \"shortest\"");
    if (chance(g, 20)) rr_buf_putf(b, ", \"round\": \"%d s\"", 1 + draw(g, 600));
    rr_buf_puts(b, "}");
}

static void put_autoscale(struct rr_buf *b, struct rr_rng *g)
{
    const struct rr_kinds all = rr_registry.autoscalers;
    if (!all.n || !chance(g, 40)) return;
    const char *name = all.at[draw(g, (int)all.n)]->name;
    rr_buf_putf(b, ", \"autoscale\": {\"policy\": \"%s\"", name);
    if (strcmp(name, "schedule") == 0) // the one that needs more than its name
        rr_buf_putf(b, ", \"windows\": [{\"days\": \"Fri-Sat\", \"from\": \"09:00\", \"to\": \"1%d:00\", \"nodes\": %d}]", draw(g, 10),
                    draw(g, 6));
    rr_buf_puts(b, "}");
}

static void put_uncertainty(struct rr_buf *b, struct rr_rng *g)
{
    if (chance(g, 70)) return;
    seen.uncertain++;
    rr_buf_puts(b, ", \"uncertainty\": {\"load\": {\"path\": \"/workload/w/load_scale\", \"uniform\": [0.7, 1.6]}");
    if (chance(g, 50))
        rr_buf_puts(
            b, ", \"time\": {\"path\": \"/workload/w/time_scale\", \"triangular\": [0.5, 0.9, 1.7], \"correlation\": {\"load\": -0.4}}");
    rr_buf_puts(b, "}");
}

static void put_scenario(struct rr_buf *b, struct rr_rng *g)
{
    const bool fast = chance(g, 20);
    const char *const reference = fast ? ", \"reference_gpu\": \"A\"" : "";
    seen.fast += fast;
    rr_buf_putf(
        b, "{\"rackrate\": 1, \"name\": \"world\", \"start\": \"2026-02-27\", \"horizon\": \"%d h\", \"seed\": %d, \"replications\": %d, ",
        12 + draw(g, 90), draw(g, 1000), 1 + draw(g, 2));
    if (fast) rr_buf_puts(b, "\"throughput\": \"speeds.csv\", ");
    rr_buf_putf(b, "\"workload\": {\"w\": {\"trace\": \"jobs.csv\"%s}", reference);
    if (chance(g, 30))
        rr_buf_putf(
            b,
            ", \"g\": {\"generate\": {\"count\": %d, \"arrival\": {\"poisson\": {\"rate\": \"%d/h\"}}, \"duration\": {\"lognormal\": "
            "{\"median\": \"20 min\", \"sigma\": 1.2}}, \"gpus\": {\"choice\": {\"1\": 5, \"4\": 2, \"16\": 1}}}%s}",
            1 + draw(g, 80), 1 + draw(g, 20), reference);
    rr_buf_puts(b, "}, ");
    const bool market = put_pools(b, g, fast);
    const bool fails = put_failures(b, g);
    put_checkpoint(b, g, fails);
    put_classes(b, g);
    put_autoscale(b, g);
    put_uncertainty(b, g);
    rr_buf_puts(b, ", \"alternatives\": {\"a\": {");
    put_scheduler(b, g, market, true);
    rr_buf_puts(b, "}, \"b\": {");
    put_scheduler(b, g, market, false);
    rr_buf_puts(b, "}}}");
}

static void put_spot_nodes(struct rr_buf *b, struct rr_rng *g)
{
    rr_buf_puts(b, "time,nodes\n");
    for (int at = 0; at < 100 * 3600; at += 60 * (1 + draw(g, 600))) rr_buf_putf(b, "%d,%d\n", at, draw(g, 8));
}

static void to_file(const char *path, struct rr_buf *b)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(rr_buf_text(b), f) < 0 || fclose(f) != 0) fail_msg("%s", path);
    rr_buf_done(b);
}

// --- the whole study ---

static bool note_job(void *ctx, const struct rr_job_view *v)
{
    struct rr_buf *b = ctx;
    rr_buf_putf(b, "%s %s %s %lld %lld %lld %lld %lld %s\n", v->alternative, v->id, v->status, (long long)v->submit_us,
                (long long)v->start_us, (long long)v->end_us, (long long)v->lost_us, (long long)v->attempts, v->reason ? v->reason : "");
    return true;
}
static enum rr_status each_job(void *ctx, const struct rr_job_view *v) { return note_job(ctx, v) ? RR_OK : RR_EINTERNAL; }

// All that a run tells, as one text. False: refused.
static bool studied(int world, const struct rr_scenario_set *set, int threads, struct rr_buf *b)
{
    struct rr_study *st = NULL;
    const struct rr_study_options opt = {.threads = threads, .keep_jobs = true};
    const enum rr_status got = rr_study_run(set, &opt, &st);
    if (got == RR_EINPUT) return false;
    if (got != RR_OK) fail_msg("world %d: %s", world, rr_reason());
    const struct rr_store *s = rr_study_store(st);
    for (size_t i = 0; i < s->n_alternatives; i++) {
        assert_true(s->alternative[i].n_laws >= 5);
        for (size_t k = 0; k < s->alternative[i].n_laws; k++)
            if (!s->alternative[i].law[k].holds)
                fail_msg("world %d: law %s: %s", world, s->alternative[i].law[k].law, s->alternative[i].law[k].detail);
        for (size_t j = 0; j < s->alternative[i].trace->n; j++) // alternatives share their arrivals
            assert_int_equal(s->alternative[i].trace->submit_us[j], s->alternative[0].trace->submit_us[j]);
        seen.restarts += (long)s->alternative[i].metric[RR_M_RESTARTS].mean;
        seen.failures += (long)s->alternative[i].metric[RR_M_NODES_FAILURES].mean;
        seen.reclaims += (long)s->alternative[i].metric[RR_M_SPOT_INTERRUPTIONS].mean;
    }
    rr_store_json(s, b);
    if (rr_store_jobs(s, NULL, each_job, b) != RR_OK) fail_msg("world %d: %s", world, rr_reason());
    rr_study_free(st);
    return true;
}

// --- one replay, looked at closely ---

/* A supplier that only listens: what it is told never lies in the past. */
struct listener {
    int64_t last_us;
    int64_t heard;
    bool greedy; // the policy starts whatever fits
};
static bool is_greedy(const struct rr_sim *s)
{
    static const char *const names[] = {"fifo", "sjf", "srtf", "srsf", "priority", "edf", "las"};
    if (s->how->blocking || s->how->round_us > 0 || guarded) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(s->policy->kind.name, names[i]) == 0) return true;
    return false;
}
// Between two instants: no job that the policy has waits for whom there is room.
static void nobody_is_left_out(struct rr_sim *s)
{
    for (size_t i = 0; i < s->asks.busy.n; i++)
        if (rr_sim_fits(s, s->asks.busy.at[i]))
            fail_msg("world %d: %s, placement %s: at %lld us a job of %d thousandths of a GPU waits, and there is room", this_world,
                     s->policy->kind.name, s->pool[0].placement->kind.name, (long long)s->now_us,
                     s->asks.ask.at[s->asks.busy.at[i]].gpus_milli);
    seen.looks += (long)s->asks.busy.n;
}
static void hear(void *state, const struct rr_sim *s)
{
    struct listener *l = state;
    assert_true(s->now_us >= l->last_us);
    l->last_us = s->now_us;
    l->heard++;
}
static void hear_node(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    assert_true(pool < s->n_pools && node < s->pool[pool].n_nodes);
    hear(state, s);
}
extern const struct rr_supply listener;
static void hear_event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    (void)kind;
    assert_int_equal(data, s->now_us); // it comes when it was to come
    hear(state, s);
    const int64_t next = s->now_us + 977 * RR_S + 1; // at a time of its own, before whatever else may happen then
    rr_supply_at(s, &listener, next, RR_EV_READY, (uint64_t)next);
    if (((struct listener *)state)->greedy && s->now_us > 0) nobody_is_left_out(s);
    for (size_t i = 0; i < s->n_pools; i++)
        assert_true(s->books[i].held <= s->books[i].max && s->books[i].held >= 0 && s->books[i].starting <= s->books[i].held);
}
static enum rr_status listen_from_the_start(void *state, struct rr_sim *s)
{
    ((struct listener *)state)->greedy = is_greedy(s);
    rr_supply_at(s, &listener, 0, RR_EV_TIMER, 0);
    return RR_OK;
}
static void listen_done(void *state) { assert_true(((struct listener *)state)->heard > 0); }
const struct rr_supply listener = {.name = "listener",
                                   .state_size = sizeof(struct listener),
                                   .init = listen_from_the_start,
                                   .event = hear_event,
                                   .done = listen_done,
                                   .drained = hear_node,
                                   .held = hear_node,
                                   .ready = hear_node,
                                   .released = hear_node};

// Of the tasks of one array, from their first start to their last end, never more at once than its limit.
static void arrays_keep_their_limits(int world, const struct rr_trace *t, const struct rr_replay *r)
{
    for (size_t j = 0; t->array_id && j < t->n; j++) {
        const uint32_t a = t->array_id[j];
        const int64_t at_us = r->outcome[j].start_us;
        int32_t n = 0;
        if (a == 0 || at_us == RR_NEVER) continue;
        for (size_t k = 0; k < t->n; k++) n += t->array_id[k] == a && r->outcome[k].start_us <= at_us && r->outcome[k].end_us > at_us;
        if (n > t->array_limit[a])
            fail_msg("world %d: %d tasks of one array at %lld us, limit %d", world, n, (long long)at_us, t->array_limit[a]);
        seen.held++;
    }
}

static void dependencies_hold(int world, const struct rr_trace *t, const struct rr_replay *r)
{
    if (!t->after_at) return;
    struct rr_trace_ids ids;
    rr_trace_ids_init(&ids, t);
    for (size_t j = 0; j < t->n; j++) {
        const struct rr_outcome *o = &r->outcome[j];
        for (struct rr_after a = rr_after_of(t, j); rr_after_next(&a);) {
            const struct rr_outcome *before = &r->outcome[rr_trace_ids_find(&ids, a.id)];
            const int64_t think_us = t->think_us ? t->think_us[j] : 0;
            seen.linked++;
            if (o->start_us == RR_NEVER) continue;
            const bool over = before->state > RR_JOB_RUNNING && (a.any || before->state == RR_JOB_FINISHED);
            if (!over || (before->end_us != RR_NEVER && o->start_us < before->end_us + think_us))
                fail_msg("world %d: job %zu started at %lld us, before %.*s", world, j, (long long)o->start_us, (int)a.id.n, a.id.at);
        }
    }
    rr_trace_ids_done(&ids);
}

static void attempts_are_whole(int world, const struct rr_trace *t, const struct rr_replay *r, bool speeds)
{
    int64_t *last_us = calloc(t->n, sizeof *last_us), *held_us = calloc(t->n, sizeof *held_us), *lost_us = calloc(t->n, sizeof *lost_us);
    uint32_t *n = calloc(t->n, sizeof *n);
    int64_t end_us = 0;
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        const struct rr_outcome *o = &r->outcome[a->job];
        const bool first = n[a->job]++ == 0;
        if (a->end_us < end_us || a->start_us < t->submit_us[a->job] || a->start_us < last_us[a->job] ||
            (first && a->start_us != o->start_us) || a->gpus_milli != t->gpus_milli[a->job])
            fail_msg("world %d: attempt %zu of job %u from %lld to %lld us", world, i, a->job, (long long)a->start_us,
                     (long long)a->end_us);
        end_us = a->end_us;
        last_us[a->job] = a->end_us;
        held_us[a->job] += a->end_us - a->start_us;
        lost_us[a->job] += a->lost_us;
    }
    for (size_t j = 0; j < t->n; j++) {
        const struct rr_outcome *o = &r->outcome[j];
        if (n[j] != o->attempts || held_us[j] != r->held_us[j] || lost_us[j] != o->lost_us ||
            (o->end_us != RR_NEVER && o->end_us != last_us[j]))
            fail_msg("world %d: job %zu has %u attempts, %u told, held %lld and lost %lld us", world, j, n[j], o->attempts,
                     (long long)held_us[j], (long long)lost_us[j]);
        const bool all = o->state == RR_JOB_FINISHED || o->state == RR_JOB_FAILED;
        if (all && !speeds &&
            held_us[j] - lost_us[j] != t->run_us[j]) // at reference speed what is used is the job's work, no more and no less
            fail_msg("world %d: job %zu used %lld us of %lld", world, j, (long long)(held_us[j] - lost_us[j]), (long long)t->run_us[j]);
    }
    free(last_us);
    free(held_us);
    free(lost_us);
    free(n);
}

static void replayed(int world, const struct rr_scenario *s)
{
    struct rr_trace trace = {0}, jobs = {0};
    struct rr_notes notes = {.arena = arena};
    size_t later;
    const struct rr_import_options how = {.format = "csv", .max_rejected = 0};
    if (rr_trace_read(trace_path, &how, arena, &notes, &trace) != RR_OK) fail_msg("world %d: %s", world, rr_reason());
    const struct rr_trace_use use = {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = "w"};
    if (rr_trace_merge(&use, 1, arena, &jobs, &later) != RR_OK) fail_msg("world %d: %s", world, rr_reason());
    static const struct rr_supply *const more[] = {&listener};
    const struct rr_world w = {
        .scenario = s, .trace = &jobs, .horizon_us = s->horizon_us, .timeline_bins = 50, .supply = more, .n_supply = 1};
    struct rr_replay r[2];
    for (int k = 0; k < 2; k++) {
        if (rr_engine_run(&w, &r[k]) != RR_OK) fail_msg("world %d: %s", world, rr_reason());
        if (rr_replay_check_jobs(&w, &r[k], NULL) != RR_OK || rr_replay_check_time(&w, &r[k], NULL) != RR_OK)
            fail_msg("world %d: %s", world, rr_reason());
    }
    attempts_are_whole(world, &jobs, &r[0], s->throughput || s->scheduler.spread.given);
    arrays_keep_their_limits(world, &jobs, &r[0]);
    dependencies_hold(world, &jobs, &r[0]);
    assert_true(r[0].n_attempts == r[1].n_attempts && r[0].n_leases == r[1].n_leases && r[0].events == r[1].events);
    assert_memory_equal(r[0].outcome, r[1].outcome, r[0].n_jobs * sizeof *r[0].outcome);
    for (size_t i = 0; i < r[0].n_attempts; i++) {
        const struct rr_attempt *a = &r[0].attempt[i], *b = &r[1].attempt[i];
        assert_true(a->job == b->job && a->node == b->node && a->start_us == b->start_us && a->end_us == b->end_us &&
                    a->lost_us == b->lost_us);
    }
    seen.jobs += (long)jobs.n;
    for (int k = 0; k < 2; k++) rr_replay_done(&r[k]);
    rr_trace_done(&jobs);
    rr_trace_done(&trace);
    rr_notes_done(&notes);
}

// --- worlds ---

static void refused(int world)
{
    seen.refused++;
    if (strchr(rr_reason(), '\n') || strlen(rr_reason()) < 20) fail_msg("world %d: refused with \"%s\"", world, rr_reason());
    if (getenv("RACKRATE_WORLD")) print_message("world %d: %s\n", world, rr_reason());
}

static bool loaded(struct rr_scenario_set **ret)
{
    const struct rr_scenario_options opt = {.seed = -1, .reps = -1};
    if (rr_scenario_load(scenario_path, &opt, &rr_registry, &catalog, ret) != RR_OK) return false;
    for (size_t v = 0; v < (*ret)->n_variants; v++) {
        struct rr_scenario *s = (*ret)->variant[v];
        s->notes.arena = (*ret)->arena;
        if (rr_price_resolve(s, &catalog, (*ret)->arena, &s->notes) != RR_OK) return false;
    }
    return true;
}

static void one_world(int world)
{
    struct rr_rng g;
    struct rr_buf b = {0}, once = {0}, twice = {0};
    struct rr_scenario_set *set = NULL;
    this_world = world;
    rr_rng_init(&g, 4711, 0, RR_RNG_TEST, (uint64_t)world);
    arena = rr_arena_create();
    put_trace(&b, &g);
    to_file(trace_path, &b);
    put_spot_nodes(&b, &g);
    to_file(nodes_path, &b);
    put_speeds(&b, &g);
    to_file(speeds_path, &b);
    put_scenario(&b, &g);
    to_file(scenario_path, &b);
    if (!loaded(&set) || !studied(world, set, 1, &once)) {
        refused(world);
    } else {
        if (!studied(world, set, 2, &twice)) fail_msg("world %d: refused on two threads: %s", world, rr_reason());
        if (strcmp(rr_buf_text(&once), rr_buf_text(&twice)) != 0) fail_msg("world %d: other bytes on two threads", world);
        replayed(world, set->variant[0]);
    }
    rr_buf_done(&once);
    rr_buf_done(&twice);
    rr_scenario_set_free(set);
    rr_arena_free(arena);
}

static int setup(void **state)
{
    (void)state;
    static struct rr_arena *facts;
    facts = rr_arena_create();
    *state = facts;
    strcpy(dir, "/tmp/test_worldsXXXXXX");
    if (!mkdtemp(dir) || rr_cli_catalog(facts, &catalog) != RR_OK) return -1;
    snprintf(scenario_path, sizeof scenario_path, "%s/s.json", dir);
    snprintf(trace_path, sizeof trace_path, "%s/jobs.csv", dir);
    snprintf(nodes_path, sizeof nodes_path, "%s/nodes.csv", dir);
    snprintf(speeds_path, sizeof speeds_path, "%s/speeds.csv", dir);
    return 0;
}

static int teardown(void **state)
{
    rr_arena_free(*state);
    if (getenv("RACKRATE_WORLD")) {
        print_message("%s\n", scenario_path);
        return 0;
    }
    unlink(scenario_path);
    unlink(trace_path);
    unlink(nodes_path);
    unlink(speeds_path);
    return rmdir(dir);
}

static void the_laws_hold_in_every_world(void **state)
{
    (void)state;
    const char *only = getenv("RACKRATE_WORLD");
    const int worlds = getenv("RACKRATE_LONG") ? 1000 : 60;
    if (only) {
        one_world(atoi(only));
        return;
    }
    for (int i = 0; i < worlds; i++) one_world(i);
    print_message("%d worlds, %ld refused; %ld jobs, %ld restarts, %ld failures of nodes, %ld spot nodes taken back\n", worlds,
                  seen.refused, seen.jobs, seen.restarts, seen.failures, seen.reclaims);
    print_message("%ld tasks of limited arrays, %ld dependencies, %ld looks at who waits beside room\n", seen.held, seen.linked,
                  seen.looks);
    print_message("%ld worlds with throughputs, %ld with uncertain inputs, %ld pools that accept some\n", seen.fast, seen.uncertain,
                  seen.accepts);
    for (size_t i = 0; i < rr_policies.n; i++) print_message("  %s in %ld\n", rr_policies.at[i]->name, seen.policy[i]);
    for (size_t i = 0; i < rr_placements.n; i++) print_message("  %s in %ld\n", rr_placements.at[i]->name, seen.placement[i]);
    for (size_t i = 0; worlds > 500 && i < rr_policies.n; i++) assert_true(seen.policy[i] > 10);
    assert_true(seen.refused < worlds / 8);
    assert_true(seen.held > worlds && seen.linked > worlds && seen.looks > worlds && seen.fast > 0 && seen.uncertain > 0 &&
                seen.accepts > 0);
    assert_true(seen.restarts > worlds && seen.failures > worlds && seen.reclaims > worlds / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(the_laws_hold_in_every_world, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
