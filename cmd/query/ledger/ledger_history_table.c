/* Every entry of a ledger, for people and for programs. */
#include <string.h>
#include <time.h>

#include "query/ledger/ledger_command.h"
#include "show/table.h"

void ledger_time_text(int64_t seconds, char text[LEDGER_TIME_SIZE])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    strftime(text, LEDGER_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		text[0] = '\0';
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void ledger_write_cost(struct json_writer *w, const struct sotto_cost *cost)
{
	if (cost->bounded) {
		json_write_amount_up(w, "epsilon", &cost->epsilon);
	} else {
		json_key(w, "epsilon");
		json_write_null(w);
		json_write_amount_up(w, "rho", &cost->rho);
	}
	json_write_amount_up(w, "delta", &cost->delta);
}

void ledger_add_epsilon(struct table *t, const struct sotto_cost *cost)
{
	if (cost->bounded)
		table_add_amount_up(t, &cost->epsilon);
	else
		table_add_nothing(t);
}

static void write_parts(struct json_writer *w, const struct sotto_ledger_entry *e)
{
	json_key(w, "parts");
	json_open_row(w);
	for (size_t i = 0; i < e->part_count; i++) {
		json_open_record(w);
		json_member_text(w, "what", e->parts[i].what);
		ledger_write_cost(w, e->parts[i].cost);
		json_close_object(w);
	}
	json_close_array(w);
}

static const char *const kinds[] = {[SOTTO_LEDGER_RELEASE] = "release",
				    [SOTTO_LEDGER_CLOCK] = "clock",
				    [SOTTO_LEDGER_POLICY] = "policy",
				    [SOTTO_LEDGER_SHARED] = "shared",
				    [SOTTO_LEDGER_PARTLY_SHARED] = "partly shared"};

static enum sotto_status write_entry(void *context, const struct sotto_ledger_entry *e)
{
	struct json_writer *w = context;
	char when[LEDGER_TIME_SIZE];

	ledger_time_text(e->time, when);
	json_open_record(w);
	json_member_integer(w, "number", (int64_t)e->number);
	json_member_text(w, "kind", kinds[e->kind]);
	json_member_text(w, "time", when);
	json_member_text(w, "analyst", e->analyst);
	json_member_text(w, "query", e->query);
	ledger_write_cost(w, e->cost);
	json_member_bool(w, "answered", e->answered);
	if (e->part_count)
		write_parts(w, e);
	json_close_object(w);
	return SOTTO_OK;
}

enum sotto_status ledger_write_history(struct sotto_ledger *ledger, struct json_writer *w,
				       struct sotto_error *err)
{
	enum sotto_status st;

	json_open_array(w);
	st = sotto_ledger_each(ledger, write_entry, w, err);
	json_close_array(w);
	return st;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct list {
	struct table table;
	uint64_t unanswered, shared, partly_shared;
};

static enum sotto_status add_entry(void *context, const struct sotto_ledger_entry *e)
{
	bool partly = e->kind == SOTTO_LEDGER_PARTLY_SHARED;
	bool charge = e->kind == SOTTO_LEDGER_RELEASE || partly;
	struct list *list = context;
	struct table *t = &list->table;
	char when[LEDGER_TIME_SIZE];

	ledger_time_text(e->time, when);
	table_add_integer(t, (int64_t)e->number);
	table_add_text(t, when);
	table_add_text(t, e->analyst);
	ledger_add_epsilon(t, e->cost);
	table_add_amount_up(t, &e->cost->delta);
	table_add_text(t, e->kind == SOTTO_LEDGER_SHARED ? kinds[e->kind]
			  : !charge                      ? "-"
			  : !e->answered                 ? "no"
			  : partly                       ? kinds[e->kind]
							 : "yes");
	table_add_text(t, e->query);
	list->unanswered += charge && !e->answered;
	list->shared += e->kind == SOTTO_LEDGER_SHARED;
	list->partly_shared += partly && e->answered;
	return SOTTO_OK;
}

enum sotto_status ledger_print_history(struct sotto_ledger *ledger, enum format format,
				       FILE *out, struct sotto_error *err)
{
	static const struct column columns[] = {{"number", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
						{"time", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"analyst", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"delta", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"answered", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"query", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct list list = {.unanswered = 0};
	enum sotto_status st;

	table_init(&list.table, columns, sizeof columns / sizeof columns[0]);
	st = sotto_ledger_each(ledger, add_entry, &list, err);
	if (st == SOTTO_OK)
		table_print(&list.table, format, out);
	if (st == SOTTO_OK && format == FORMAT_TABLE && list.unanswered)
		fprintf(out, "\nanswered no: charged, but the query failed or was stopped\n");
	if (st == SOTTO_OK && format == FORMAT_TABLE && list.shared)
		fprintf(out, "\nanswered shared: another analyst had paid for the same answer, "
			     "so only a share was charged\n");
	if (st == SOTTO_OK && format == FORMAT_TABLE && list.partly_shared)
		fprintf(out,
			"\nanswered partly shared: another analyst had paid for finding the "
			"limits, so the whole budget was charged for the question only\n");
	table_release(&list.table);
	return st;
}
