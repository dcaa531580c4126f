/* Audits an encoder by its outputs: reports of known inputs, in a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/design/local_audit.h"

enum {
	INPUTS_MAX = 16,
	REPORTS_MIN = 300, /* of each input: a third learns, a third chooses, a third proves */
	LETTERS_MAX = 512, /* of a report that is also looked at letter by letter */
};

/* One report of an input. */
struct line {
	const char *report;
	size_t number; /* equal reports have equal numbers */
};

struct input {
	const char *value;
	size_t length;
	struct line *lines;
	size_t count;
	double *seen; /* per report number, in the part that learns */
	double (*letters)[256]; /* per place and letter, in the same part; or NULL */
};

struct file {
	struct local_lines text;
	const struct sotto_client_params *params;
	struct input inputs[INPUTS_MAX];
	size_t inputs_count, numbers, letters, third;
	uint8_t *report; /* room for the one at hand, where the collection is known */
};

static void file_release(struct file *f)
{
	for (size_t i = 0; i < f->inputs_count; i++) {
		free(f->inputs[i].lines);
		free(f->inputs[i].seen);
		free(f->inputs[i].letters);
	}
	free(f->report);
	local_lines_release(&f->text);
}

/* ---- reading ---- */

static struct input *input_of(struct file *f, const char *value, size_t length)
{
	for (size_t i = 0; i < f->inputs_count; i++)
		if (f->inputs[i].length == length &&
		    memcmp(f->inputs[i].value, value, length) == 0)
			return &f->inputs[i];
	if (f->inputs_count == INPUTS_MAX)
		return NULL;
	f->inputs[f->inputs_count] = (struct input){.value = value, .length = length};
	return &f->inputs[f->inputs_count++];
}

static bool is_report_of(const struct sotto_client_params *p, const char *text)
{
	size_t n = 2 * sotto_client_report_bytes(p);

	return strlen(text) == n && strspn(text, "0123456789abcdefABCDEF") == n;
}

/* A number of the domain, or any text. */
static bool is_value_of(const struct sotto_client_params *p, const char *text, size_t n)
{
	bool has_end = p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN; /* 0 to size, with both ends */
	uint64_t number;

	if (!sotto_client_takes_number(p))
		return n > 0;
	return local_number(text, n, &number) && number < (uint64_t)p->size + has_end;
}

static enum outcome read_line(struct file *f, size_t i, struct sotto_error *err)
{
	const char *line = f->text.strings[i], *comma = strrchr(line, ',');
	struct input *in;

	if (!comma || !comma[1])
		return complaint_refuse(err, "line %zu: a line is VALUE,REPORT", i + 1);
	if (f->params && !is_report_of(f->params, comma + 1))
		return complaint_refuse(
			err, "line %zu: a report of this collection is %zu hexadecimal digits",
			i + 1, 2 * sotto_client_report_bytes(f->params));
	if (f->params && !is_value_of(f->params, line, (size_t)(comma - line)))
		return complaint_refuse(err, "line %zu: the value is outside the domain",
					i + 1);
	in = input_of(f, line, (size_t)(comma - line));
	if (!in)
		return complaint_refuse(err, "line %zu: an audit takes at most %d values",
					i + 1, INPUTS_MAX);
	in->lines = memory_grow(in->lines, in->count, sizeof *in->lines);
	in->lines[in->count++] = (struct line){.report = comma + 1};
	return OUTCOME_DONE;
}

static enum outcome read_all(struct file *f, const char *path, struct sotto_error *err)
{
	enum outcome outcome = local_read_lines(path, &f->text, err);
	size_t fewest = SIZE_MAX;

	if (outcome == OUTCOME_DONE &&
	    (f->text.count == 0 || strcmp(f->text.strings[0], "value,report") != 0))
		return complaint_refuse(err, "line 1: the header must be value,report");
	for (size_t i = 1; i < f->text.count && outcome == OUTCOME_DONE; i++)
		outcome = read_line(f, i, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	for (size_t i = 0; i < f->inputs_count; i++)
		fewest = f->inputs[i].count < fewest ? f->inputs[i].count : fewest;
	if (f->inputs_count < 2 || fewest < REPORTS_MIN)
		return complaint_refuse(
			err, "an audit needs two values or more, with %d reports of each",
			REPORTS_MIN);
	f->third = fewest / 3;
	return OUTCOME_DONE;
}

/* ---- learning ---- */

static int by_report(const void *a, const void *b)
{
	return strcmp((*(const struct line *const *)a)->report,
		      (*(const struct line *const *)b)->report);
}

/* Gives equal reports equal numbers. */
static void number_reports(struct file *f)
{
	struct line **all = memory_new(f->text.count, sizeof *all);
	size_t n = 0;

	for (size_t i = 0; i < f->inputs_count; i++)
		for (size_t k = 0; k < f->inputs[i].count; k++)
			all[n++] = &f->inputs[i].lines[k];
	qsort(all, n, sizeof *all, by_report);
	for (size_t i = 0; i < n; i++) {
		f->numbers += i == 0 || by_report(&all[i - 1], &all[i]) != 0;
		all[i]->number = f->numbers - 1;
	}
	f->letters = strlen(all[0]->report);
	for (size_t i = 1; i < n; i++)
		if (strlen(all[i]->report) != f->letters)
			f->letters = 0;
	if (f->letters > LETTERS_MAX)
		f->letters = 0;
	free(all);
}

/* Lines 0, 3, 6 ... of each input learn; half a report more keeps ratios finite. */
static void learn(struct file *f)
{
	number_reports(f);
	for (size_t i = 0; i < f->inputs_count; i++) {
		struct input *in = &f->inputs[i];

		in->seen = memory_new(f->numbers, sizeof *in->seen);
		in->letters = memory_new(f->letters, sizeof *in->letters);
		for (size_t k = 0; k < 3 * f->third; k += 3) {
			const struct line *l = &in->lines[k];

			in->seen[l->number]++;
			for (size_t at = 0; at < f->letters; at++)
				in->letters[at][(uint8_t)l->report[at]]++;
		}
	}
}

/* ---- scores ---- */

enum view { WHOLE, LETTERS, LIKELIHOOD };

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c & 7) + 9;
}

static double likelihood(const struct file *f, const struct input *in, const char *text)
{
	uint64_t number = 0;

	(void)local_number(in->value, in->length, &number);
	for (size_t i = 0; text[2 * i]; i++)
		f->report[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	return sotto_local_likelihood(f->params, number, in->value, in->length, f->report);
}

static double
score(const struct file *f, enum view view, const struct input *pair[2], const struct line *l)
{
	double sum = 0;

	if (view == LIKELIHOOD)
		return likelihood(f, pair[0], l->report) - likelihood(f, pair[1], l->report);
	if (view == WHOLE)
		return log((pair[0]->seen[l->number] + .5) / (pair[1]->seen[l->number] + .5));
	for (size_t at = 0; at < f->letters; at++)
		sum += log((pair[0]->letters[at][(uint8_t)l->report[at]] + .5) /
			   (pair[1]->letters[at][(uint8_t)l->report[at]] + .5));
	return sum;
}

/* part is 1 to choose the event, 2 to prove. */
static void fill(const struct file *f, enum view view, const struct input *pair[2], size_t part,
		 struct audit_scores *out)
{
	audit_scores_init(out, f->third);
	for (int side = 0; side < 2; side++)
		for (size_t k = 0; k < f->third; k++)
			out->of[side][k] =
				score(f, view, pair, &pair[side]->lines[3 * k + part]);
}

/* ---- the audit ---- */

struct choice {
	const struct input *pair[2];
	enum view view;
	struct sotto_audit_event event;
	double epsilon; /* what the part that chooses would prove */
};

static void consider(const struct file *f, enum view view, size_t i, size_t k, double alpha,
		     struct choice *best)
{
	struct choice c = {.pair = {&f->inputs[i], &f->inputs[k]}, .view = view};
	struct audit_scores s;

	fill(f, view, c.pair, 1, &s);
	c.event = audit_choose(&s, s.count, alpha, &c.epsilon);
	audit_scores_release(&s);
	if (!best->pair[0] || c.epsilon > best->epsilon)
		*best = c;
}

static void prove(const struct file *f, double alpha, struct audit_found *out)
{
	struct choice best = {.epsilon = 0};
	struct audit_scores s;

	for (size_t i = 0; i < f->inputs_count; i++)
		for (size_t k = 0; k < i; k++) {
			if (f->params) {
				consider(f, LIKELIHOOD, i, k, alpha, &best);
				continue;
			}
			consider(f, WHOLE, i, k, alpha, &best);
			if (f->letters > 0)
				consider(f, LETTERS, i, k, alpha, &best);
		}
	fill(f, best.view, best.pair, 2, &s);
	out->proved = audit_try(&s, best.event, alpha);
	out->trials = s.count;
	for (int side = 0; side < 2; side++)
		out->inputs[side] = memory_text("%.*s", (int)best.pair[side]->length,
						best.pair[side]->value);
	audit_scores_release(&s);
}

enum outcome audit_reports(const char *path, const struct sotto_client_params *params,
			   double alpha, struct audit_found *out, struct sotto_error *err)
{
	struct file f = {.params = params};
	enum outcome outcome = read_all(&f, path, err);

	if (outcome == OUTCOME_DONE) {
		if (params)
			f.report = memory_new(sotto_client_report_bytes(params), 1);
		else
			learn(&f);
		prove(&f, alpha, out);
	}
	file_release(&f);
	return outcome;
}
