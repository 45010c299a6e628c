/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/list.h - the suppliers: X(NAME), NAME.c holds rr_supply_NAME. */
X(failures)
X(spot)
X(delivery)
