/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which lab the commands talk to. A personal lab leaves STATE/lab.json behind:
 *
 *   {"server":"http://127.0.0.1:41873","token_file":"/…/token","pid":4242,"ssh_port":35671}
 *
 * Everything is read again on every use; there is no other state on this side.
 */
#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "base/json.h"

#define LAB_FILE "lab.json"
#define LAB_LOCK "up.lock" /* held by the supervisor while the lab is up */
#define LAB_OWNER "up.owner" /* locked by the process that is to be stopped */
#define LAB_LOG "up.log"
#define LAB_TOKEN "token"

/* ERR_MISSING: there has never been a lab in that folder. */
int lab_load(const char *state_dir, cJSON **ret_lab, struct error *e);
/* A token file's first line. It has to be ours alone: anything else is ERR_AUTH. */
int lab_read_token(const char *path, char **ret_token, struct error *e);

/*
 * The lock that says whether the lab is up. Returns 0 with the descriptor (held until closed by
 * everyone who inherited it), or ERR_STATE where it is held already.
 */
int lab_lock(const char *state_dir, int *ret_fd, struct error *e);
/* This process is the one to stop: a record lock, of which the kernel tells whose it is. It ends with
 * the process, or where it closes the descriptor. */
int lab_own(const char *state_dir, int *ret_fd, struct error *e);
/* The process to stop, as a descriptor: no other one, whatever happens. ERR_MISSING: there is none
 * (yet, or any more). */
int lab_owner(const char *state_dir, int *ret_pidfd, pid_t *ret_pid, struct error *e);

#endif
