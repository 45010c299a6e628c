/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/import.c - `rackrate import KIND FILE... -o FILE`: what cluster managers and clouds print, as files that scenarios name.
 *
 * A kind is a row of kinds[]; its options stand in the common list. */
#include "sim/cli/import.h"
#include "data/existing.h"
#include "data/outfile.h"
#include "data/qos.h"
#include "data/trace.h"
#include "sim/cli/profile.h"
#include <inttypes.h>
#include <string.h>

static const struct rr_option options[] = {
    {'o', "out", "FILE", false, "write there (- is standard output)"},
    {0, "format", "NAME", false, "format of the file (default auto): one of rackrate list fleets, pricelists, bills or benchmarks"},
    {0, "set", "KEY=VALUE", true, "prices: what the file does not say, such as provider=aws or valid_from=2026-01-01"},
    {0, "column", "OURS=THEIRS", true, "prices, bill: the file's name of one of our columns, such as price=\"USD/h\""},
    {0, "discount", "PATTERN=SHARE", true, "prices: an agreed share off a family, such as 'aws/p5*=12 %' (not off spot)"},
    {0, "demand", "FILE", false, "bill: machines in use by the hour, as CSV"},
    {0, "max-rejected", "SHARE", false, "bill: share of damaged rows past which it is refused (default 1 %)"},
    {0, "check", NULL, false, "bill: only print where it does not keep to FOCUS"},
    {0, "focus", "VERSION", false, "bill --check: 1.0, 1.1 or 1.2 (default)"},
    {0, "op", "NAME", false, "profiles: the operation, where a log does not say it: all_reduce, ..."},
    {0, "ranks", "N", false, "profiles: GPUs that took part, where a log does not say it"},
    {0, "nodes", "N", false, "profiles: nodes that they were on"},
    {0, "gpus-per-node", "N", false, "profiles: of the nodes, where nothing says how many nodes there were"},
    {0, "network", "TEXT", false, "profiles: what joins the nodes"},
    {0, "max-refused", "SHARE", false, "profiles: share of damaged rows past which a log is refused (default 0.2)"},
};
const struct rr_command rr_command_import;

enum rr_status rr_write_out(const char *path, const struct rr_buf *b)
{
    struct rr_outfile *o = NULL;
    if (strcmp(path, "-") == 0) {
        rr_say(rr_buf_text(b));
        return RR_OK;
    }
    RR_TRY(rr_outfile_open(path, &o));
    rr_outfile_put(o, rr_buf_text(b), b->n);
    enum rr_status st = rr_outfile_finish(o);
    if (st == RR_OK) st = rr_outfile_publish(o);
    rr_outfile_free(o);
    return st;
}

static void put_count(struct rr_buf *b, double v)
{
    char text[RR_DOUBLE_MAX];
    rr_buf_putf(b, ",%s", v > 0 ? rr_double_text(v, text) : "");
}

static enum rr_status import_fleet(const struct rr_args *a, struct rr_buf *b)
{
    const char *path = a->operand[1];
    struct rr_fleet_file f;
    int64_t gpus = 0;
    RR_TRY(rr_fleet_read(path, rr_arg(&rr_command_import, a, "format", "auto"), a->arena, &f));
    rr_buf_puts(b, "name,gpus,cpus,memory_gib,gpu\n");
    for (size_t i = 0; i < f.n; i++) {
        const struct rr_node_shape *s = &f.node[i];
        gpus += s->gpus;
        rr_buf_csv(b, s->name);
        rr_buf_putf(b, ",%d", (int)s->gpus);
        put_count(b, s->cpus_milli / 1000.0);
        put_count(b, s->memory_mib / 1024.0);
        rr_buf_puts(b, ",");
        rr_buf_csv(b, s->gpu);
        rr_buf_puts(b, "\n");
    }
    fprintf(stderr, "rackrate: %s (%s): %zu nodes, %" PRId64 " GPUs", path, f.format, f.n, gpus);
    if (f.left_out) fprintf(stderr, "; %zu left out on which no job can start now, such as %s", f.left_out, f.left_out_first);
    fputs("\n", stderr);
    return RR_OK;
}

/* ---- qualities of service ---- */

static void put_classes(struct rr_buf *b, const struct rr_qos *q, size_t n)
{
    rr_buf_puts(b, "  \"classes\": {\n");
    for (size_t i = 0; i < n; i++) {
        if (*q[i].limits) {
            rr_buf_puts(b, "    // not taken over: ");
            for (const char *c = q[i].limits; *c; c++) rr_buf_put(b, (unsigned char)*c < ' ' ? " " : c, 1);
            rr_buf_puts(b, "\n");
        }
        rr_buf_puts(b, "    ");
        rr_buf_json(b, q[i].name);
        rr_buf_putf(b, ": {\"priority\": %" PRId64 ", \"interruptible\": %s", q[i].priority, q[i].preempted ? "true" : "false");
        if (q[i].wall_us > 0) {
            rr_buf_puts(b, ", \"limit\": \"");
            rr_buf_time(b, q[i].wall_us);
            rr_buf_puts(b, "\"");
        }
        rr_buf_putf(b, "}%s\n", i + 1 < n ? "," : "");
    }
    rr_buf_puts(b, "  },\n");
}

static void put_quota(struct rr_buf *b, bool *any, const char *name, const char *within, int64_t gpus)
{
    struct rr_buf key = {0};
    if (gpus < 0) return;
    rr_buf_putf(&key, "%s%s", name, within);
    rr_buf_puts(b, *any ? ", " : "");
    rr_buf_json(b, rr_buf_text(&key));
    rr_buf_putf(b, ": %" PRId64, gpus);
    rr_buf_done(&key);
    *any = true;
}

/* Quotas are those of fair_share, which does not look at priorities; without quotas priorities count. */
static void put_scheduler(struct rr_buf *b, const struct rr_qos *q, size_t n)
{
    bool quotas = false, users = false, preempts = false, any = false;
    for (size_t i = 0; i < n; i++) {
        quotas |= q[i].gpus >= 0 || q[i].gpus_a_user >= 0;
        users |= q[i].gpus_a_user >= 0;
        preempts |= q[i].preempted;
    }
    const char *by_priority = preempts ? "{\"policy\": \"priority\", \"preempt\": true}" : "{\"policy\": \"priority\"}";
    if (!quotas) {
        rr_buf_putf(b, "  \"scheduler\": %s\n", by_priority);
        return;
    }
    rr_buf_putf(b, "  // the GPUs that a class, or each user in it, may hold at once; in place of this, by priority: %s\n", by_priority);
    rr_buf_putf(b, "  \"scheduler\": {\"policy\": \"fair_share\", \"tenants\": \"class\"%s, \"quotas\": {",
                users ? ", \"within\": \"user\"" : "");
    for (size_t i = 0; i < n; i++) {
        put_quota(b, &any, q[i].name, "", q[i].gpus);
        put_quota(b, &any, q[i].name, "/*", q[i].gpus_a_user);
    }
    rr_buf_puts(b, "}}\n");
}

/* A merge patch with a class for each, and the scheduler that goes by their limits, for `run --values`; what no key stands for is a comment. */
static enum rr_status import_qos(const struct rr_args *a, struct rr_buf *b)
{
    const char *path = a->operand[1];
    struct rr_qos *q;
    size_t n, limited = 0;
    RR_TRY(rr_qos_read(path, a->arena, &q, &n));
    for (size_t i = 0; i < n; i++) limited += *q[i].limits != '\0';
    rr_buf_puts(b, "// Classes by the name that jobs have in the trace's column \"class\". Lay over a scenario: rackrate run SCENARIO "
                   "--values FILE\n{\n");
    put_classes(b, q, n);
    put_scheduler(b, q, n);
    rr_buf_puts(b, "}\n");
    fprintf(stderr, "rackrate: %s: %zu classes", path, n);
    if (limited) fprintf(stderr, "; %zu have limits for which there is no key: they stand as comments", limited);
    fputs("\n", stderr);
    return RR_OK;
}

/* Commitments of several files and both kinds make one list. */
static enum rr_status import_commitments(const struct rr_args *a, struct rr_buf *b)
{
    struct rr_commitments_found found = {0};
    for (int i = 1; i < (int)a->n_operands; i++) RR_TRY(rr_commitments_import(a->operand[i], a->arena, b, &found));
    if (found.n == 0) return rr_fail(RR_EINPUT, "%s: no active commitment; %zu that are not active", a->operand[1], found.left_out);
    fprintf(stderr, "rackrate: %zu commitment%s", found.n, found.n == 1 ? "" : "s");
    if (found.left_out) fprintf(stderr, "; %zu that are not active are left out", found.left_out);
    fputs("\n", stderr);
    return RR_OK;
}

/* Logs of benchmarks as one file of raw samples, which `rackrate fit` reads. */
static enum rr_status import_profiles(const struct rr_args *a, struct rr_buf *b)
{
    struct rr_samples s;
    RR_TRY(rr_cli_samples(&rr_command_import, a, 1, &s));
    rr_samples_json(b, &s);
    fprintf(stderr, "rackrate: %zu file%s, %zu time%s, %zu row%s refused\n", s.n_files, s.n_files == 1 ? "" : "s", s.n, s.n == 1 ? "" : "s",
            s.n_refused, s.n_refused == 1 ? "" : "s");
    return RR_OK;
}

static const struct kind {
    const char *name;
    bool many; /* several files make one */
    enum rr_status (*read)(const struct rr_args *a, struct rr_buf *b);
    enum rr_status (*whole)(const struct rr_args *a); /* reads and writes by itself, in place of `read` */
} kinds[] = {
    {"fleet", false, import_fleet, NULL}, {"qos", false, import_qos, NULL},          {"prices", true, rr_cli_import_prices, NULL},
    {"bill", true, NULL, rr_import_bill}, {"profiles", true, import_profiles, NULL}, {"commitments", true, import_commitments, NULL},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static const struct kind *find(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

static enum rr_status unknown(const struct rr_args *a, const char *name)
{
    const char *names[N_KINDS], *all = "";
    for (size_t i = 0; i < N_KINDS; i++) {
        names[i] = kinds[i].name;
        all = rr_strf(a->arena, "%s%s%s", all, i ? ", " : "", names[i]);
    }
    return rr_fail(RR_EUSAGE, "import: unknown kind \"%s\"%s; known: %s", name, rr_did_you_mean(a->arena, name, names, N_KINDS), all);
}

static enum rr_status import(const struct rr_args *a)
{
    const char *name = a->operand[0], *out = rr_arg(&rr_command_import, a, "out", NULL);
    const struct kind *kind = find(name);
    if (!kind) return unknown(a, name);
    if (a->n_operands < 2) return rr_fail(RR_EUSAGE, "import: which file? rackrate import %s FILE -o FILE", name);
    if (a->n_operands > 2 && !kind->many)
        return rr_fail(RR_EUSAGE, "import: \"%s\" is one file too many: rackrate import %s FILE -o FILE", a->operand[2], name);
    if (kind->whole) return kind->whole(a);
    if (!out) return rr_fail(RR_EUSAGE, "import: where to? rackrate import %s %s -o FILE (- is standard output)", name, a->operand[1]);
    struct rr_buf b = {0};
    enum rr_status st = kind->read(a, &b);
    if (st == RR_OK) st = rr_write_out(out, &b);
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_import = {
    .name = "import",
    .summary = "node lists, queues, price lists, bills, commitments and logs of benchmarks as files",
    .usage = "fleet|qos|prices|bill|commitments|profiles FILE... -o FILE [options]",
    .examples =
        "  scontrol show node -o >nodes.txt; rackrate import fleet nodes.txt -o nodes.csv\n"
        "  kubectl get nodes -o json >nodes.json; rackrate import fleet nodes.json -o nodes.csv\n"
        "  sacctmgr show qos -P >qos.txt; rackrate import qos qos.txt -o classes.json\n"
        "  rackrate import prices aws.csv gcp.csv -o book.csv --set valid_from=2026-01-01 --discount 'aws/p5*=12 %'\n"
        "  rackrate import prices quote.csv -o book.csv --format csv --column price=\"USD/h\" --set currency=USD --set unit=GPU-hour ...\n"
        "  rackrate import bill focus-2026-01.csv.gz -o bill.csv --demand demand.csv\n"
        "  rackrate import bill out/plan/bill.focus.csv --check\n"
        "  aws ec2 describe-reserved-instances >ri.json; aws savingsplans describe-savings-plans >sp.json\n"
        "  rackrate import commitments ri.json sp.json -o existing.csv\n"
        "  rackrate import profiles all_reduce.txt nvbandwidth.txt -o samples.json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .least = 1,
    .most = -1,
    .run = import,
};
