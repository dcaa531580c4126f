/*
 * Starts an automaton at every line and keeps those of records that are still open; once a
 * record ends, everything that begins inside it is known to be lost or ambiguous.
 */
#include "central/seal/text/record_survey.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { EVENTS_MAX = 1 << 26 };

/* A line that is not simply a record, while it is not yet known what becomes of it. */
struct entry {
	uint64_t line, end; /* end: 0 while it is open */
	enum sotto_flaw flaw; /* of what is lost, or of the content of a record */
	bool is_lost, was_open, is_overlapped;
};

struct open {
	struct sotto_machine machine;
	size_t entry; /* which; its place does not change while it is open */
};

struct surveyor {
	struct sotto_survey *survey;
	const struct sotto_survey_request *request;
	struct entry *entries; /* entries[first..count), by line */
	size_t first, count, room;
	struct open *open; /* at most as many as columns, or levels of nesting */
	size_t open_count, open_room;
	uint64_t line;
};

static enum sotto_status grow(void **items, size_t count, size_t *room, size_t size, size_t max)
{
	size_t more = *room ? *room * 2 : 64;
	void *moved;

	if (count < *room)
		return SOTTO_OK;
	if (count >= max)
		return SOTTO_ERANGE;
	moved = realloc(*items, more * size);
	if (!moved)
		return SOTTO_ENOMEM;
	*items = moved;
	*room = more;
	return SOTTO_OK;
}

enum sotto_status sotto_survey_note(struct sotto_survey *s, uint64_t line, uint64_t last_line,
				    enum sotto_flaw flaw, bool is_ambiguous)
{
	*(is_ambiguous ? &s->ambiguous : &s->malformed) += 1;
	if (s->finding_count >= SOTTO_FINDINGS_MAX)
		return SOTTO_OK;
	SOTTO_TRY(grow((void **)&s->findings, s->finding_count, &s->finding_room,
		       sizeof *s->findings, SOTTO_FINDINGS_MAX));
	s->findings[s->finding_count++] =
		(struct sotto_finding){line, last_line, flaw, is_ambiguous};
	return SOTTO_OK;
}

static enum sotto_status add_event(struct sotto_survey *s, const struct entry *e)
{
	SOTTO_TRY(grow((void **)&s->events, s->event_count, &s->event_room, sizeof *s->events,
		       EVENTS_MAX));
	s->events[s->event_count++] =
		(struct sotto_survey_event){.line = e->line,
					    .lines = (uint32_t)(e->end - e->line + 1),
					    .flaw = (uint32_t)e->flaw};
	if (e->flaw == SOTTO_FLAW_NONE)
		return SOTTO_OK;
	return sotto_survey_note(s, e->line, e->end, e->flaw, false);
}

void sotto_survey_release(struct sotto_survey *s)
{
	free(s->events);
	free(s->findings);
	*s = (struct sotto_survey){0};
}

/* ---- what becomes of entries ---------------------------------------------------------------- */

static enum sotto_status add_entry(struct surveyor *v, struct entry e)
{
	if (v->first == v->count)
		v->first = v->count = 0;
	SOTTO_TRY(grow((void **)&v->entries, v->count, &v->room, sizeof *v->entries, SIZE_MAX));
	v->entries[v->count++] = e;
	return SOTTO_OK;
}

static void close_machine(struct surveyor *v, size_t i)
{
	memmove(&v->open[i], &v->open[i + 1], (--v->open_count - i) * sizeof v->open[0]);
}

/* A record from the front entry's line on, in lines where others may begin one too. */
static enum sotto_status settle_record(struct surveyor *v, bool *wait)
{
	struct entry front = v->entries[v->first];
	bool overlapped = front.is_overlapped;
	size_t i = v->first + 1;

	for (; i < v->count && v->entries[i].line <= front.end; i++) {
		*wait = *wait || v->entries[i].end == 0;
		overlapped = overlapped || (v->entries[i].end && !v->entries[i].is_lost);
	}
	if (v->request->line_breaks == SOTTO_LINE_BREAKS_YES)
		*wait = overlapped = false;
	if (*wait)
		return SOTTO_OK;
	if (overlapped)
		SOTTO_TRY(sotto_survey_note(v->survey, front.line, front.end, SOTTO_FLAW_NONE,
					    true));
	for (size_t k = v->open_count; k-- > 0;)
		if (v->open[k].entry < i)
			close_machine(v, k);
	v->first = i;
	return add_event(v->survey, &front);
}

static enum sotto_status settle(struct surveyor *v)
{
	bool wait = false;

	while (v->first < v->count && v->entries[v->first].end && !wait) {
		struct entry *e = &v->entries[v->first];

		if (!e->is_lost) {
			SOTTO_TRY(settle_record(v, &wait));
			continue;
		}
		v->survey->lost_open = v->survey->lost_open || e->was_open;
		v->first++;
		SOTTO_TRY(add_event(v->survey, e));
	}
	return SOTTO_OK;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* What the machines of earlier lines say at the end of this one. */
static void end_open(struct surveyor *v, bool last, bool own_record)
{
	for (size_t i = 0; i < v->open_count;) {
		struct open *o = &v->open[i];
		enum sotto_record_verdict verdict = sotto_machine_end_line(&o->machine, last);
		struct entry *e = &v->entries[o->entry];

		e->is_overlapped =
			e->is_overlapped || own_record || verdict == SOTTO_LINE_SEVERAL;
		if (verdict == SOTTO_LINE_OPEN) {
			i++;
			continue;
		}
		e->is_lost = verdict == SOTTO_LINE_BROKEN;
		e->end = e->is_lost ? e->line : v->line;
		e->flaw = e->is_lost ? o->machine.broken : o->machine.content;
		close_machine(v, i);
	}
}

static enum sotto_status
end_own(struct surveyor *v, const struct sotto_machine *own, enum sotto_record_verdict verdict)
{
	struct entry e = {.line = v->line, .end = v->line};
	bool no = v->request->line_breaks == SOTTO_LINE_BREAKS_NO;

	e.flaw = verdict == SOTTO_LINE_BROKEN ? own->broken : own->content;
	e.is_lost = e.flaw != SOTTO_FLAW_NONE;
	if (verdict == SOTTO_LINE_EMPTY || (verdict == SOTTO_LINE_RECORD && !e.is_lost))
		return SOTTO_OK;
	if (verdict == SOTTO_LINE_SEVERAL) {
		e.is_overlapped = true;
		e.is_lost = no;
		e.flaw = no ? SOTTO_FLAW_SHARED : SOTTO_FLAW_NONE;
	} else if (verdict == SOTTO_LINE_OPEN && no) {
		e.is_lost = true;
		e.flaw = SOTTO_FLAW_UNCLOSED;
	} else if (verdict == SOTTO_LINE_OPEN) {
		e.is_lost = false;
		e.was_open = true;
		e.end = 0;
		SOTTO_TRY(grow((void **)&v->open, v->open_count, &v->open_room, sizeof *v->open,
			       SIZE_MAX));
		SOTTO_TRY(add_entry(v, e));
		v->open[v->open_count++] = (struct open){*own, v->count - 1};
		return SOTTO_OK;
	}
	return add_entry(v, e);
}

static enum sotto_status end_line(struct surveyor *v, struct sotto_machine *own, bool last)
{
	enum sotto_record_verdict verdict = sotto_machine_end_line(own, last);

	end_open(v, last, verdict == SOTTO_LINE_RECORD || verdict == SOTTO_LINE_SEVERAL);
	SOTTO_TRY(end_own(v, own, verdict));
	return settle(v);
}

/* One line of the window, in pieces if it is long. */
static enum sotto_status
read_line(struct surveyor *v, struct sotto_window *w, bool skip, bool *last)
{
	struct sotto_machine own;
	bool ended = false;

	sotto_machine_start(&own, v->request->dialect);
	while (!ended) {
		const char *bytes = sotto_window_bytes(w), *end;
		size_t n = sotto_window_length(w);

		end = n ? memchr(bytes, '\n', n) : NULL;
		n = end ? (size_t)(end - bytes) : n;
		if (!skip) {
			sotto_machine_feed(&own, bytes, n);
			for (size_t i = 0; i < v->open_count; i++)
				sotto_machine_feed(&v->open[i].machine, bytes, n);
		}
		sotto_window_skip(w, n + (end != NULL));
		SOTTO_TRY(sotto_window_fill(w, 1));
		*last = sotto_window_length(w) == 0;
		ended = end || *last;
	}
	return skip ? SOTTO_OK : end_line(v, &own, *last);
}

static bool was_lost(const struct sotto_survey *s, uint64_t line, size_t *at)
{
	while (*at < s->event_count && s->events[*at].line < line)
		++*at;
	return *at < s->event_count && s->events[*at].line == line &&
	       s->events[*at].lines == 1 && s->events[*at].flaw != SOTTO_FLAW_NONE;
}

static enum sotto_status read_lines(struct surveyor *v, struct sotto_window *w)
{
	const struct sotto_survey *lost_of = v->request->lost_of;
	bool last = sotto_window_length(w) == 0;
	size_t at = 0;

	for (v->line = v->request->first_line; !last; v->line++) {
		bool skip = lost_of && !was_lost(lost_of, v->line, &at);

		SOTTO_TRY(read_line(v, w, skip, &last));
		if (v->request->progress && v->line % 1024 == 0)
			v->request->progress(v->request->context, w->taken);
	}
	return SOTTO_OK;
}

/* What is still open when the lines that are looked at have ended. */
static enum sotto_status finish(struct surveyor *v)
{
	end_open(v, true, false);
	return settle(v);
}

enum sotto_status sotto_survey_read(struct sotto_survey *s, struct sotto_window *w,
				    const struct sotto_survey_request *request)
{
	struct surveyor *v = calloc(1, sizeof *v);
	enum sotto_status st;

	if (!v)
		return SOTTO_ENOMEM;
	*s = (struct sotto_survey){0};
	v->survey = s;
	v->request = request;
	st = sotto_window_fill(w, 1);
	if (st == SOTTO_OK)
		st = read_lines(v, w);
	if (st == SOTTO_OK)
		st = finish(v);
	free(v->entries);
	free(v->open);
	free(v);
	if (st != SOTTO_OK)
		sotto_survey_release(s);
	return st;
}
