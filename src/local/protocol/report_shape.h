/*
 * report_shape.h - which counters a collection keeps
 *
 *   protocol   groups (reports per)     cells (counters)
 *   RR, 1BITMEAN                        1: ones
 *   GRR        -                        d
 *   SUE, OUE   -                        d: ones
 *   FLH        -                        seeds x range
 *   HR         -                        blocks x width
 *   SUBSET     -                        d
 *   RAPPOR     cohort                   cohorts x width: ones
 *   CMS        row                      rows x width: ones
 *   HCMS       -                        rows x width: plus minus minus
 *   SFP        start x row, word row    (starts + 1) x rows x width: ones
 *   DBITFLIP   bucket received          k: ones
 *   TREEHIST   level                    (levels + 1) x rows x width: signed
 *   OLH, PEM   -                        none: the reports themselves are kept
 */
#ifndef SOTTO_REPORT_SHAPE_H
#define SOTTO_REPORT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

struct sotto_report_shape {
	size_t groups;
	size_t cells;
	bool keeps_reports;
};

#endif
