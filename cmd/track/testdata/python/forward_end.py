"""Ends while its record is sent to a server with TLS that never answers, and prints where the thread that sends is then."""

import atexit
import ssl
import threading

began, ended = threading.Event(), threading.Event()
wrap_socket = ssl.SSLContext.wrap_socket


def watched(*args, **options):
    began.set()
    try:
        return wrap_socket(*args, **options)
    finally:
        ended.set()


ssl.SSLContext.wrap_socket = watched
atexit.register(lambda: print("out of OpenSSL" if ended.is_set() else "in OpenSSL"))  # after the client, which comes later

import track

with track.seed("s", 1) as s:
    s.value("a", 1)
began.wait(60)
