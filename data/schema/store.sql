-- SPDX-License-Identifier: GPL-3.0-or-later
-- data/schema/store.sql - results.db, schema rackrate.results/1. Times are microseconds from the start, money is millionths of the
-- currency unit, GPUs are thousandths. The views "job", "attempt", "lease" and "charge" show the same in seconds, units and words.
-- data/store_sql.c holds the same text; tests/unit/test_store.c compares them.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE inputs (path TEXT NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE alternatives (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, alternative TEXT NOT NULL, unpriced INTEGER NOT NULL, meets_service INTEGER NOT NULL,
    same_work INTEGER NOT NULL, service_detail TEXT NOT NULL, end_us INTEGER NOT NULL, not_submitted INTEGER NOT NULL);
CREATE TABLE metrics (
    alternative INTEGER NOT NULL, metric TEXT NOT NULL, n INTEGER NOT NULL, mean REAL, stddev REAL, ci95 REAL, min REAL, p10 REAL,
    p50 REAL, p90 REAL, max REAL, PRIMARY KEY (alternative, metric)) WITHOUT ROWID;
CREATE TABLE monthly (
    alternative INTEGER NOT NULL, month TEXT NOT NULL, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL, effective INTEGER NOT NULL,
    billed INTEGER NOT NULL, used_gpu_hours REAL, held_gpu_hours REAL);
CREATE TABLE cost_lines (
    alternative INTEGER NOT NULL, type TEXT NOT NULL, line TEXT NOT NULL, pool TEXT NOT NULL, commitment TEXT NOT NULL,
    billed INTEGER NOT NULL, effective INTEGER NOT NULL, after_horizon INTEGER NOT NULL, quantity REAL, unit TEXT NOT NULL,
    rate_nano INTEGER NOT NULL, rate_per INTEGER NOT NULL, rate_time INTEGER NOT NULL);
CREATE TABLE classes (
    alternative INTEGER NOT NULL, name TEXT NOT NULL, jobs INTEGER NOT NULL, finished INTEGER NOT NULL, used_gpu_hours REAL,
    effective INTEGER NOT NULL, billed INTEGER NOT NULL, wait_mean_s REAL);
CREATE TABLE pools (
    alternative INTEGER NOT NULL, pool INTEGER NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL, plan TEXT NOT NULL,
    nodes_min INTEGER NOT NULL, nodes_max INTEGER NOT NULL, nodes_peak INTEGER NOT NULL, held REAL, used REAL, lost REAL, idle REAL,
    starting REAL, down REAL, effective INTEGER NOT NULL, billed INTEGER NOT NULL, PRIMARY KEY (alternative, pool)) WITHOUT ROWID;
CREATE TABLE laws (alternative INTEGER NOT NULL, law TEXT NOT NULL, holds INTEGER NOT NULL, detail TEXT NOT NULL);
-- alternative -1: of the study as a whole. Kinds: assumed, warning, data, headline, varied.
CREATE TABLE notes (alternative INTEGER NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE series (
    id INTEGER PRIMARY KEY, alternative INTEGER NOT NULL, name TEXT NOT NULL, x_unit TEXT NOT NULL, y_unit TEXT NOT NULL, n INTEGER NOT NULL,
    band INTEGER NOT NULL);
CREATE TABLE points (
    series INTEGER NOT NULL, i INTEGER NOT NULL, x REAL, mean REAL, min REAL, max REAL, PRIMARY KEY (series, i)) WITHOUT ROWID;
CREATE TABLE pairs (
    a TEXT NOT NULL, b TEXT NOT NULL, metric TEXT NOT NULL, prob_a_cheaper REAL, n INTEGER NOT NULL, mean REAL, stddev REAL, ci95 REAL,
    min REAL, p10 REAL, p50 REAL, p90 REAL, max REAL);
CREATE TABLE gates (
    name TEXT NOT NULL, alternative TEXT NOT NULL, metric TEXT NOT NULL, stat TEXT NOT NULL, is_max INTEGER NOT NULL, "limit" REAL,
    value REAL, result TEXT NOT NULL);

-- Findings in rows and columns. A cell's text stands in place of its number.
CREATE TABLE sheets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, note TEXT NOT NULL, columns INTEGER NOT NULL, rows INTEGER NOT NULL);
CREATE TABLE sheet_columns (sheet INTEGER NOT NULL, i INTEGER NOT NULL, title TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE sheet_cells (sheet INTEGER NOT NULL, row INTEGER NOT NULL, col INTEGER NOT NULL, number REAL, text TEXT NOT NULL);

CREATE TABLE losses (
    alternative INTEGER NOT NULL, reason TEXT NOT NULL, attempts INTEGER NOT NULL, nodes INTEGER NOT NULL, events INTEGER NOT NULL,
    gpu_hours REAL);
CREATE TABLE waited_for (alternative INTEGER NOT NULL, bound TEXT NOT NULL, what TEXT NOT NULL, job_hours REAL, gpu_hours REAL);
-- Of a small run: which GPUs of which node an attempt held.
CREATE TABLE bars (
    alternative INTEGER NOT NULL, job_id TEXT NOT NULL, class TEXT NOT NULL, node INTEGER NOT NULL, from_gpu REAL, gpus REAL,
    start_us INTEGER NOT NULL, end_us INTEGER NOT NULL, interrupted INTEGER NOT NULL);

-- Replication 1 of every alternative.
CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE nodes (alternative INTEGER NOT NULL, node INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE jobs (
    alternative INTEGER NOT NULL, job_id, user INTEGER, account INTEGER, class INTEGER, gpus_milli INTEGER NOT NULL,
    submit_us INTEGER NOT NULL, start_us INTEGER, end_us INTEGER, run_us INTEGER, lost_us INTEGER NOT NULL, attempts INTEGER NOT NULL,
    status TEXT NOT NULL, pool INTEGER NOT NULL, reason TEXT NOT NULL);
-- Where a job could be interrupted: each start of it, in order of end. GPU time held = used + lost.
CREATE TABLE attempts (
    alternative INTEGER NOT NULL, job_id, attempt INTEGER NOT NULL, pool INTEGER NOT NULL, node INTEGER NOT NULL, nodes INTEGER NOT NULL,
    gpus_milli INTEGER NOT NULL, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL, used_milli_us INTEGER NOT NULL,
    lost_milli_us INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE leases (
    alternative INTEGER NOT NULL, pool INTEGER NOT NULL, node INTEGER NOT NULL, start_us INTEGER NOT NULL, ready_us INTEGER NOT NULL,
    end_us INTEGER NOT NULL, used_milli_us INTEGER NOT NULL, down_milli_us INTEGER NOT NULL, gpus INTEGER NOT NULL, why INTEGER NOT NULL);
CREATE TABLE charges (
    alternative INTEGER NOT NULL, pool INTEGER NOT NULL, type TEXT NOT NULL, line TEXT NOT NULL, commitment TEXT NOT NULL,
    energy INTEGER NOT NULL, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL, due_us INTEGER NOT NULL, billed INTEGER NOT NULL,
    effective INTEGER NOT NULL, after_horizon INTEGER NOT NULL, quantity REAL, unit TEXT NOT NULL, rate_nano INTEGER NOT NULL,
    rate_per INTEGER NOT NULL, rate_time INTEGER NOT NULL, list_nano INTEGER NOT NULL, pricing INTEGER NOT NULL, until_us INTEGER NOT NULL);
-- What a commitment paid for in a pool, or (pool -1) what nobody used of it; its effective charges of the time are shared by "part".
CREATE TABLE covers (
    alternative INTEGER NOT NULL, commitment TEXT NOT NULL, pool INTEGER NOT NULL, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL,
    part INTEGER NOT NULL, quantity REAL, unit TEXT NOT NULL, rate_nano INTEGER NOT NULL, rate_per INTEGER NOT NULL,
    rate_time INTEGER NOT NULL, list_nano INTEGER NOT NULL);
-- What the leases are priced by again: the scenario of each alternative, checked, and the GPU time that jobs held by pool and calendar
-- month (whole GPU-seconds, and billionths of one).
CREATE TABLE documents (alternative INTEGER NOT NULL, document TEXT NOT NULL);
CREATE TABLE used_months (
    alternative INTEGER NOT NULL, pool INTEGER NOT NULL, month INTEGER NOT NULL, gpu_s INTEGER NOT NULL, milli_us INTEGER NOT NULL);

CREATE VIEW job AS
    SELECT a.name AS alternative, j.job_id, u.text AS user, c.text AS account, k.text AS class, j.gpus_milli / 1e3 AS gpus,
           j.submit_us / 1e6 AS submit_s, j.start_us / 1e6 AS start_s, j.end_us / 1e6 AS end_s,
           (j.start_us - j.submit_us) / 1e6 AS wait_s, j.run_us / 1e6 AS run_s, j.lost_us / 1e6 AS lost_s, j.attempts, j.status,
           p.name AS pool, j.reason
    FROM jobs j JOIN alternatives a ON a.id = j.alternative LEFT JOIN names u ON u.id = j.user LEFT JOIN names c ON c.id = j.account
         LEFT JOIN names k ON k.id = j.class LEFT JOIN pools p ON p.alternative = j.alternative AND p.pool = j.pool;
CREATE VIEW attempt AS
    SELECT a.name AS alternative, x.job_id, x.attempt, p.name AS pool, x.node, x.nodes, x.gpus_milli / 1e3 AS gpus,
           x.start_us / 1e6 AS start_s, x.end_us / 1e6 AS end_s, x.used_milli_us / 3.6e12 AS used_gpu_hours,
           x.lost_milli_us / 3.6e12 AS lost_gpu_hours, x.reason
    FROM attempts x JOIN alternatives a ON a.id = x.alternative LEFT JOIN pools p ON p.alternative = x.alternative AND p.pool = x.pool;
CREATE VIEW lease AS
    SELECT a.name AS alternative, p.name AS pool, l.node, l.start_us / 1e6 AS start_s, l.ready_us / 1e6 AS ready_s,
           l.end_us / 1e6 AS end_s, l.used_milli_us / 3.6e12 AS used_gpu_hours, l.down_milli_us / 3.6e12 AS down_gpu_hours
    FROM leases l JOIN alternatives a ON a.id = l.alternative LEFT JOIN pools p ON p.alternative = l.alternative AND p.pool = l.pool;
CREATE VIEW charge AS
    SELECT a.name AS alternative, p.name AS pool, x.type, x.line, x.commitment, x.from_us / 1e6 AS from_s, x.to_us / 1e6 AS to_s,
           x.due_us / 1e6 AS due_s, x.billed / 1e6 AS billed, x.effective / 1e6 AS effective, x.after_horizon / 1e6 AS after_horizon,
           x.quantity, x.unit
    FROM charges x JOIN alternatives a ON a.id = x.alternative LEFT JOIN pools p ON p.alternative = x.alternative AND p.pool = x.pool;

-- Made when all rows are in.
CREATE INDEX attempts_of ON attempts (alternative);
CREATE INDEX leases_of ON leases (alternative);
CREATE INDEX charges_of ON charges (alternative);
