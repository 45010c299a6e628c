/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/list.h - the sections of a report, in the order of reading. */
X(answer)
X(cost)
X(months)
X(pools)
X(waiting)
X(interruptions)
X(classes)
X(limits)
X(pairs)
X(assumptions)
X(laws)
X(inputs)
