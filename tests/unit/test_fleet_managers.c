/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_fleet_managers.c - node lists of Slurm and Kubernetes, written here after their manuals; queues. */
#include "tests/trace_help.h"
#include "data/qos.h"

static struct rr_fleet_file fleet;

static void must(const char *text, const char *format, size_t n)
{
    if (rr_fleet_read(file_of("n.txt", text), "auto", arena, &fleet) != RR_OK) fail_msg("%s", rr_reason());
    assert_string_equal(fleet.format, format);
    assert_int_equal(fleet.n, n);
    assert_int_equal(strlen(fleet.sha256), 64);
}
static void node_is(size_t i, const char *name, int gpus, int cpus_milli, int mib, const char *gpu)
{
    assert_string_equal(fleet.node[i].name, name);
    assert_int_equal(fleet.node[i].gpus, gpus);
    assert_int_equal(fleet.node[i].cpus_milli, cpus_milli);
    assert_int_equal(fleet.node[i].memory_mib, mib);
    assert_string_equal(fleet.node[i].gpu, gpu);
}

static void scontrol(void **state)
{
    (void)state;
    must("NodeName=g1 Arch=x86_64 CoresPerSocket=32 CPUAlloc=3 CPUTot=128 CPULoad=0.5 Gres=gpu:a100:8(S:0-1,3),shard:a100:32 NodeAddr=g1 "
         "OS=Linux 5.14.0 #1 SMP RealMemory=1031000 AllocMem=0 State=IDLE ThreadsPerCore=2 Reason=was Gres=gpu:99\n"
         "NodeName=g2 CPUTot=64 Gres=gpu:4 RealMemory=512000 State=MIXED+CLOUD+POWERED_DOWN*\n"
         "NodeName=g3 CPUTot=64 Gres=gpu:4 RealMemory=512000 State=IDLE+DRAIN\n"
         "NodeName=g4 CPUTot=64 Gres=gpu:4 RealMemory=512000 State=DOWN*\n"
         "NodeName=c1 CPUTot=48 Gres=(null) RealMemory=191000 State=ALLOCATED\n",
         "scontrol", 3);
    node_is(0, "g1", 8, 128000, 1031000, "a100");
    node_is(1, "g2", 4, 64000, 512000, "");
    node_is(2, "c1", 0, 48000, 191000, "");
    assert_int_equal(fleet.left_out, 2);
}

static void scontrol_of_several_lines(void **state)
{
    (void)state;
    must("NodeName=g1 Arch=x86_64\n   CPUAlloc=0 CPUTot=96\r\n   Gres=gpu:h100:2,gpu:h100:2\n   RealMemory=77 State=IDLE*\n\n"
         "NodeName=c1\n   CPUTot=48\n   State=FUTURE\n",
         "scontrol", 1);
    node_is(0, "g1", 4, 96000, 77, "h100");
    assert_int_equal(fleet.left_out, 1);
    assert_string_equal(fleet.left_out_first, "c1 (FUTURE)");
}

static void sinfo(void **state)
{
    (void)state;
    must("NODELIST CPUS MEMORY GRES STATE\n"
         "g1       128  1031000 gpu:a100:8(S:0-1) mixed\n"
         "g1       128  1031000 gpu:a100:8(S:0-1) mixed\n"
         "g2       128  1031000 gpu:a100:8 drng*\n"
         "c1       48   191000  (null) idle~\n",
         "sinfo", 2);
    node_is(0, "g1", 8, 128000, 1031000, "a100");
    node_is(1, "c1", 0, 48000, 191000, "");
    assert_int_equal(fleet.left_out, 1);
    must("PARTITION|CPUS|NODELIST|GRES\nlong|16|a|gpu\nlong|16|b|gpu:t4\n", "sinfo", 2);
    node_is(0, "a", 1, 16000, 0, "");
    node_is(1, "b", 1, 16000, 0, "t4");
}

#define KUBE(more, alloc)                                                                                     \
    "{\"metadata\":{\"name\":\"k1\",\"labels\":{\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\"}}," more \
    "\"status\":{\"allocatable\":{" alloc                                                                     \
    "},\"conditions\":[{\"type\":\"MemoryPressure\",\"status\":\"False\"},{\"type\":\"Ready\",\"status\":\"True\"}]}}"
#define LIST(items) "{\n\"apiVersion\":\"v1\",\n\"items\":[\n" items "\n],\"kind\":\"List\"}"

static void kubectl(void **state)
{
    (void)state;
    must(LIST(KUBE(
             "",
             "\"cpu\":\"127500m\",\"memory\":\"1056431200Ki\",\"nvidia.com/gpu\":\"8\"") ",\n"
                                                                                         "{\"metadata\":{\"name\":\"k2\"},\"status\":{"
                                                                                         "\"allocatable\":{\"cpu\":\"16\",\"memory\":"
                                                                                         "\"64Gi\",\"amd.com/gpu\":\"2\"}}},\n"
                                                                                         "{\"metadata\":{\"name\":\"k3\"},\"spec\":{"
                                                                                         "\"unschedulable\":true},\"status\":{"
                                                                                         "\"allocatable\":{\"cpu\":\"4\"}}},\n"
                                                                                         "{\"metadata\":{\"name\":\"k4\"},\"status\":{"
                                                                                         "\"allocatable\":{\"cpu\":\"4\"},\"conditions\":[{"
                                                                                         "\"type\":\"Ready\",\"status\":"
                                                                                         "\"Unknown\"}]}}"),
         "kubectl", 2);
    node_is(0, "k1", 8, 127500, 1031671, "NVIDIA-A100-SXM4-80GB"); // 1056431200 / 1024 = 1031671.09
    node_is(1, "k2", 2, 16000, 65536, "");
    assert_int_equal(fleet.left_out, 2);
    assert_string_equal(fleet.left_out_first, "k3 (cordoned)");
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *format, *text, *pieces;
    } bad[] = {
        {"scontrol", "name,gpus\na,1\n", "n.txt:1: no NodeName="},
        {"auto", "NodeName=a CPUTot=4 State=IDLE\nNodeName=b State=IDLE\n", "n.txt:2: node \"b\" has no CPUTot"},
        {"auto", "NodeName=a CPUTot=4\nNodeName=b CPUTot=x\n", "n.txt:2: CPUTot is no whole number|\"x\""},
        {"auto", "NodeName=a CPUTot=4\n  RealMemory=-7\n", "n.txt:2: RealMemory is no whole number"},
        {"auto", "NodeName= CPUTot=4\n", "n.txt:1: NodeName is empty"},
        {"auto", "NodeName=a CPUTot=4 Gres=gpu:a100:4,gpu:h100:4\n", "n.txt:1: a node with GPUs of two types"},
        {"auto", "NodeName=a CPUTot=4 Gres=gpu:5000\n", "n.txt:1: Gres is no number of GPUs"},
        {"auto", "NodeName=a CPUTot=4\nNodeName=a CPUTot=4\n", "two nodes are named \"a\""},
        {"auto", "NodeName=a CPUTot=4 State=DOWN\n", "no nodes: all are down or drained, such as a (DOWN)"},
        {"auto", "NodeName=a CPUTot=0\n", "n.txt:1: name has neither GPUs nor CPUs"},
        {"sinfo", "NODELIST STATE\na idle\n", "n.txt:1: no column CPUS in the header"},
        {"auto", "NODELIST CPUS\na 4\nb[01-04] 4\n", "n.txt:3: \"b[01-04]\" is no single node"},
        {"auto", "NODELIST CPUS\na 4+\n", "n.txt:2: CPUS is no whole number"},
        {"auto", "NODELIST CPUS\na\n", "n.txt:2: 1 words, the header has 2"},
        {"auto", "NODELIST CPUS GRES\na 4 gpu:2\na 4 gpu:3\n", "n.txt:3: node \"a\" is not as on a line before"},
        {"auto", "{\"items\": 3}", "no list \"items\""},
        {"auto", "{\"items\": [\n{\"metadata\": {}}]}", "n.txt:2:1: /items/0: a node has no metadata.name"},
        {"auto", "{\"items\": [\n{\"metadata\": {\"name\": \"a\"}}]}", "n.txt:2:1: /items/0: node \"a\" has no status.allocatable"},
        {"auto", LIST(KUBE("", "\"cpu\":\"4\",\n\"memory\":\"4 Gi\"")), "n.txt:5:10: /items/0/status/allocatable/memory: no quantity"},
        {"auto", LIST(KUBE("", "\"cpu\":\"4\",\"nvidia.com/gpu\":\"-1\"")), "/items/0/status/allocatable/nvidia.com~1gpu: no quantity"},
        {"auto", LIST(KUBE("", "\"cpu\":\"0\"")), "node \"k1\" has neither GPUs nor CPUs"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused_for(rr_fleet_read(file_of("n.txt", bad[i].text), bad[i].format, arena, &fleet), bad[i].pieces);
}

static void qos_limits(void **state)
{
    (void)state;
    struct rr_qos *q;
    size_t n;
    const char *text = "Name|GrpTRES|MaxTRESPU|MaxWall|MaxJobsPU\na|cpu=512,gres/gpu=24,mem=1T|gres/gpu=3|1-02:03:04|4\n"
                       "b|gres/gpu:a100=8|cpu=7|90:05|\nc||gres/gpu=0|90|\nd|||02:30:00|\ne|gres/gpu=many||soon|\n";
    assert_int_equal(rr_qos_read(file_of("q.txt", text), arena, &q, &n), RR_OK);
    assert_int_equal(n, 5);
    assert_true(q[0].gpus == 24 && q[0].gpus_a_user == 3 && q[0].wall_us == (((24 + 2) * 60 + 3) * 60 + 4) * RR_S);
    assert_string_equal(q[0].limits, "GrpTRES=cpu=512,mem=1T, MaxJobsPU=4");
    assert_true(q[1].gpus == -1 && q[1].gpus_a_user == -1 && q[1].wall_us == (90 * 60 + 5) * RR_S);
    assert_string_equal(q[1].limits, "GrpTRES=gres/gpu:a100=8, MaxTRESPU=cpu=7");
    assert_true(q[2].gpus_a_user == 0 && q[2].wall_us == 90 * RR_MIN && q[3].wall_us == 150 * RR_MIN);
    assert_string_equal(q[4].limits, "GrpTRES=gres/gpu=many, MaxWall=soon");
}

static void qos(void **state)
{
    (void)state;
    struct rr_qos *q;
    size_t n;
    const char *text = "Name|Priority|GraceTime|Preempt|PreemptMode|GrpTRES|MaxWall|\nnormal|10|00:00:00||cluster||2-00:00:00|\n"
                       "gold|1000|00:00:00|normal,low|cluster|gres/gpu=16||\nlow|0|00:00:00||cluster|||\n";
    assert_int_equal(rr_qos_read(file_of("q.txt", text), arena, &q, &n), RR_OK);
    assert_int_equal(n, 3);
    assert_string_equal(q[0].name, "normal");
    assert_int_equal(q[0].priority, 10);
    assert_true(q[0].preempted && !q[1].preempted && q[2].preempted);
    assert_true(q[0].wall_us == 2 * RR_D && q[0].gpus == -1 && q[0].gpus_a_user == -1 && q[1].gpus == 16 && q[1].wall_us == 0);
    assert_string_equal(q[0].limits, "");
    assert_string_equal(q[1].limits, "");
    refused_for(rr_qos_read(file_of("q.txt", "a|b\n"), arena, &q, &n), "q.txt:1: no column Name");
    refused_for(rr_qos_read(file_of("q.txt", "Name|Priority\n"), arena, &q, &n), "no row behind the header");
    refused_for(rr_qos_read(file_of("q.txt", "Name|Priority\na|x\n"), arena, &q, &n), "q.txt:2: Priority is no whole number");
    refused_for(rr_qos_read(file_of("q.txt", "Name|Priority\na|1\na|2\n"), arena, &q, &n), "q.txt:3: two are named \"a\"");
    refused_for(rr_qos_read(file_of("q.txt", "Name|Priority\n|1\n"), arena, &q, &n), "q.txt:2: Name is empty");
    refused_for(rr_qos_read(file_of("q.txt", "Name|Priority\na\n"), arena, &q, &n), "q.txt:2: 1 cells, the header has 2");
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(scontrol),  T(scontrol_of_several_lines), T(sinfo), T(kubectl), T(what_is_refused), T(qos),
                                       T(qos_limits)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
