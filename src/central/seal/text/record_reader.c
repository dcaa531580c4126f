/*
 * Skips the lines that the survey calls lost and joins those of one record; a second survey of
 * the lost lines alone makes sure that they form no record.
 */
#include "central/seal/text/record_reader.h"

#include <string.h>

#include "core/base/failure.h"

/* A byte order mark says nothing; the line of names is not a record. */
static enum sotto_status begin(struct sotto_window *w, const struct sotto_text *t)
{
	SOTTO_TRY(sotto_window_fill(w, 3));
	if (sotto_window_length(w) >= 3 &&
	    memcmp(sotto_window_bytes(w), "\xef\xbb\xbf", 3) == 0)
		sotto_window_skip(w, 3);
	while (t->skips_line) {
		const char *bytes, *end;
		size_t n;

		SOTTO_TRY(sotto_window_fill(w, 1));
		bytes = sotto_window_bytes(w);
		n = sotto_window_length(w);
		end = n ? memchr(bytes, '\n', n) : NULL;
		sotto_window_skip(w, end ? (size_t)(end - bytes) + 1 : n);
		if (end || n == 0)
			break;
	}
	return SOTTO_OK;
}

static enum sotto_status open_window(struct sotto_window *w, const struct sotto_text *t)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_window_open(w, t->path));
	st = begin(w, t);
	if (st != SOTTO_OK)
		sotto_window_close(w);
	return st;
}

/* ---- the survey ------------------------------------------------------------------------------ */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * An array in one line: it has no line break but before its first and after its last
 * byte.  No record without line breaks can change that.
 */
static enum sotto_status find_layout(struct sotto_text *t)
{
	struct sotto_window w;
	bool begun = false, broken = false;
	enum sotto_status st;
	char first = '\0';

	SOTTO_TRY(open_window(&w, t));
	st = sotto_window_fill(&w, 1);
	t->is_one_line = true;
	while (st == SOTTO_OK && t->is_one_line && sotto_window_length(&w) > 0) {
		const char *bytes = sotto_window_bytes(&w);
		size_t n = sotto_window_length(&w);

		for (size_t i = 0; i < n && t->is_one_line; i++) {
			broken = broken || (begun && bytes[i] == '\n');
			if (is_space(bytes[i]))
				continue;
			first = begun ? first : bytes[i];
			begun = true;
			t->is_one_line = !broken;
		}
		sotto_window_skip(&w, n);
		st = sotto_window_fill(&w, 1);
	}
	sotto_window_close(&w);
	t->is_one_line = t->is_one_line && first == '[';
	t->is_stream = t->is_one_line || t->line_breaks == SOTTO_LINE_BREAKS_YES;
	return st;
}

static enum sotto_status survey_stream(const struct sotto_text *t, struct sotto_survey *out,
				       sotto_survey_progress_fn progress, void *context)
{
	struct sotto_raw_record record = {.bytes = ""};
	struct sotto_record_reader r;
	enum sotto_status st;

	*out = (struct sotto_survey){0};
	SOTTO_TRY(sotto_reader_open(&r, t, NULL));
	for (st = SOTTO_OK; st == SOTTO_OK && record.bytes;) {
		st = sotto_reader_next(&r, &record);
		if (st == SOTTO_OK && record.bytes && record.flaw != SOTTO_FLAW_NONE)
			st = sotto_survey_note(out, record.line, record.line, record.flaw,
					       false);
		if (progress)
			progress(context, r.window.taken);
	}
	sotto_reader_close(&r);
	if (st != SOTTO_OK)
		sotto_survey_release(out);
	return st;
}

static enum sotto_status survey_lines(const struct sotto_text *t,
				      const struct sotto_survey_request *request,
				      struct sotto_survey *out)
{
	struct sotto_window w;
	enum sotto_status st;

	SOTTO_TRY(open_window(&w, t));
	st = sotto_survey_read(out, &w, request);
	sotto_window_close(&w);
	return st;
}

/* Lines that were lost must not be a record once a record between them is gone. */
static enum sotto_status check_lost(const struct sotto_text *t,
				    struct sotto_survey_request request,
				    struct sotto_survey *out)
{
	struct sotto_survey rest;
	enum sotto_status st;

	if (!out->lost_open || t->line_breaks != SOTTO_LINE_BREAKS_ASK)
		return SOTTO_OK;
	request.lost_of = out;
	SOTTO_TRY(survey_lines(t, &request, &rest));
	st = SOTTO_OK;
	for (size_t i = 0; st == SOTTO_OK && i < rest.event_count; i++) {
		const struct sotto_survey_event *e = &rest.events[i];

		if (e->lines > 1)
			st = sotto_survey_note(out, e->line, e->line + e->lines - 1,
					       SOTTO_FLAW_NONE, true);
	}
	sotto_survey_release(&rest);
	return st;
}

enum sotto_status sotto_text_survey(struct sotto_text *t, struct sotto_survey *out,
				    sotto_survey_progress_fn progress, void *context)
{
	struct sotto_survey_request request = {.dialect = &t->dialect,
					       .line_breaks = t->line_breaks,
					       .first_line = t->skips_line ? 2 : 1,
					       .progress = progress,
					       .context = context};
	enum sotto_status st;

	if (t->dialect.kind == SOTTO_TEXT_JSON)
		SOTTO_TRY(find_layout(t));
	if (t->is_stream)
		return survey_stream(t, out, progress, context);
	SOTTO_TRY(survey_lines(t, &request, out));
	st = check_lost(t, request, out);
	if (st != SOTTO_OK)
		sotto_survey_release(out);
	return st;
}

/* ---- records ---------------------------------------------------------------------------------- */

enum sotto_status sotto_reader_open(struct sotto_record_reader *r, const struct sotto_text *t,
				    const struct sotto_survey *survey)
{
	*r = (struct sotto_record_reader){
		.text = t, .survey = survey, .line = t->skips_line ? 2 : 1};
	return open_window(&r->window, t);
}

void sotto_reader_close(struct sotto_record_reader *r)
{
	sotto_window_close(&r->window);
}

/* From *at on: where this line ends, the line break not counted. */
static enum sotto_status find_line_end(struct sotto_record_reader *r, size_t *at, bool *found)
{
	struct sotto_window *w = &r->window;
	size_t from = *at;

	for (;;) {
		const char *bytes, *end;
		size_t n = sotto_window_length(w);

		bytes = sotto_window_bytes(w);
		end = n > from ? memchr(bytes + from, '\n', n - from) : NULL;
		*found = end != NULL;
		*at = end ? (size_t)(end - bytes) : n;
		if (end || w->at_end)
			return SOTTO_OK;
		if (n > SOTTO_RECORD_MAX)
			return SOTTO_ESTATE;
		from = n;
		SOTTO_TRY(sotto_window_fill(w, n + 1));
	}
}

/* A line that nobody will look at may be of any length. */
static enum sotto_status skip_line(struct sotto_record_reader *r)
{
	struct sotto_window *w = &r->window;

	for (;;) {
		size_t n = sotto_window_length(w);
		const char *bytes = sotto_window_bytes(w);
		const char *end = n ? memchr(bytes, '\n', n) : NULL;

		sotto_window_skip(w, end ? (size_t)(end - bytes) + 1 : n);
		if (end || w->at_end)
			break;
		SOTTO_TRY(sotto_window_fill(w, 1));
	}
	r->line++;
	return SOTTO_OK;
}

static enum sotto_status
take_lines(struct sotto_record_reader *r, uint32_t lines, struct sotto_raw_record *out)
{
	size_t at = 0;
	bool found = false;

	for (uint32_t i = 0; i < lines; i++) {
		at += i > 0;
		SOTTO_TRY(find_line_end(r, &at, &found));
	}
	*out = (struct sotto_raw_record){
		.bytes = sotto_window_bytes(&r->window), .length = at, .line = r->line};
	sotto_window_skip(&r->window, at + found);
	r->line += lines;
	return SOTTO_OK;
}

enum sotto_status sotto_reader_next(struct sotto_record_reader *r, struct sotto_raw_record *out)
{
	if (r->text->is_stream)
		return sotto_stream_next(r, out);
	for (;;) {
		const struct sotto_survey_event *e =
			r->event < r->survey->event_count ? &r->survey->events[r->event] : NULL;

		SOTTO_TRY(sotto_window_fill(&r->window, 1));
		if (sotto_window_length(&r->window) == 0) {
			*out = (struct sotto_raw_record){0};
			return e ? SOTTO_ESTATE : SOTTO_OK;
		}
		if (!e || e->line != r->line)
			return take_lines(r, 1, out);
		r->event++;
		if (e->flaw == SOTTO_FLAW_NONE)
			return take_lines(r, e->lines, out);
		for (uint32_t i = 0; i < e->lines; i++)
			SOTTO_TRY(skip_line(r));
	}
}
