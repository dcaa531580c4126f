/*
 * Writes release.json and report.html as .part files first, synchronizes them and renames them,
 * so that neither is ever seen half-written.
 */
#include "census/publish/census_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "census/account/census_account.h"
#include "census/account/census_predict.h"
#include "census/publish/census_page.h"
#include "core/base/failure.h"

static enum sotto_status
finish(FILE *f, const char *part, const char *name, struct sotto_error *err)
{
	bool failed = ferror(f) != 0 || fflush(f) != 0 || fsync(fileno(f)) != 0;

	failed |= fclose(f) != 0;
	if (!failed && rename(part, name) == 0)
		return SOTTO_OK;
	(void)unlink(part);
	return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", name);
}

static enum sotto_status open_part(const char *folder, const char *name, char **part,
				   char **final, FILE **f, struct sotto_error *err)
{
	if (asprintf(final, "%s/%s", folder, name) < 0 || asprintf(part, "%s.part", *final) < 0)
		return SOTTO_ENOMEM;
	*f = fopen(*part, "we");
	return *f ? SOTTO_OK : sotto_fail(err, SOTTO_EIO, "%.300s could not be written", *part);
}

static enum sotto_status write_html(const struct sotto_census_world *w, const char *folder,
				    bool not_private, struct sotto_error *err)
{
	struct sotto_census_predictions predictions;
	char *part = NULL, *name = NULL;
	FILE *f = NULL;
	enum sotto_status st = sotto_census_predict(w, &predictions);

	if (st == SOTTO_OK)
		st = open_part(folder, "report.html", &part, &name, &f, err);
	if (st == SOTTO_OK) {
		st = sotto_census_put_page(f, w, not_private, &predictions);
		if (st != SOTTO_OK)
			(void)fclose(f);
		else
			st = finish(f, part, name, err);
	}
	free(part);
	free(name);
	return st;
}

enum sotto_status sotto_census_report_write(const struct sotto_census_world *w,
					    const char *folder, bool not_private,
					    struct sotto_error *err)
{
	char *part = NULL, *name = NULL;
	struct sotto_buffer b;
	FILE *f = NULL;
	enum sotto_status st;

	SOTTO_TRY(write_html(w, folder, not_private, err));
	sotto_buffer_init(&b, 1 << 26);
	st = sotto_census_account(w, not_private, &b);
	if (st == SOTTO_OK)
		st = open_part(folder, "release.json", &part, &name, &f, err);
	if (st == SOTTO_OK) {
		fputs(sotto_buffer_text(&b), f);
		st = finish(f, part, name, err);
	}
	sotto_buffer_release(&b);
	free(part);
	free(name);
	return st;
}
