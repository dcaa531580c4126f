/*
 * Opens the file for writing without changing it; a file that this has created is removed again
 * if nothing is drawn.
 */
#include "show/chart/picture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "frame/complaint.h"

enum outcome picture_try(struct picture_file *f, const char *path, struct sotto_error *err)
{
	int fd;

	*f = (struct picture_file){.path = path};
	if (!path)
		return OUTCOME_DONE;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	f->is_new = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return complaint_refuse(err, "%s could not be written", path);
	(void)close(fd);
	return OUTCOME_DONE;
}

void picture_forget(const struct picture_file *f)
{
	if (f->path && f->is_new)
		(void)unlink(f->path);
}

FILE *picture_open(const struct picture_file *f, struct sotto_error *err)
{
	FILE *out = fopen(f->path, "we");

	if (!out)
		(void)complaint_refuse(err, "%s could not be written", f->path);
	return out;
}

enum outcome
picture_close(const struct picture_file *f, FILE *out, bool drawn, struct sotto_error *err)
{
	bool written = !ferror(out);

	written = fclose(out) == 0 && written;
	if (!written)
		return complaint_refuse(err, "%s could not be written", f->path);
	if (drawn)
		return OUTCOME_DONE;
	picture_forget(f);
	return complaint_refuse(err, "there is no number to draw, so %s was not written",
				f->path);
}
