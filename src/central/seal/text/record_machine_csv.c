/*
 * CSV: cells between delimiters; a cell that begins with a quote ends with one, holds
 * anything in between, and a quote in it is written twice.  Another cell ends at the
 * next delimiter or line break.  A record has exactly as many cells as columns.
 */
#include <string.h>

#include "central/seal/text/record_machine.h"

enum { START, PLAIN, QUOTED, QUOTE /* in a quoted cell: the end, or one of two */, RETURN };

static void fail(struct sotto_machine *m, enum sotto_flaw flaw)
{
	if (m->broken == SOTTO_FLAW_NONE)
		m->broken = flaw;
}

static void end_cell(struct sotto_machine *m)
{
	m->cell = 0;
	m->state = START;
	if (m->utf8) {
		sotto_machine_check(m, 0x20);
		m->utf8 = 0;
		m->cell = 0;
	}
	if (++m->cells >= m->dialect->columns)
		fail(m, SOTTO_FLAW_MANY);
}

static void step(struct sotto_machine *m, unsigned char c)
{
	bool delimiter = c == (unsigned char)m->dialect->delimiter;

	switch (m->state) {
	case START:
		if (delimiter) {
			end_cell(m);
		} else if (c == '"') {
			m->state = QUOTED;
		} else {
			m->state = PLAIN;
			sotto_machine_check(m, c);
		}
		break;
	case PLAIN:
		if (delimiter)
			end_cell(m);
		else
			sotto_machine_check(m, c);
		break;
	case QUOTED:
		if (c == '"')
			m->state = QUOTE;
		else
			sotto_machine_check(m, c);
		break;
	case QUOTE:
		if (delimiter) {
			end_cell(m);
		} else if (c == '"') {
			m->state = QUOTED;
			sotto_machine_check(m, c);
		} else if (c == '\r') {
			m->state = RETURN;
		} else {
			fail(m, SOTTO_FLAW_AFTER_QUOTE);
		}
		break;
	default:
		fail(m, SOTTO_FLAW_AFTER_QUOTE);
	}
}

/* How many bytes from here on are ordinary letters of the cell that has begun. */
static size_t run_of(const struct sotto_machine *m, const char *bytes, size_t n)
{
	char delimiter = m->state == PLAIN ? m->dialect->delimiter : '"';
	size_t i = 0;

	if ((m->state != PLAIN && m->state != QUOTED) || m->utf8)
		return 0;
	while (i < n && (signed char)bytes[i] >= 0 && bytes[i] != delimiter)
		i++;
	return i;
}

void sotto_csv_feed(struct sotto_machine *m, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n && m->broken == SOTTO_FLAW_NONE; i++) {
		size_t run = run_of(m, bytes + i, n - i);

		sotto_machine_pass(m, run);
		i += run;
		if (i < n)
			step(m, (unsigned char)bytes[i]);
	}
}

/* A blank line is not a record, unless there is only one column: then it is an empty cell. */
enum sotto_record_verdict sotto_csv_end_line(struct sotto_machine *m, bool last)
{
	if (m->broken != SOTTO_FLAW_NONE)
		return SOTTO_LINE_BROKEN;
	if (m->state == QUOTED) {
		if (last)
			fail(m, SOTTO_FLAW_UNCLOSED);
		else
			sotto_machine_check(m, '\n');
		return last ? SOTTO_LINE_BROKEN : SOTTO_LINE_OPEN;
	}
	if (m->dialect->columns > 1 && m->blank)
		return SOTTO_LINE_EMPTY;
	if (m->cells + 1 < m->dialect->columns) {
		fail(m, SOTTO_FLAW_FEW);
		return SOTTO_LINE_BROKEN;
	}
	return SOTTO_LINE_RECORD;
}
