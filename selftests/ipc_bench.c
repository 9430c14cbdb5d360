// SPDX-License-Identifier: GPL-2.0-only
/*
 * What System V IPC costs with SELinux's checks: prints the ns for a msgsnd()
 * and msgrcv() of 16 bytes, for two semop()s, and for a shmat() and shmdt().
 *
 * Usage: ipc_bench CONTEXT ROUNDS: in that domain, ROUNDS times each.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

static void become(const char *context)
{
	int fd = open("/proc/self/attr/current", O_WRONLY);

	if (fd < 0 || write(fd, context, strlen(context) + 1) < 0)
		err(1, "%s", context);
	close(fd);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void messages(int id)
{
	struct {
		long type;
		char text[16];
	} message = { .type = 1 };

	if (msgsnd(id, &message, sizeof(message.text), 0) ||
	    msgrcv(id, &message, sizeof(message.text), 0, 0) < 0)
		err(1, "message");
}

static void semaphores(int id)
{
	struct sembuf up = { .sem_op = 1 }, down = { .sem_op = -1 };

	if (semop(id, &up, 1) || semop(id, &down, 1))
		err(1, "semaphore");
}

static void shared_memory(int id)
{
	void *address = shmat(id, NULL, 0);

	if (address == (void *)-1 || shmdt(address))
		err(1, "shared memory");
}

static void measure(const char *what, void (*function)(int id), int id,
		    unsigned long rounds)
{
	unsigned long i;
	double start;

	if (id < 0)
		err(1, "%s", what);
	for (i = 0; i < 16; i++)
		function(id);
	start = now();
	for (i = 0; i < rounds; i++)
		function(id);
	printf("%s %.1f\n", what, (now() - start) / rounds);
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	int id;

	if (argc != 3)
		errx(2, "Usage: ipc_bench CONTEXT ROUNDS");
	become(argv[1]);
	rounds = strtoul(argv[2], NULL, 10);

	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	measure("msg", messages, id, rounds);
	msgctl(id, IPC_RMID, NULL);
	id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	measure("sem", semaphores, id, rounds);
	semctl(id, 0, IPC_RMID);
	id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	measure("shm", shared_memory, id, rounds);
	shmctl(id, IPC_RMID, NULL);
	return 0;
}
