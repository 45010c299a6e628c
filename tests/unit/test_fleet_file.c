/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_fleet_file.c - node lists. */
#include "tests/trace_help.h"

static struct rr_fleet_file fleet;

static enum rr_status read_text(const char *text, const char *format)
{
    return rr_fleet_read(file_of("n.csv", text), format, arena, &fleet);
}

static void our_columns(void **state)
{
    (void)state;
    assert_int_equal(read_text("gpu,name,gpus,cpus,memory_gib,rack\nh100,a,8,112.5,2048,r1\n,b,0,64,256.5,r1\nt4,c,1,,,r2\n", "auto"),
                     RR_OK);
    assert_string_equal(fleet.format, "csv");
    assert_int_equal(fleet.n, 3);
    assert_int_equal(fleet.node[0].gpus, 8);
    assert_int_equal(fleet.node[0].cpus_milli, 112500);
    assert_int_equal(fleet.node[0].memory_mib, 2048 * 1024);
    assert_string_equal(fleet.node[0].gpu, "h100");
    assert_string_equal(fleet.node[1].name, "b");
    assert_string_equal(fleet.node[1].gpu, "");
    assert_int_equal(fleet.node[1].memory_mib, 262656);
    assert_int_equal(fleet.node[2].cpus_milli, 0);
    assert_int_equal(fleet.node[2].memory_mib, 0);
    assert_int_equal(strlen(fleet.sha256), 64);
    assert_int_equal(read_text("name,gpus\na,8\n", "csv"), RR_OK);
    assert_string_equal(fleet.node[0].gpu, "");
}

static void alibabas_columns(void **state)
{
    (void)state;
    assert_int_equal(read_text("sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,32000,262144,0,\n", "auto"), RR_OK);
    assert_string_equal(fleet.format, "alibaba-gpu-2023");
    assert_int_equal(fleet.node[0].gpus, 2);
    assert_int_equal(fleet.node[0].cpus_milli, 64000);
    assert_int_equal(fleet.node[0].memory_mib, 262144);
    assert_string_equal(fleet.node[0].gpu, "P100");
    assert_string_equal(fleet.node[1].gpu, "");
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"", "n.csv: the file is empty"},
        {"name,gpus\n", "n.csv: no nodes"},
        {"a,b\n1,2\n", "n.csv:1: is no node list"},
        {"name,gpus\n,8\n", "n.csv:2: name is empty"},
        {"name,gpus\na,8\nb,-1\n", "n.csv:3: gpus is no whole number of GPUs, 0 to 1024: \"-1\""},
        {"name,gpus\na,1.5\n", "n.csv:2: gpus is no whole number"},
        {"name,gpus\na,2000\n", "n.csv:2: gpus is no whole number"},
        {"name,gpus\na,\n", "n.csv:2: gpus is no whole number"},
        {"name,gpus\na\n", "n.csv:2: 1 cells, the header has 2"},
        {"name,gpus,cpus\na,8,x\n", "n.csv:2: cpus is no number of CPUs: \"x\""},
        {"name,gpus,memory_gib\na,8,1e300\n", "n.csv:2: memory_gib is no size: \"1e300\""},
        {"name,gpus,memory_gib\na,8,-1\n", "n.csv:2: memory_gib is no size: \"-1\""},
        {"name,gpus,cpus\na,0,0\n", "n.csv:2: name has neither GPUs nor CPUs: \"a\""},
        {"name,gpus\na,8\nb,8\na,8\n", "n.csv: two nodes are named \"a\""},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) refused_for(read_text(files[i][0], "auto"), files[i][1]);
    refused_for(read_text("name,gpus\na,8\n", "cvs"), "n.csv: unknown node list format \"cvs\", did you mean \"csv\"?; known: auto");
    refused_for(read_text("name,gpus\na,8\n", "alibaba-gpu-2023"), "n.csv:1: no column \"sn\"");
    assert_int_equal(rr_fleet_read("/nowhere.csv", "auto", arena, &fleet), RR_EIO);
}

/* Figures of the collection's README. */
static void public_lists(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
    } lists[] = {{"gpu_node", 1213}, {"all_node", 1523}};
    for (int k = 0; k < 2; k++) {
        const char *path = shared(rr_strf(arena, "traces/alibaba-gpu-v2023/openb_node_list_%s.csv", lists[k].name));
        if (rr_fleet_read(path, "auto", arena, &fleet) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(fleet.n, lists[k].n);
        int gpus = 0, t4 = 0;
        for (size_t i = 0; i < fleet.n; i++) {
            gpus += fleet.node[i].gpus;
            t4 += strcmp(fleet.node[i].gpu, "T4") == 0 ? fleet.node[i].gpus : 0;
        }
        assert_int_equal(gpus, 6212);
        assert_int_equal(t4, 842);
    }
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(our_columns), T(alibabas_columns), T(what_is_refused), T(public_lists)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
