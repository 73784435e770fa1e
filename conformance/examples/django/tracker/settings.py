import os
import secrets

SECRET_KEY = os.environ.get("SECRET_KEY") or secrets.token_hex()
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes"]
INSTALLED_APPS += ["django.contrib.sessions", "tracker"]
MIDDLEWARE = [
    "tracker.views.JsonErrors",
    "django.middleware.common.CommonMiddleware",  # Content-Length, so that connections stay open
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "tracker.views"
AUTH_USER_MODEL = "tracker.User"
DATABASE = os.environ.get("DATABASE", "tracker.db")
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
CSRF_COOKIE_NAME = "XSRF-TOKEN"  # The names that the app uses.
CSRF_HEADER_NAME = "HTTP_X_XSRF_TOKEN"
LOGGING = {"version": 1, "loggers": {"django.server": {"level": "ERROR"}}}
