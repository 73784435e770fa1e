"""A backend for the Tracker App with Python's standard library only, and SQLite in memory.

Start it with: PORT=8080 python3 server.py
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

database = sqlite3.connect(":memory:", check_same_thread=False)
database.executescript("""
    create table account (id integer primary key, email text unique, salt blob, hash blob);
    create table session (token text primary key, account integer);
    create table project (id integer primary key, account integer, title text, description text);
""")
database_lock = threading.Lock()
MAX_BODY_BYTES = 1024 * 1024
COLUMNS = ("id", "title", "description")


class Refusal(Exception):
    """Has a status, and a message that the app shows to the user."""


def query(sql, *values):
    with database_lock, database:
        return database.execute(sql, values).fetchall()


def derive_key(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2**13, r=8, p=1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # Sends headers and body in one packet. Otherwise delayed ACKs cost 40 ms.

    def register_user(self):
        email, password = self.read_fields("email", "password")
        if not re.fullmatch(r"\S+@\S+\.\S+", email):
            raise Refusal(422, "Invalid email address.")
        if len(password) < 8:
            raise Refusal(422, "Password must be at least 8 characters.")
        salt = secrets.token_bytes(16)
        row = (email.lower(), salt, derive_key(password, salt))
        try:
            query("insert into account (email, salt, hash) values (?, ?, ?)", *row)
        except sqlite3.IntegrityError:
            raise Refusal(409, "An account with this email already exists.") from None
        return 201, {"role": "member"}

    def login(self):
        email, password = self.read_fields("email", "password")
        rows = query("select id, salt, hash from account where email = ?", email.lower())
        # An unknown email takes as long as a wrong password, so that the time reveals nothing.
        account, salt, expected = rows[0] if rows else (None, b"dummy", b"")
        if not hmac.compare_digest(derive_key(password, salt), expected):
            raise Refusal(401, "The email or the password is not right.")
        token = secrets.token_urlsafe(32)
        query("delete from session where token = ?", self.session_token())
        query("insert into session values (?, ?)", token, account)
        self.cookie = f"session={token}; Path=/; HttpOnly; SameSite=Lax"
        return 200, {}

    def list_projects(self):
        select = "select id, title, description from project where account = ? order by id"
        return 200, [dict(zip(COLUMNS, row)) for row in query(select, self.account_id())]

    def create_project(self):
        row = (self.account_id(), *self.read_fields("title", "description"))
        insert = "insert into project (account, title, description) values (?, ?, ?)"
        return 201, dict(zip(COLUMNS, query(f"{insert} returning {', '.join(COLUMNS)}", *row)[0]))

    operations = {
        ("POST", "/api/v1/users/register"): register_user,
        ("POST", "/api/v1/auth/login"): login,
        ("GET", "/api/v1/projects"): list_projects,
        ("POST", "/api/v1/projects"): create_project,
    }

    def session_token(self):
        match = re.search(r"(?:^|; )session=([^;]*)", self.headers.get("Cookie") or "")
        return match and match[1]

    def account_id(self):
        rows = query("select account from session where token = ?", self.session_token())
        if not rows:
            raise Refusal(401, "Please sign in to work with projects.")
        return rows[0][0]

    def read_fields(self, *names):
        """Accepts JSON only, which a form of another site cannot send. With SameSite, that prevents
        CSRF.
        """
        if len(self.body) > MAX_BODY_BYTES:
            raise Refusal(413, "The request is too large. Please shorten the text.")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(415, "The request must be sent as JSON.")
        try:
            body = json.loads(self.body)
        except (ValueError, RecursionError):
            raise Refusal(400, "The request body is not valid JSON.") from None
        for name in names:
            value = body.get(name) if isinstance(body, dict) else None
            if not isinstance(value, str) or value == "":
                raise Refusal(422, f"{name.capitalize()} is required.")
            if re.search("[\0\ud800-\udfff]", value):
                raise Refusal(422, f"{name.capitalize()} has a character that cannot be stored.")
        return [body[name] for name in names]

    def call_operation(self):
        path = self.path.split("?")[0]
        if (self.command, path) in self.operations:
            return self.operations[self.command, path](self)
        if any(path == known for _, known in self.operations):
            raise Refusal(405, "This address does not support this method.")
        raise Refusal(404, "There is nothing at this address.")

    def respond(self):
        self.cookie = None
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, body = self.call_operation()
        except Refusal as refusal:
            status, body = refusal.args[0], {"message": refusal.args[1]}
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", len(payload))
        self.send_header("Cache-Control", "no-store")
        if self.cookie:
            self.send_header("Set-Cookie", self.cookie)
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond

    def log_message(self, *_):
        """Disables the log of requests."""


ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8080))), Handler)
print(f"Ready at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
