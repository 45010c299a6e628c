/* Formats of measured times, one row each, surest first; see data/samples.h. */

