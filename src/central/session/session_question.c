/* A question as the history shows it: its SQL and the values of its parameters. */
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "core/base/buffer.h"

enum { TEXT_CAP = 1 << 20, SHOWN_MAX = 200 };

/* One line, whatever is in it. */
static enum sotto_status add_value(struct sotto_buffer *b, const struct sotto_bound_value *x)
{
	char text[SHOWN_MAX + 1];
	size_t n = 0;

	if (x->kind == SOTTO_PARAMETER_NULL)
		return sotto_buffer_append_text(b, "NULL");
	for (const char *c = x->text; *c && n < SHOWN_MAX; c++)
		text[n++] = (unsigned char)*c < ' ' ? ' ' : *c;
	while (n > 0 && n == SHOWN_MAX && ((unsigned char)text[n - 1] & 0xC0) == 0x80)
		n--; /* not in the middle of a character */
	text[n] = '\0';
	if (x->kind == SOTTO_PARAMETER_NUMBER || x->kind == SOTTO_PARAMETER_BOOL)
		return sotto_buffer_append_text(b, text);
	return sotto_buffer_appendf(b, "'%s'%s", text, x->text[n] ? "…" : "");
}

char *sotto_question_text(const struct sotto_question *q)
{
	struct sotto_buffer b;
	enum sotto_status st;
	char *out = NULL;

	sotto_buffer_init(&b, TEXT_CAP);
	st = sotto_buffer_append_text(&b, q->sql);
	for (size_t i = 0; st == SOTTO_OK && i < q->parameter_count; i++) {
		st = sotto_buffer_appendf(&b, "%s$%zu = ", i == 0 ? " -- " : ", ", i + 1);
		if (st == SOTTO_OK)
			st = add_value(&b, &q->parameters[i]);
	}
	if (st == SOTTO_OK)
		out = strdup(sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return out;
}
