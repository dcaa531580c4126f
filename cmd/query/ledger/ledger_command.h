/*
 * ledger_command.h - what the commands on a ledger share
 */
#ifndef SOTTO_LEDGER_COMMAND_H
#define SOTTO_LEDGER_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "frame/command.h"
#include "show/json.h"
#include "show/output_format.h"
#include "show/table.h"
#include "sotto/ledger.h"

/* "2026-11-15T21:48:09Z" */
enum { LEDGER_TIME_SIZE = 32 };
void ledger_time_text(int64_t seconds, char text[LEDGER_TIME_SIZE]);

/* Checks the whole ledger and prints what it contains. */
enum sotto_status ledger_verify(struct sotto_ledger *ledger, enum format format, FILE *out,
				struct sotto_error *err);

/*
 * Write what was charged as members epsilon and delta, or as a cell.  If no epsilon bounds the
 * loss it is null, or empty, and JSON has rho.
 */
void ledger_write_cost(struct json_writer *w, const struct sotto_cost *cost);
void ledger_add_epsilon(struct table *t, const struct sotto_cost *cost);

/* Prints every entry, as a table or a JSON array. */
enum sotto_status ledger_print_history(struct sotto_ledger *ledger, enum format format,
				       FILE *out, struct sotto_error *err);
enum sotto_status ledger_write_history(struct sotto_ledger *ledger, struct json_writer *w,
				       struct sotto_error *err);

#endif
