/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The private SSH server of a personal lab: on loopback, with keys and configuration of its own in
 * STATE/ssh, for the user who started the lab and nobody else. It is the one host of the lab, and
 * the lab reaches it exactly as it would reach a rack across the room.
 */
#ifndef CLI_SSHD_H
#define CLI_SSHD_H

#include "base/child.h"
#include "base/json.h"

struct sshd {
	char *dir; /* STATE/ssh */
	char *program; /* sshd wants an absolute path */
	char *config;
	char *pid_file; /* written by sshd once it listens */
	char *key; /* the lab's private key */
	char *user;
	char *host_key; /* "ssh-ed25519 AAAA…" */
	int port;
};

/* Make what is not there: keys, configuration. port: the one it had, used again if it is free;
 * else 0. */
int sshd_prepare(struct sshd *s, const char *state_dir, int port, struct error *e);
void sshd_done(struct sshd *s);
/* Starts it; it listens when pid_file is there. */
int sshd_start(struct sshd *s, struct child *ret_child, struct error *e);
/* What POST /hosts wants to know of it. */
cJSON *sshd_host(const struct sshd *s);

/* Is this TCP port of 127.0.0.1 free? */
bool port_is_free(int port);

#endif
