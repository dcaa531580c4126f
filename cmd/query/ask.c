/*
 * Checks the options, opens the session and fills the question; SQL comes from the operand, a
 * file or standard input.
 */
#include "query/ask.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/service.h"

enum { SQL_MAX = 1 << 20, SPREAD_MAX = 1000 };

void ask_harden(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0);
}

enum outcome ask_outcome(enum sotto_status status, struct sotto_error *err)
{
	if (status == SOTTO_OK)
		return OUTCOME_DONE;
	if (err->text[0] == '\0')
		return complaint_refuse(err, "%s", sotto_status_text(status));
	return OUTCOME_REFUSED;
}

static const struct sotto_rational *given(const struct option_rational *option)
{
	return option->given ? &option->value : NULL;
}

enum outcome
ask_read_share(const char *text, struct sotto_rational *share, struct sotto_error *err)
{
	size_t n = strlen(text);
	bool percent = n > 0 && text[n - 1] == '%';
	struct sotto_rational hundred;
	char digits[64];

	n -= percent;
	while (percent && n > 0 && text[n - 1] == ' ')
		n--;
	if (n == 0 || n >= sizeof digits)
		n = 0;
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (n == 0 || sotto_rational_parse(share, digits, NULL) != SOTTO_OK)
		return complaint_usage(err,
				       "--diagnostics must be a share like 5%% or 0.05, or 0 "
				       "for none");
	sotto_rational_init(&hundred);
	if (percent && sotto_rational_set_ratio(&hundred, 1, 100) == SOTTO_OK)
		sotto_rational_multiply(share, share, &hundred);
	sotto_rational_release(&hundred);
	return OUTCOME_DONE;
}

const char *const ask_mechanisms[] = {"auto", "laplace", "gaussian", NULL};

static enum outcome refuse_weight(char *text, struct sotto_error *err)
{
	free(text);
	return complaint_usage(
		err, "--weight must be like visits=3, with a whole number from 1 to 1000");
}

/* COLUMN=W, the column up to the last = of it; *out is malloc'd. */
static enum outcome read_weights(const struct option_list *list,
				 struct sotto_column_weight **out, struct sotto_error *err)
{
	*out = memory_new(list->count + 1, sizeof **out);
	for (size_t i = 0; i < list->count; i++) {
		char *text = memory_copy_text(list->items[i]), *sign = strrchr(text, '='), *end;
		unsigned long weight = sign ? strtoul(sign + 1, &end, 10) : 0;

		if (!sign || sign == text || weight < 1 || weight > 1000 || *end)
			return refuse_weight(text, err);
		*sign = '\0';
		(*out)[i] = (struct sotto_column_weight){.column = text,
							 .weight = (unsigned)weight};
	}
	return OUTCOME_DONE;
}

enum outcome ask_open(const struct ask_settings *settings, struct sotto_session **session,
		      struct sotto_question *question, struct sotto_error *err)
{
	const struct sotto_session_options once = {.one_question = true};
	struct sotto_rational *share = (struct sotto_rational *)&settings->diagnostics_share;
	enum outcome outcome = OUTCOME_DONE;

	if (settings->epsilon.given && settings->error.given)
		return complaint_usage(err, "give --epsilon or --error, not both");
	if (settings->spread.value > SPREAD_MAX)
		return complaint_refuse(err, "--spread must be at most %d", SPREAD_MAX);
	if (settings->diagnostics) {
		sotto_rational_init(share);
		outcome = ask_read_share(settings->diagnostics, share, err);
	}
	if (outcome == OUTCOME_DONE)
		outcome = read_weights(&settings->weight,
				       &((struct ask_settings *)settings)->weights, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	ask_harden();
	service_open_files();
	outcome = ask_outcome(sotto_session_open_with(settings->policy, &once, session, err),
			      err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	sotto_session_set_threads(*session, (unsigned)settings->threads.value);
	*question = (struct sotto_question){
		.analyst = settings->analyst,
		.epsilon = given(&settings->epsilon),
		.delta = given(&settings->delta),
		.error = given(&settings->error),
		.diagnostics = settings->diagnostics ? share : NULL,
		.weights = settings->weights,
		.weight_count = settings->weight.count,
		.mechanism = settings->mechanism ? ask_mechanisms[settings->mechanism] : NULL,
		.spread = (uint32_t)settings->spread.value,
		.fresh = settings->fresh};
	return OUTCOME_DONE;
}

void ask_forget(const struct ask_settings *settings)
{
	for (size_t i = 0; settings->weights && i < settings->weight.count; i++)
		free((char *)settings->weights[i].column);
	free(settings->weights);
	if (settings->diagnostics)
		sotto_rational_release((struct sotto_rational *)&settings->diagnostics_share);
}

static enum outcome read_stream(FILE *in, char **text, struct sotto_error *err)
{
	char *buffer = malloc(SQL_MAX + 1);
	size_t n = buffer ? fread(buffer, 1, SQL_MAX + 1, in) : 0;

	if (!buffer)
		return complaint_refuse(err, "out of memory");
	if (n > SQL_MAX || ferror(in) || memchr(buffer, '\0', n)) {
		free(buffer);
		return complaint_refuse(err, "the SQL could not be read, or is too long");
	}
	buffer[n] = '\0';
	*text = buffer;
	return OUTCOME_DONE;
}

static void tell_what_is_waited_for(FILE *in, FILE *err)
{
	if (isatty(fileno(in)))
		fputs("waiting for SQL: type it, then press Ctrl-D; or give it in quotes after "
		      "the "
		      "command\n",
		      err);
}

enum outcome ask_read_sql(const struct invocation *call, const struct ask_settings *settings,
			  char **text, struct sotto_error *err)
{
	enum outcome outcome;
	FILE *in;

	if (call->operands.count > 1)
		return complaint_usage(err,
				       "the SQL came in %zu words; put the SQL in quotes, like "
				       "\"SELECT COUNT(*) FROM t\"",
				       call->operands.count);
	if (settings->file && call->operands.count)
		return complaint_usage(err,
				       "give the SQL as an operand or with --file, not both");
	if (call->operands.count) {
		*text = strdup(call->operands.items[0]);
		return *text ? OUTCOME_DONE : complaint_refuse(err, "out of memory");
	}
	if (!settings->file || strcmp(settings->file, "-") == 0) {
		tell_what_is_waited_for(call->in, call->err);
		return read_stream(call->in, text, err);
	}
	in = fopen(settings->file, "re");
	if (!in)
		return complaint_refuse(err, "the file %s could not be opened", settings->file);
	outcome = read_stream(in, text, err);
	(void)fclose(in);
	return outcome;
}
