/* SPDX-License-Identifier: MIT
 * models/probe/nvml.c - power and clock by NVML, opened at run time, with prototypes of our own (NVIDIA, NVML API Reference r570, "Device Queries").
 * Only queries: nothing is set. */
#include "models/probe/probe.h"
#include <stdlib.h>
#include <string.h>

struct rr_nvml {
    void *library, *device;
    int (*init)(void);
    int (*shutdown)(void);
    int (*driver)(char *text, unsigned n);
    int (*by_bus)(const char *bus, void **ret);
    int (*power)(void *device, unsigned *mw);
    int (*limit)(void *device, unsigned *mw);
    int (*clock)(void *device, int which, unsigned *mhz); /* 1: SM */
};

static bool find(const struct rr_probe *p, void *library, const char *name, void *ret)
{
    void *symbol = p->ld->symbol(library, name);
    memcpy(ret, &symbol, sizeof symbol); // a function's address, as POSIX dlsym has it
    return symbol != NULL;
}

static bool find_all(const struct rr_probe *p, struct rr_nvml *v)
{
    return find(p, v->library, "nvmlInit_v2", &v->init) && find(p, v->library, "nvmlShutdown", &v->shutdown) &&
           find(p, v->library, "nvmlSystemGetDriverVersion", &v->driver) &&
           find(p, v->library, "nvmlDeviceGetHandleByPciBusId_v2", &v->by_bus) &&
           find(p, v->library, "nvmlDeviceGetPowerUsage", &v->power) && find(p, v->library, "nvmlDeviceGetEnforcedPowerLimit", &v->limit) &&
           find(p, v->library, "nvmlDeviceGetClockInfo", &v->clock);
}

struct rr_nvml *rr_nvml_open(struct rr_probe *p)
{
    char driver[96] = "";
    unsigned mw = 0;
    struct rr_nvml v = {.library = p->ld->open("libnvidia-ml.so.1")};
    if (!v.library) {
        rr_probe_skip(p, "nvml", "libnvidia-ml.so.1 cannot be opened: no power and clocks");
        return NULL;
    }
    if (!find_all(p, &v) || v.init() != 0) {
        rr_probe_skip(p, "nvml", "libnvidia-ml.so.1 lacks a function or does not start: no power and clocks");
        p->ld->close(v.library);
        return NULL;
    }
    if (v.by_bus(p->device.bus, &v.device) != 0) {
        rr_probe_skip(p, "nvml", "it does not know the device at %s: no power and clocks", p->device.bus);
        (void)v.shutdown();
        p->ld->close(v.library);
        return NULL;
    }
    if (v.driver(driver, sizeof driver) == 0) p->nvml_driver = rr_strdup(p->arena, driver);
    if (v.limit(v.device, &mw) == 0) p->power_limit_w = mw / 1e3;
    struct rr_nvml *kept = RR_NEW(p->arena, struct rr_nvml);
    *kept = v;
    return kept;
}

void rr_nvml_close(struct rr_probe *p)
{
    if (!p->nvml) return;
    (void)p->nvml->shutdown();
    p->ld->close(p->nvml->library);
    p->nvml = NULL;
}

bool rr_nvml_sample(const struct rr_probe *p, double *power_w, double *clock_mhz)
{
    unsigned mw = 0, mhz = 0;
    if (!p->nvml || p->nvml->power(p->nvml->device, &mw) != 0 || p->nvml->clock(p->nvml->device, 1, &mhz) != 0) return false;
    *power_w = mw / 1e3, *clock_mhz = mhz;
    return true;
}
