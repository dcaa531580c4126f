#include "testlib/clinic.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/seal.h"

const char clinic_policy[] = "ledger: ledger.db\n"
			     "budget: {epsilon: 1000, delta: 0.5}\n"
			     "diagnostics: 0\n"
			     "tables:\n"
			     "  visits:\n"
			     "    source: visits.csv\n"
			     "    unit: id\n"
			     "    max_groups: 2\n"
			     "    max_rows: 2\n"
			     "    columns:\n"
			     "      x: {bounds: [0, 100], type: integer}\n"
			     "      ward: {keys: [a, b, c]}\n";

const char clinic_csv[] =
	"id,ward,x,note\n"
	"1,a,10,n1\n1,a,20,n1\n1,b,30,n2\n2,a,40,n1\n3,b,50,n2\n4,b,60,n2\n"
	"5,c,70,n3\n6,a,,n1\n7,c,90,n3\n8,a,100,n1\n8,a,500,n1\n8,b,-5,only\n";

bool clinic_write(const struct clinic *c, const char *name, const char *text)
{
	char path[FOLDER_PATH_MAX];
	FILE *f;

	folder_file(&c->folder, name, path);
	f = fopen(path, "w");
	return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

static bool open_session(struct clinic *c)
{
	char path[FOLDER_PATH_MAX];

	folder_file(&c->folder, "sotto.yaml", path);
	c->err.text[0] = '\0';
	if (sotto_session_open(path, &c->session, &c->err) != SOTTO_OK)
		return false;
	sotto_session_set_threads(c->session, 1);
	return true;
}

/* Sources may be written at any time: what there is now is sealed, what is not is left. */
void clinic_seal(struct clinic *c)
{
	const struct sotto_seal_options options = {.drop_malformed = true};
	struct sotto_seal_report *report = NULL;
	char path[FOLDER_PATH_MAX];

	folder_file(&c->folder, "sotto.yaml", path);
	if (sotto_policy_seal(path, &options, &report, NULL) == SOTTO_OK)
		sotto_seal_report_free(report);
}

void clinic_own(struct clinic *c)
{
	char path[FOLDER_PATH_MAX], *said = NULL;

	folder_file(&c->folder, "sotto.yaml", path);
	if (sotto_policy_create_ledger(path, SOTTO_NEIGHBOURS_ADD_REMOVE, &said, NULL) ==
		    SOTTO_OK ||
	    sotto_policy_accept(path, "owner", &said, NULL) == SOTTO_OK)
		free(said);
}

bool clinic_open(struct clinic *c, const char *policy, const char *csv)
{
	*c = (struct clinic){0};
	folder_open(&c->folder);
	return clinic_write(c, "sotto.yaml", policy ? policy : clinic_policy) &&
	       clinic_write(c, "visits.csv", csv ? csv : clinic_csv) &&
	       (clinic_seal(c), clinic_own(c), open_session(c));
}

void clinic_close(struct clinic *c)
{
	sotto_session_close(c->session);
	c->session = NULL;
	folder_close(&c->folder);
}

bool clinic_reopen(struct clinic *c)
{
	sotto_session_close(c->session);
	c->session = NULL;
	clinic_own(c);
	return open_session(c);
}

bool clinic_damage(const struct clinic *c)
{
	char pattern[FOLDER_PATH_MAX];
	bool done = false;
	glob_t found;
	FILE *f;

	folder_file(&c->folder, "sotto-sealed/visits-*.parquet", pattern);
	if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1) {
		f = fopen(found.gl_pathv[0], "r+");
		done = f && fseek(f, 4, SEEK_SET) == 0 &&
		       fputs("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", f) >= 0 &&
		       fclose(f) == 0;
	}
	globfree(&found);
	return done;
}

struct sotto_answer *clinic_ask(struct clinic *c, const char *sql, const char *epsilon,
				const char *delta, bool fresh)
{
	struct sotto_question q = {.sql = sql, .fresh = fresh};
	struct sotto_answer *a = NULL;
	struct sotto_rational e, d;

	sotto_rational_init(&e);
	sotto_rational_init(&d);
	clinic_seal(c);
	c->err.text[0] = '\0';
	if (epsilon && sotto_rational_parse(&e, epsilon, NULL) == SOTTO_OK)
		q.epsilon = &e;
	if (delta && sotto_rational_parse(&d, delta, NULL) == SOTTO_OK)
		q.delta = &d;
	if (sotto_session_query(c->session, &q, &a, &c->err) != SOTTO_OK)
		a = NULL;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return a;
}
