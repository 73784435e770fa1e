"""A backend for the Tracker App with FastAPI and SQLite.

Start it, in this folder:
    Debian:  apt-get install python3-fastapi python3-uvicorn
    others:  pip install fastapi uvicorn
    PORT=8080 DATABASE=tracker.db python3 main.py

For production, it lacks: a limit of sign-in attempts and of the size of a body, sessions that
expire, several processes (gunicorn), and on https secure=True for both cookies.
"""

import hashlib
import os
import re
import secrets
import socket
import sqlite3
import uuid

import uvicorn
from fastapi import Cookie, Depends, FastAPI, Header, HTTPException, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StrictStr, validator
from starlette.exceptions import HTTPException as StarletteHTTPException

DATABASE = os.environ.get("DATABASE", "tracker.db")
TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY, email TEXT UNIQUE NOT NULL, salt BLOB NOT NULL, hash BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS sessions (
  token TEXT PRIMARY KEY, xsrf_token TEXT NOT NULL, user_id INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS projects (
  sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, user_id INTEGER NOT NULL,
  title TEXT NOT NULL, description TEXT NOT NULL
);
"""

app = FastAPI(title="Tracker App")


class Credentials(BaseModel):
    email: StrictStr = Field(max_length=254)
    password: StrictStr = Field(min_length=8, max_length=128)

    @validator("email")
    def must_be_an_address(cls, email):
        if not re.fullmatch(r"[^\s@\x00\ud800-\udfff]+@[^\s@\x00\ud800-\udfff]+\.\w+", email):
            raise ValueError("is not an email address")
        return email.lower()

    @validator("password")
    def must_be_unicode(cls, password):
        return unicode_text(password)


class NewProject(BaseModel):
    # StrictStr, because str turns the number 5 into the text "5".
    title: StrictStr = Field(min_length=1, max_length=10_000)
    description: StrictStr = Field(min_length=1, max_length=100_000)

    @validator("title", "description")
    def must_be_storable(cls, text):
        if "\0" in text:
            raise ValueError("contains a character that cannot be stored")
        return unicode_text(text)


class Project(NewProject):
    id: str


class User(BaseModel):
    role: str = "member"


def unicode_text(text: str) -> str:
    # JSON can contain half a surrogate pair. SQLite and the response cannot: they raise.
    if re.search("[\ud800-\udfff]", text):
        raise ValueError("contains a character that cannot be stored")
    return text


def derive_key(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)


def open_database():
    database = sqlite3.connect(DATABASE, check_same_thread=False)
    database.row_factory = sqlite3.Row
    try:
        yield database
    finally:
        database.close()


def current_session(session: str = Cookie(default=""), database=Depends(open_database)):
    row = database.execute("SELECT * FROM sessions WHERE token = ?", (session,)).fetchone()
    if row is None:
        raise HTTPException(401, "Please sign in to work with projects.")
    return row


def verified_session(session=Depends(current_session), x_xsrf_token: str = Header(default="")):
    if not secrets.compare_digest(x_xsrf_token.encode(), session["xsrf_token"].encode()):
        raise HTTPException(403, "This request could not be verified. Please reload the page.")
    return session


@app.post("/api/v1/users/register", status_code=201, response_model=User)
def register_user(credentials: Credentials, database=Depends(open_database)):
    salt = secrets.token_bytes(16)
    row = (credentials.email, salt, derive_key(credentials.password, salt))
    try:
        # Commits here: the part of a dependency after "yield" runs after the response.
        with database:
            database.execute("INSERT INTO users (email, salt, hash) VALUES (?, ?, ?)", row)
    except sqlite3.IntegrityError:
        raise HTTPException(409, "An account with this email already exists.")
    return User()


@app.post("/api/v1/auth/login")
def login(credentials: Credentials, response: Response, database=Depends(open_database)):
    user = database.execute(
        "SELECT * FROM users WHERE email = ?", (credentials.email,)
    ).fetchone()
    # Hashes for an unknown email too, so that the time reveals no account.
    key = derive_key(credentials.password, user["salt"] if user else b"no account")
    if user is None or not secrets.compare_digest(key, user["hash"]):
        raise HTTPException(401, "The email or the password is not right.")
    token, xsrf_token = secrets.token_urlsafe(), secrets.token_urlsafe()
    with database:
        database.execute("INSERT INTO sessions VALUES (?, ?, ?)", (token, xsrf_token, user["id"]))
    response.set_cookie("session", token, httponly=True, samesite="lax")
    response.set_cookie("XSRF-TOKEN", xsrf_token, samesite="lax")
    return {}


@app.get("/api/v1/projects", response_model=list[Project])
def list_projects(session=Depends(current_session), database=Depends(open_database)):
    rows = database.execute(
        "SELECT id, title, description FROM projects WHERE user_id = ? ORDER BY sequence",
        (session["user_id"],),
    )
    return [dict(row) for row in rows]


@app.post("/api/v1/projects", status_code=201, response_model=Project)
def create_project(
    project: NewProject, session=Depends(verified_session), database=Depends(open_database)
):
    created = Project(id=str(uuid.uuid4()), title=project.title, description=project.description)
    with database:
        database.execute(
            "INSERT INTO projects (id, user_id, title, description) VALUES (?, ?, ?, ?)",
            (created.id, session["user_id"], created.title, created.description),
        )
    return created


# FastAPI's own handlers respond with "detail". The app shows "message".
@app.exception_handler(StarletteHTTPException)
def refuse(request, error):
    return JSONResponse({"message": error.detail}, error.status_code, headers=error.headers)


@app.exception_handler(RequestValidationError)
def refuse_invalid_body(request, error):
    first = error.errors()[0]
    if "json" in first["type"]:
        return JSONResponse({"message": "The request body is not valid JSON."}, 400)
    field = str(first["loc"][-1]).capitalize()
    return JSONResponse({"message": f"{field}: {first['msg']}."}, 422)


@app.exception_handler(Exception)
def fail(request, error):
    return JSONResponse({"message": "Something went wrong on our side."}, 500)


if __name__ == "__main__":
    with sqlite3.connect(DATABASE) as database:
        database.executescript(TABLES)
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8080"))))
    print(f"Ready at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
