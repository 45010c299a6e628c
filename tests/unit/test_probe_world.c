/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_probe_world.c - rackrate-probe as 2 and 4 processes, as mpirun and srun start it: how they meet, who writes, what they say when one
 * is missing, old files lie about, plans differ or a GPU is shared. On this machine alone, against the stand-in of tests/unit/cuda_standin.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "data/samples.h"
#include "tests/unit/cuda_standin.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4 };
struct rank {
    int code;
    char said[1024], out[64]; /* all of stderr; the name of -o */
    bool wrote;
};
static char folder[] = "probe-world-XXXXXX";

static const char *env_names[][4] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}};

static const char *inside(const char *name)
{
    static char path[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put_number(const char *name, int v)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", v);
    (void)setenv(name, text, 1);
}

struct setting {
    int starter, ranks, devices, absent; /* absent: this rank never starts; -1: all do */
    const char *only[MOST], *wait;       /* only[r] NULL: "collective" */
    useconds_t late_us;                  /* ranks after 0 start that much later */
    int said_size;                       /* what rank 1 is told; 0: the truth */
};

static void child(const struct setting *s, int r, const char *out)
{
    const int err = open(inside(out), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    char json[64], said[160];
    if (err < 0 || dup2(err, STDERR_FILENO) < 0 || dup2(err, STDOUT_FILENO) < 0) _exit(99);
    (void)snprintf(json, sizeof json, "%d.json", r);
    (void)snprintf(said, sizeof said, "%s", inside(json));
    put_number(env_names[s->starter][0], r);
    put_number(env_names[s->starter][1], r == 1 && s->said_size > 0 ? s->said_size : s->ranks);
    put_number(env_names[s->starter][2], r);
    put_number(env_names[s->starter][3], s->ranks);
    sham_reset();
    sham.devices = s->devices;
    if (r > 0) (void)usleep(s->late_us);
    const char *words[] = {
        "rackrate-probe", "--id-file", inside("id"), "-o",    said,       "--only", s->only[r] ? s->only[r] : "collective",
        "--points",       "5",         "--wait",     s->wait, "--budget", "0"};
    _exit(rr_probe_program(sizeof words / sizeof *words, (char **)(uintptr_t)words, &rr_cuda_sham, &rr_loader_sham));
}

static void read_text(const char *path, char *to, size_t room)
{
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(to, 1, room - 1, f) : 0;
    to[n] = '\0';
    if (f) (void)fclose(f);
}

static void start_all(const struct setting *s, struct rank *all)
{
    pid_t pid[MOST];
    meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(meeting != MAP_FAILED);
    pthread_barrierattr_t shared;
    assert_int_equal(pthread_barrierattr_init(&shared) | pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) |
                         pthread_barrier_init(&meeting->barrier, &shared, (unsigned)s->ranks),
                     0);
    for (int r = s->ranks - 1; r >= 0; r--) {
        (void)snprintf(all[r].out, sizeof all[r].out, "%d.said", r);
        if (r == s->absent) continue;
        pid[r] = fork();
        assert_true(pid[r] >= 0);
        if (pid[r] == 0) child(s, r, all[r].out);
    }
    for (int r = 0; r < s->ranks; r++) {
        struct stat st;
        char json[32];
        int state = 0;
        if (r == s->absent) continue;
        assert_true(waitpid(pid[r], &state, 0) == pid[r] && WIFEXITED(state));
        all[r].code = WEXITSTATUS(state);
        read_text(inside(all[r].out), all[r].said, sizeof all[r].said);
        (void)unlink(inside(all[r].out));
        (void)snprintf(json, sizeof json, "%d.json", r);
        all[r].wrote = stat(inside(json), &st) == 0;
    }
    (void)munmap(meeting, sizeof *meeting);
    meeting = NULL;
}

/* Nothing is left but what is named. */
static void only_left(const char *name)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && (!name || strcmp(e->d_name, name) != 0)) fail_msg("%s is left", e->d_name);
    (void)closedir(d);
    if (name) (void)unlink(inside(name));
}

#define HAS(text, part)                                                                        \
    do {                                                                                       \
        if (!strstr((text), (part))) fail_msg("\"%s\" is not in \"%.1000s\"", (part), (text)); \
    } while (0)

static void rank_0_writes_for_all(void **state)
{
    (void)state;
    for (int starter = 0; starter < 3; starter++) {
        const int n = starter == 1 ? 4 : 2;
        struct rank all[MOST] = {0};
        start_all(&(struct setting){.starter = starter, .ranks = n, .devices = n, .absent = -1, .wait = "60"}, all);
        for (int r = 0; r < n; r++) {
            if (all[r].code != 0) fail_msg("rank %d: %d %s", r, all[r].code, all[r].said);
            assert_int_equal(all[r].wrote, r == 0);
            assert_string_equal(all[r].said, "");
        }
        struct rr_arena *a = rr_arena_create();
        struct rr_samples s;
        const char *paths[] = {inside("0.json")};
        if (rr_samples_read(paths, 1, &(struct rr_sample_options){0}, a, &s) != RR_OK) fail_msg("%s", rr_reason());
        assert_int_equal(s.n, 5);
        assert_int_equal(s.machine.gpus_per_node, n);
        for (size_t i = 0; i < s.n; i++) assert_true(s.at[i].ranks == n && s.at[i].nodes == 1 && s.at[i].us > 0);
        rr_arena_free(a);
        only_left("0.json");
    }
}

/* Hello and id of a run that was killed: their nonces are nobody's. */
static void files_of_an_earlier_run_are_outlived(void **state)
{
    (void)state;
    FILE *f = fopen(inside("id"), "w");
    assert_non_null(f);
    (void)fprintf(f, "rackrate-probe id 1\n%032d %0256d 0 2 1e9\n-\n%032d\n", 7, 0, 8);
    (void)fclose(f);
    f = fopen(inside("id.1"), "w");
    assert_non_null(f);
    (void)fprintf(f, "rackrate-probe hello 1\n%032d %032d 2 %016d node 0000:01:00.0 1e9 host\n", 8, 7, 5);
    (void)fclose(f);
    struct rank all[MOST] = {0};
    start_all(&(struct setting){.ranks = 2, .devices = 2, .absent = -1, .wait = "60", .late_us = 400000}, all);
    for (int r = 0; r < 2; r++)
        if (all[r].code != 0) fail_msg("rank %d: %d %s", r, all[r].code, all[r].said);
    assert_true(all[0].wrote && !all[1].wrote);
    only_left("0.json");
}

static void a_missing_rank_is_named_on_all(void **state)
{
    (void)state;
    struct rank all[MOST] = {0};
    start_all(&(struct setting){.starter = 1, .ranks = 4, .devices = 4, .absent = 2, .wait = "3"}, all);
    for (int r = 0; r < 4; r++) {
        if (r == 2) continue;
        assert_int_equal(all[r].code, 4);
        HAS(all[r].said, "rackrate-probe: of 4 processes rank 2 did not come in 3 s (all must see ");
        assert_false(all[r].wrote);
        assert_ptr_equal(strchr(all[r].said, '\n'), all[r].said + strlen(all[r].said) - 1); // one line
    }
    only_left(NULL);
    struct rank two[MOST] = {0};
    start_all(&(struct setting){.ranks = 2, .devices = 2, .absent = 0, .wait = "0.5"}, two);
    assert_int_equal(two[1].code, 4);
    HAS(two[1].said, "/id: nothing came from rank 0 in 0.5 s (all ranks must see this file)");
    only_left(NULL);
}

static void what_differs_is_said_by_all(void **state)
{
    (void)state;
    static const struct {
        struct setting s;
        const char *line;
    } c[] = {
        {{.ranks = 2, .devices = 2, .absent = -1, .wait = "60", .only = {"collective", "collective,gemm"}}, NULL}, // the same collectives
        {{.ranks = 2, .devices = 2, .absent = -1, .wait = "60", .only = {"collective", "memory"}},
         "rank 1 has another plan than rank 0: give all the same --budget, --only, --points and program"},
        {{.ranks = 2, .devices = 1, .absent = -1, .wait = "60"}, "ranks 0 and 1 would share GPU 0000:00:00.0 of "},
        {{.ranks = 4, .devices = 3, .absent = -1, .wait = "60"}, "ranks 0 and 3 would share GPU 0000:00:00.0 of "},
        {{.ranks = 2, .devices = 2, .absent = -1, .wait = "60", .said_size = 5}, "rank 1 counts 5 processes, rank 0 2"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct rank all[MOST] = {0};
        start_all(&c[i].s, all);
        for (int r = 0; r < c[i].s.ranks; r++) {
            if (all[r].code != (c[i].line ? 2 : 0)) fail_msg("case %zu, rank %d: %d %s", i, r, all[r].code, all[r].said);
            if (c[i].line) HAS(all[r].said, c[i].line);
            assert_int_equal(all[r].wrote, !c[i].line && r == 0);
        }
        only_left(c[i].line ? NULL : "0.json");
    }
}

/* NCCL_COMM_ID=HOST:PORT in place of a file: NCCL makes the same id of it everywhere. Here for one process of a world of one and the words. */
static void an_address_in_place_of_a_file(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_probe_world w;
    (void)setenv("SLURM_PROCID", "3", 1), (void)setenv("SLURM_NTASKS", "6", 1);
    rr_probe_world_find(a, false, &w);
    assert_int_equal(w.size, 1); // a batch script
    rr_probe_world_find(a, true, &w);
    assert_true(w.size == 6 && w.rank == 3);
    (void)unsetenv("SLURM_PROCID"), (void)unsetenv("SLURM_NTASKS");
    rr_arena_free(a);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}
static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_writes_for_all),          cmocka_unit_test(files_of_an_earlier_run_are_outlived),
        cmocka_unit_test(a_missing_rank_is_named_on_all), cmocka_unit_test(what_differs_is_said_by_all),
        cmocka_unit_test(an_address_in_place_of_a_file),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
