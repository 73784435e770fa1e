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
largest_body = 1024 * 1024


class Refusal(Exception):
    def __init__(self, status, message):
        self.status, self.message = status, message


def query(sql, *values):
    with one_at_a_time, store:
        return store.execute(sql, values).fetchall()


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2**13, r=8, p=1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def register_user(self):
        email, password = self.credentials()
        if not re.fullmatch(r"\S+@\S+\.\S+", email):
            raise Refusal(422, "Invalid email address.")
        if len(password) < 8:
            raise Refusal(422, "Password must be at least 8 characters.")
        salt = secrets.token_bytes(16)
        try:
            query("insert into account (email, salt, hash) values (?, ?, ?)", email, salt, hashed(password, salt))
        except sqlite3.IntegrityError:
            raise Refusal(409, "An account with this email already exists.") from None
        return 201, {"role": "member"}

    def login(self):
        email, password = self.credentials()
        found = query("select id, salt, hash from account where email = ?", email)
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
        account = self.account()
        project = self.body()
        for name in ("title", "description"):
            if not isinstance(project.get(name), str) or project[name] == "":
                raise Refusal(422, f"{name.capitalize()} is required.")
        title, description = project["title"], project["description"]
        [(number,)] = query(
            "insert into project (account, title, description) values (?, ?, ?) returning id", account, title, description
        )
        return 201, {"id": number, "title": title, "description": description}

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
        found = query("select account from session where token = ?", self.token())
        if not found:
            raise Refusal(401, "Please sign in to work with projects.")
        return found[0][0]

    def credentials(self):
        body = self.body()
        for name in ("email", "password"):
            if not isinstance(body.get(name), str):
                raise Refusal(422, f"{name.capitalize()} is required.")
        return body["email"].lower(), body["password"]

    def body(self):
        """Only JSON, which no form of another site can send: that, and SameSite, keep forged requests out."""
        if len(self.sent) > largest_body:
            raise Refusal(413, "The request is too large. Please shorten the text.")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(415, "The request must be sent as JSON.")
        try:
            body = json.loads(self.sent)
        except ValueError:
            raise Refusal(400, "The request body is not valid JSON.") from None
        if not isinstance(body, dict):
            raise Refusal(422, "The body must be an object.")
        return body

    def answer(self):
        self.cookie = None
        self.sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        try:
            call = self.calls.get((self.command, path))
            if call:
                status, body = call(self)
            elif any(path == known for _, known in self.calls):
                raise Refusal(405, "This address cannot be used in this way.")
            else:
                raise Refusal(404, "There is nothing at this address.")
        except Refusal as refusal:
            status, body = refusal.status, {"message": refusal.message}
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Cache-Control", "no-store")
        if self.cookie:
            self.send_header("Set-Cookie", self.cookie)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


server = Server(("127.0.0.1", int(os.environ.get("PORT", 8080))), Handler)
print(f"Ready at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
