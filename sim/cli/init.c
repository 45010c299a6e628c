/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/init.c - `rackrate init [NAME]`: a commented scenario that runs as it is. */
#include "sim/cli/cli.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct rr_option options[] = {
    {'o', "out", "FILE", false, "write there instead of to stdout; never over a file that is there"}};

/* %NAME% is the scenario's name as a JSON string. Prices are not written here: they come from data/facts, and the report shows each with its source. */
static const char template[] =
    "// A scenario: what work comes, on which machines it may run, and how they are paid.\n"
    "// Change what differs with you, then: rackrate check THIS_FILE, rackrate run THIS_FILE.\n"
    "{\n"
    "  \"rackrate\": 1,\n"
    "  \"name\": %NAME%,\n"
    "  \"start\": \"2026-01-01\",      // the calendar: months, terms and billing hours count from here (UTC)\n"
    "  \"horizon\": \"1 year\",        // how long to look; at least as long as the longest commitment compared\n"
    "  \"seed\": 1,                  // the same seed gives the same bytes\n"
    "  \"baseline\": \"nothing\",      // the alternative that the others are held against\n"
    "\n"
    "  // The work. Here: made up, about 60 jobs a day for the whole year. With a trace of your own:\n"
    "  //   \"prod\": { \"trace\": \"jobs.csv\", \"repeat\": true }\n"
    "  // where jobs.csv has the columns job_id,submit_s,duration_s,gpus (rackrate list formats shows what else is read).\n"
    "  \"workload\": {\n"
    "    \"synthetic\": { \"generate\": {\n"
    "      \"count\": 21900,\n"
    "      \"arrival\": { \"poisson\": { \"rate\": \"60/day\" } },\n"
    "      \"duration\": { \"lognormal\": { \"median\": \"50 min\", \"sigma\": 1.1 } },\n"
    "      \"gpus\": { \"choice\": { \"1\": 0.60, \"2\": 0.15, \"4\": 0.12, \"8\": 0.13 } }\n"
    "    } }\n"
    "  },\n"
    "\n"
    "  // The machines: 2 servers that are owned. Purchase price and power come from rackrate list hardware;\n"
    "  // give your own with \"plan\": { \"type\": \"owned\", \"price\": \"$265,000\" } (rackrate list plans).\n"
    "  \"pools\": {\n"
    "    \"own\": { \"hardware\": \"hgx-h100-8\", \"nodes\": 2, \"plan\": { \"type\": \"owned\" } }\n"
    "  },\n"
    "  \"scheduler\": { \"policy\": \"easy_backfill\", \"placement\": \"pack\" },\n"
    "  \"service\": { \"wait.p95\": \"<= 4 h\" },   // an alternative that misses this cannot win\n"
    "  \"finance\": { \"discount_rate\": 0.08, \"electricity\": \"$0.10/kWh\", \"pue\": 1.3 },\n"
    "\n"
    "  // What is compared. Each is a patch on the above; {} changes nothing.\n"
    "  \"alternatives\": {\n"
    "    \"nothing\": {},\n"
    "    \"buy\": { \"pools\": { \"own\": { \"nodes\": 3 } } },\n"
    "    \"burst\": { \"pools\": { \"cloud\": { \"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"nodes\": { \"min\": 0, "
    "\"max\": 4 },\n"
    "                                      \"boot\": \"5 min\", \"idle_timeout\": \"10 min\", \"plan\": { \"type\": \"on_demand\" } } } }\n"
    "  },\n"
    "\n"
    "  // What a build may fail on (exit 1).\n"
    "  \"gates\": { \"waits\": { \"alternative\": \"buy\", \"metric\": \"wait.p95\", \"max\": \"8 h\" } }\n"
    "}\n";

static void put_template(struct rr_buf *b, const char *name)
{
    const char *at = strstr(template, "%NAME%");
    rr_buf_put(b, template, (size_t)(at - template));
    rr_buf_json(b, name);
    rr_buf_puts(b, at + strlen("%NAME%"));
}

/* "x": a file that is there is never written over. */
static enum rr_status write_new(const char *path, const struct rr_buf *b)
{
    FILE *f = fopen(path, "wx");
    if (!f) return rr_fail(RR_EIO, "%s: %s", path, errno == EEXIST ? "is already there; remove it or give another name" : strerror(errno));
    const bool whole = fwrite(b->at, 1, b->n, f) == b->n;
    if (fclose(f) == 0 && whole) return RR_OK;
    const int why = errno;
    unlink(path);
    return rr_fail(RR_EIO, "%s: %s", path, strerror(why));
}

static enum rr_status init_run(const struct rr_args *args)
{
    const char *out = rr_arg(&rr_command_init, args, "out", "-");
    struct rr_buf b = {0};
    put_template(&b, args->n_operands ? args->operand[0] : "my-plan");
    enum rr_status st = RR_OK;
    if (strcmp(out, "-") == 0) {
        rr_say(rr_buf_text(&b));
    } else {
        st = write_new(out, &b);
        if (st == RR_OK) fprintf(stderr, "wrote %s; next: rackrate run %s\n", out, out);
    }
    rr_buf_done(&b);
    return st;
}

const struct rr_command rr_command_init = {
    .name = "init",
    .summary = "a commented scenario to start from",
    .usage = "[NAME] [-o FILE]",
    .examples = "rackrate init my-plan -o my-plan.json\n"
                "rackrate run my-plan.json",
    .options = options,
    .n_options = 1,
    .most = 1,
    .run = init_run,
};
