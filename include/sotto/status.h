/*
 * sotto/status.h - what functions return, and the rules that hold for all functions
 *
 * A function that can fail returns an enum sotto_status.  No function prints, exits
 * or sets errno.
 *
 * Outputs:    are written only on success.
 * NULL:       a function that returns a status refuses NULL with SOTTO_EINVAL where it
 *             needs a value.  A function whose name ends in _release, _free or _close
 *             accepts NULL and does nothing.  Other functions must not be given NULL.
 * Structs:    a zeroed struct is a valid empty value: releasing it does nothing, and using
 *             it means using nothing (a zero, an empty list) or is refused.  Releasing a
 *             struct twice is the same as releasing it once.
 * Ownership:  arguments are borrowed for the time of the call, unless the function says
 *             that it keeps them.  What _new, _open or an output of type ** returns
 *             belongs to you: end it with the matching _free or _close, or with free()
 *             if it is a text.  Pointers inside a struct live as long as the struct.
 */
#ifndef SOTTO_STATUS_H
#define SOTTO_STATUS_H

/*
 * A symbol that the shared library exports; everything else is hidden.  In C++ it keeps
 * its name from C.
 */
#ifdef __cplusplus
#define SOTTO_API extern "C" __attribute__((visibility("default")))
#else
#define SOTTO_API __attribute__((visibility("default")))
#endif

/* The compiler warns if the result is ignored. */
#define SOTTO_MUST_CHECK __attribute__((warn_unused_result))

/* X(name, text): the one list from which the enum and both tables are made. */
#define SOTTO_STATUS_LIST(X)                                                                   \
	X(SOTTO_OK, "success")                                                                 \
	X(SOTTO_EINVAL, "an argument is not allowed")                                          \
	X(SOTTO_ERANGE, "a parameter is outside the supported range")                          \
	X(SOTTO_EOVERFLOW, "a number does not fit")                                            \
	X(SOTTO_EPARSE, "text could not be understood")                                        \
	X(SOTTO_ENOMEM, "out of memory")                                                       \
	X(SOTTO_EENTROPY, "the system's random source failed")                                 \
	X(SOTTO_EIO, "reading or writing failed")                                              \
	X(SOTTO_ECORRUPT, "stored data are damaged")                                           \
	X(SOTTO_ESTATE, "the object is not in a state that allows this")                       \
	X(SOTTO_EREFUSED, "refused: the request cannot be answered privately")                 \
	X(SOTTO_EBUDGET, "refused: the budget does not allow it")                              \
	X(SOTTO_EMISSING, "something that is needed is missing")                               \
	X(SOTTO_EINFEASIBLE, "the constraints contradict each other")

enum sotto_status {
#define SOTTO_STATUS_ENUM(name, text) name,
	SOTTO_STATUS_LIST(SOTTO_STATUS_ENUM)
#undef SOTTO_STATUS_ENUM
};

/* The name ("SOTTO_EINVAL") or a short lower-case text; never NULL, never to be freed. */
SOTTO_API const char *sotto_status_name(enum sotto_status status);
SOTTO_API const char *sotto_status_text(enum sotto_status status);

/*
 * ---- One sentence for people, next to the status for programs
 *
 * The caller owns a struct sotto_error and passes its address, or NULL if it needs
 * no text.  Texts contain names and parameters, never values from private
 * data: a message that depends on private data would be a release.
 */

#define SOTTO_ERROR_TEXT_MAX 512

struct sotto_error {
	char text
		[SOTTO_ERROR_TEXT_MAX]; /* what is wrong and what to change; "" if nothing is */
};

#endif
