/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/import_bill.c - `rackrate import bill FILE...`: bills of clouds as our own CSV, as hourly demand, or checked against FOCUS. */
#include "data/bill.h"
#include "data/demand.h"
#include "data/outfile.h"
#include "sim/cli/cli.h"
#include "sim/cli/import.h"
#include <string.h>

struct taking {
    struct rr_outfile *out; /* NULL: no CSV is asked for, or it goes to standard output */
    bool to_stdout;
    struct rr_buf line;
    struct rr_demand_sum *demand; /* NULL: not asked for */
    size_t machine_rows, other_rows;
};

/* Machine hours that somebody used; purchases, taxes and credits are no demand, nor is what nobody used of a commitment. */
static bool is_demand(const struct rr_bill_row *row)
{
    const char *category = row->text[RR_BILL_category], *unit = row->text[RR_BILL_unit];
    return strcmp(row->text[RR_BILL_charge], "Usage") == 0 && strcmp(row->text[RR_BILL_status], "Unused") != 0 && row->quantity > 0 &&
           (strcmp(category, "Compute") == 0 || strcmp(category, "AI and Machine Learning") == 0) &&
           (strcmp(unit, "Hours") == 0 || strcmp(unit, "Hour") == 0 || strcmp(unit, "Hrs") == 0);
}

static const char *type_of(const struct rr_bill_row *row)
{
    return *row->text[RR_BILL_instance] ? row->text[RR_BILL_instance] : row->text[RR_BILL_sku];
}

static void put_line(struct taking *t)
{
    if (t->to_stdout)
        rr_say(rr_buf_text(&t->line));
    else if (t->out)
        rr_outfile_put(t->out, rr_buf_text(&t->line), t->line.n);
}

static enum rr_status take(void *ctx, const struct rr_bill_row *row)
{
    struct taking *t = ctx;
    const bool demand = is_demand(row) && *type_of(row);
    t->machine_rows += demand;
    t->other_rows += !demand;
    t->line.n = 0;
    rr_bill_put(&t->line, row);
    put_line(t);
    if (!t->demand || !demand) return RR_OK;
    const enum rr_status st =
        rr_demand_add(t->demand, type_of(row), row->text[RR_BILL_region], row->from_us, row->to_us, rr_focus_double(row->quantity));
    return st == RR_OK ? st : rr_fail_in(st, "%s:%lld", row->path, (long long)row->line);
}

/* ---- check ---- */

static enum rr_status check(const struct rr_args *a, const char *path, const char *version)
{
    struct rr_focus_report r;
    struct rr_buf b = {0};
    RR_TRY(rr_focus_check(path, version, a->arena, &r));
    for (size_t i = 0; i < r.n; i++) {
        rr_buf_putf(&b, "%s:%lld: ", path, (long long)r.finding[i].line);
        if (*r.finding[i].column) rr_buf_putf(&b, "%s: ", r.finding[i].column);
        rr_buf_putf(&b, "%s\n", r.finding[i].text);
    }
    if (r.found > r.n) rr_buf_putf(&b, "... and %zu more\n", r.found - r.n);
    rr_buf_putf(&b, "%s: %zu rows, %zu findings", path, r.rows, r.found);
    const struct {
        const char *name;
        rr_i128 sum;
    } sum[] = {{"list", r.list}, {"contracted", r.contracted}, {"effective", r.effective}, {"billed", r.billed}};
    for (size_t i = 0; i < 4; i++) {
        rr_buf_putf(&b, "%s %s ", i ? "," : ";", sum[i].name);
        rr_buf_focus(&b, sum[i].sum);
    }
    rr_buf_puts(&b, "\n");
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return r.found == 0
               ? RR_OK
               : rr_fail(RR_EINPUT, "%s: %zu findings against FOCUS %s in %zu of %zu rows", path, r.found, version, r.bad_rows, r.rows);
}

/* ---- writing ---- */

static enum rr_status write_demand(const struct rr_args *a, const struct taking *t, const char *path)
{
    struct rr_demand d;
    struct rr_buf b = {0};
    enum rr_status st = rr_demand_finish(t->demand, a->arena, &d);
    if (st != RR_OK) return rr_fail_in(st, "%s", a->operand[1]);
    rr_demand_csv(&d, &b);
    st = rr_write_out(path, &b);
    rr_buf_done(&b);
    if (st != RR_OK) return st;
    fprintf(stderr, "rackrate: demand: %zu hours of %zu types of machines\n", d.n_hours, d.n);
    if (d.spread)
        fprintf(stderr, "rackrate: demand: %zu of %zu rows are longer than an hour: spread evenly over their time, peaks are lost\n",
                d.spread, t->machine_rows);
    return RR_OK;
}

static void tell(const struct rr_bill_report *r, const struct taking *t)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "rackrate: %s: %zu rows, %zu rejected, %zu of machine hours; billed ", r->format, r->rows, r->rejected,
                t->machine_rows);
    rr_buf_focus(&b, r->billed);
    rr_buf_puts(&b, ", effective ");
    rr_buf_focus(&b, r->effective);
    rr_buf_putf(&b, " %s\n", r->currency);
    for (size_t i = 0; i < r->n_first; i++) rr_buf_putf(&b, "rackrate: rejected: %s\n", r->first[i]);
    if (r->rejected > r->n_first) rr_buf_putf(&b, "rackrate: rejected: ... and %zu more\n", r->rejected - r->n_first);
    fputs(rr_buf_text(&b), stderr);
    rr_buf_done(&b);
}

/* {"billed": "Cost (USD)"} from --column billed="Cost (USD)". */
static enum rr_status read_columns(const struct rr_args *a, cJSON *map)
{
    const size_t k = rr_option_index(&rr_command_import, "column");
    for (size_t i = 0; i < a->n_values[k]; i++) {
        const char *pair = a->value[k][i], *equals = strchr(pair, '=');
        if (!equals || equals == pair)
            return rr_fail(RR_EUSAGE, "--column %s: OURS=THEIRS is expected, such as billed=\"Cost (USD)\"", pair);
        cJSON_AddStringToObject(map, rr_strndup(a->arena, pair, (size_t)(equals - pair)), equals + 1);
    }
    return RR_OK;
}

static enum rr_status bill(const struct rr_args *a, const struct rr_bill_options *opt, const char *out, const char *demand)
{
    struct rr_bill_report report;
    struct taking t = {0};
    enum rr_status st = RR_OK;
    t.to_stdout = out && strcmp(out, "-") == 0;
    if (out && !t.to_stdout) RR_GO(rr_outfile_open(out, &t.out));
    if (demand) t.demand = rr_demand_begin();
    rr_bill_header(&t.line);
    put_line(&t);
    RR_GO(rr_bill_read(a->operand + 1, a->n_operands - 1, opt, a->arena, take, &t, &report));
    tell(&report, &t);
    if (t.out) RR_GO(rr_outfile_finish(t.out));
    if (demand) RR_GO(write_demand(a, &t, demand));
    if (t.out) st = rr_outfile_publish(t.out);
out:
    rr_outfile_free(t.out);
    rr_demand_free(t.demand);
    rr_buf_done(&t.line);
    return st;
}

enum rr_status rr_import_bill(const struct rr_args *a)
{
    const struct rr_command *c = &rr_command_import;
    const char *out = rr_arg(c, a, "out", NULL), *demand = rr_arg(c, a, "demand", NULL);
    const char *share = rr_arg(c, a, "max-rejected", "0.01");
    struct rr_bill_options opt = {.format = rr_arg(c, a, "format", "auto")};
    if (a->n_operands < 2) return rr_fail(RR_EUSAGE, "import: which file? rackrate import bill FILE... -o FILE");
    if (rr_arg_given(c, a, "check")) {
        for (size_t i = 1; i < a->n_operands; i++) RR_TRY(check(a, a->operand[i], rr_arg(c, a, "focus", RR_FOCUS_VERSION)));
        return RR_OK;
    }
    if (!out && !demand)
        return rr_fail(RR_EUSAGE, "import: where to? rackrate import bill %s -o FILE (- is standard output), or --demand FILE",
                       a->operand[1]);
    if (rr_unit_share(rr_slice(share, strlen(share)), &opt.max_rejected) != RR_OK) return rr_fail_in(RR_EUSAGE, "--max-rejected");
    cJSON *map = cJSON_CreateObject();
    enum rr_status st = read_columns(a, map);
    opt.columns = map->child ? map : NULL;
    if (st == RR_OK) st = bill(a, &opt, out, demand);
    cJSON_Delete(map);
    return st;
}
