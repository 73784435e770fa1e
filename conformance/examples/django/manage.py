"""A backend for the Tracker App with Django: its ORM on SQLite, sessions, users and CSRF check.

Start it, in this folder:
    Debian:  apt-get install python3-django
    others:  pip install django
    PORT=8080 DATABASE=tracker.db python3 manage.py

For production, it lacks: migrations, a server such as gunicorn, a limit of sign-in attempts, and
on https SESSION_COOKIE_SECURE, CSRF_COOKIE_SECURE and CSRF_TRUSTED_ORIGINS.
"""

import os
import sys

from django.core.management import call_command, execute_from_command_line
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tracker.settings")
if sys.argv[1:]:
    sys.exit(execute_from_command_line(sys.argv))
application = get_wsgi_application()
call_command("migrate", run_syncdb=True, verbosity=0)
address = ("127.0.0.1", int(os.environ.get("PORT", "8080")))
server = ThreadedWSGIServer(address, WSGIRequestHandler)
server.set_app(application)
print(f"Ready at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
