/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/html_style.h - how the report looks. */
#ifndef RR_REPORTS_HTML_STYLE_H
#define RR_REPORTS_HTML_STYLE_H

/* The palette of curves, --c0 .. --c7, is that of Okabe and Ito (2008), seen apart by the colour-blind; plot.c uses the light one for files. */
extern const char rr_html_style[];
#endif
