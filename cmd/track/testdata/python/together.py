"""Records from threads, forked children and workers at once, and prints how many seeds there are."""

import concurrent.futures
import multiprocessing
import os
import sys
import threading

import track

THREADS, CHILDREN, EACH = 8, 6, 25


def record(scenario, first):
    for number in range(first, first + EACH):
        with track.seed(scenario, number) as s:
            s.value("m", number / 3)
            s.series("u", [number / 7] * 100)


def work(first):
    record("workers", first)
    return os.getpid()


def main():
    with track.seed("shared", 1) as shared:
        threads = [threading.Thread(target=record, args=("threads", i * EACH)) for i in range(THREADS)]
        threads += [threading.Thread(target=lambda i=i: [shared.value("m%d" % n, n) for n in range(i, 400, THREADS)]) for i in range(THREADS)]
        for thread in threads:
            thread.start()
        children = []
        for i in range(CHILDREN):  # while the threads hold locks
            child = os.fork()
            if child == 0:
                try:
                    shared.value("child", i)
                    os._exit(3)
                except track.Error:
                    pass
                record("children", i * EACH)
                sys.exit(0)  # leaves the block of the parent
            children.append(child)
        for thread in threads:
            thread.join()
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=context) as pool:
        assert os.getpid() not in set(pool.map(work, range(0, 3 * EACH, EACH)))
    print(1 + (THREADS + CHILDREN + 3) * EACH)


if __name__ == "__main__":
    main()
