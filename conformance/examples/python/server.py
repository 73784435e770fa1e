"""A backend for the Tracker App in Python's standard library, with SQLite in memory. It forgets everything when it stops.

Run it: PORT=8080 python3 server.py
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

store = sqlite3.connect(":memory:", check_same_thread=False)
store.executescript("""
    create table account (id integer primary key, email text unique, salt blob, hash blob);
    create table session (token text primary key, account integer);
    create table project (id integer primary key, account integer, title text, description text);
""")
one_at_a_time = threading.Lock()


class Refusal(Exception):
    """A status, and a message for the person at the screen."""


def query(sql, *values):
    with one_at_a_time, store:
        return store.execute(sql, values).fetchall()


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2**13, r=8, p=1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Head and body leave together: apart, each answer waits 40 ms for the other side.

    def register_user(self):
        email, password = self.texts("email", "password")
        if not re.fullmatch(r"\S+@\S+\.\S+", email):
            raise Refusal(422, "Invalid email address.")
        if len(password) < 8:
            raise Refusal(422, "Password must be at least 8 characters.")
        salt = secrets.token_bytes(16)
        row = (email.lower(), salt, hashed(password, salt))
        try:
            query("insert into account (email, salt, hash) values (?, ?, ?)", *row)
        except sqlite3.IntegrityError:
            raise Refusal(409, "An account with this email already exists.") from None
        return 201, {"role": "member"}

    def login(self):
        email, password = self.texts("email", "password")
        found = query("select id, salt, hash from account where email = ?", email.lower())
        # Somebody unknown costs as much time as a wrong password.
        account, salt, kept = found[0] if found else (None, b"nobody", b"")
        if not hmac.compare_digest(hashed(password, salt), kept):
            raise Refusal(401, "The email or the password is not right.")
        token = secrets.token_urlsafe(32)
        query("delete from session where token = ?", self.token())
        query("insert into session values (?, ?)", token, account)
        self.cookie = f"session={token}; Path=/; HttpOnly; SameSite=Lax"
        return 200, {}

    def list_projects(self):
        rows = query("select id, title, description from project where account = ? order by id", self.account())
        return 200, [dict(zip(("id", "title", "description"), row)) for row in rows]

    def create_project(self):
        row = (self.account(), *self.texts("title", "description"))
        insert = "insert into project (account, title, description) values (?, ?, ?) returning id, title, description"
        return 201, dict(zip(("id", "title", "description"), query(insert, *row)[0]))

    calls = {
        ("POST", "/api/v1/users/register"): register_user,
        ("POST", "/api/v1/auth/login"): login,
        ("GET", "/api/v1/projects"): list_projects,
        ("POST", "/api/v1/projects"): create_project,
    }

    def token(self):
        found = re.search(r"(?:^|; )session=([^;]*)", self.headers.get("Cookie") or "")
        return found and found[1]

    def account(self):
        for (account,) in query("select account from session where token = ?", self.token()):
            return account
        raise Refusal(401, "Please sign in to work with projects.")

    def texts(self, *names):
        """Only JSON, which no form of another site can send: that, and SameSite, keep forged requests out."""
        if len(self.sent) > 1024 * 1024:
            raise Refusal(413, "The request is too large. Please shorten the text.")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(415, "The request must be sent as JSON.")
        try:
            body = json.loads(self.sent)
        except ValueError:
            raise Refusal(400, "The request body is not valid JSON.") from None
        for name in names:
            text = body.get(name) if isinstance(body, dict) else None
            if not isinstance(text, str) or text == "":
                raise Refusal(422, f"{name.capitalize()} is required.")
        return [body[name] for name in names]

    def call(self):
        path = self.path.split("?")[0]
        if (self.command, path) in self.calls:
            return self.calls[self.command, path](self)
        if any(path == known for _, known in self.calls):
            raise Refusal(405, "This address cannot be used in this way.")
        raise Refusal(404, "There is nothing at this address.")

    def answer(self):
        self.cookie = None
        self.sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, body = self.call()
        except Refusal as refusal:
            status, body = refusal.args[0], {"message": refusal.args[1]}
        text = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": len(text), "Cache-Control": "no-store"}
        self.send_response(status)
        for name, value in ({**headers, "Set-Cookie": self.cookie} if self.cookie else headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer

    def log_message(self, *_):
        """Nothing is logged."""


ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8080))), Handler)
print(f"Ready at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
