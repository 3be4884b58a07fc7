# A bank that takes Sluice's postings: verified, and stored once. `python3 bank.py PORT FILE_OF_SECRETS FILE_OF_DATABASE`
# It needs `standardwebhooks` from PyPI. SQLite takes the place of your database.
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

port, secrets_file, database_file = sys.argv[1:]
# Two lines while one secret replaces the other.
keys = [Webhook(line) for line in open(secrets_file).read().split()]
body_bytes_max = 1_048_576

with sqlite3.connect(database_file) as database:
    database.execute("CREATE TABLE IF NOT EXISTS inbox (webhook_id TEXT PRIMARY KEY, path TEXT, body BLOB)")


def is_signed(body, headers):
    for key in keys:
        try:
            key.verify(body, headers, json_parse=False)
            return True
        except Exception:
            pass  # The library fails in several ways at what is no signature.
    return False


def store_once(webhook_id, path, body):
    database = sqlite3.connect(database_file, timeout=4)
    try:
        with database:  # One transaction: the claim, and what the bank does with the message.
            database.execute("INSERT INTO inbox VALUES (?, ?, ?)", (webhook_id, path, body))
    except sqlite3.IntegrityError:
        pass  # A repeat: it has been done.
    finally:
        database.close()


class Bank(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > body_bytes_max:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_signed(body, dict(self.headers.items())):
            return self.answer(401)  # Never 400: that would end the delivery.
        store_once(self.headers["webhook-id"], self.path, body)  # Fails: no answer, and Sluice sends it again.
        self.answer(202)  # After the commit, never before.

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()


ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("127.0.0.1", int(port)), Bank).serve_forever()
