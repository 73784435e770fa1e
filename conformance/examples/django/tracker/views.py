import json
import re

from django import forms
from django.contrib import auth
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError
from django.http import JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from tracker.models import User


class Refusal(Exception):
    """Has a status, and a message that the app shows to the user."""


class JsonErrors:
    """Responds with a message where Django has an HTML page, such as that of its CSRF check."""

    messages = {
        403: "This request could not be verified. Please reload the page and try again.",
        404: "There is nothing at this address.",
        405: "This method is not allowed here.",
        500: "Something went wrong on our side. Please try again.",
    }

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if response.status_code < 400 or isinstance(response, JsonResponse):
            return response
        message = self.messages.get(response.status_code, "The request could not be understood.")
        return JsonResponse({"message": message}, status=response.status_code)

    def process_exception(self, request, error):
        if isinstance(error, Refusal):
            status, message = error.args
            return JsonResponse({"message": message}, status=status)


class Text(forms.CharField):
    """Keeps text as sent. CharField trims it, and makes text of a number."""

    def __init__(self, **options):
        super().__init__(strip=False, **options)

    def to_python(self, value):
        # JSON can contain half of a surrogate pair, which no database stores.
        if not isinstance(value, (str, type(None))) or re.search("[\ud800-\udfff]", value or ""):
            raise ValidationError("This is not a text.")
        return super().to_python(value)


class Credentials(forms.Form):
    email = Text(max_length=254, validators=[validate_email])
    password = Text(min_length=8, max_length=128)


class NewProject(forms.Form):
    title = Text(max_length=10_000)
    description = Text(max_length=100_000)


def read(form_class, request):
    if request.content_type.lower() != "application/json":
        raise Refusal(415, "The request must be sent as JSON.")
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        raise Refusal(400, "The request body is not valid JSON.")
    form = form_class(body if isinstance(body, dict) else {})
    for field, errors in form.errors.items():
        raise Refusal(422, f"{field.capitalize()}: {errors[0]}")
    return form.cleaned_data


# Exempt, because a new browser has no token. Other sites cannot send JSON.
@csrf_exempt
@require_POST
def register_user(request):
    data = read(Credentials, request)
    user = User(email=data["email"].lower())
    user.set_password(data["password"])
    try:
        user.save()
    except IntegrityError:
        raise Refusal(409, "An account with this email already exists.")
    return JsonResponse({"role": "member"}, status=201)


@csrf_exempt
@require_POST
def login(request):
    data = read(Credentials, request)
    user = auth.authenticate(request, email=data["email"].lower(), password=data["password"])
    if user is None:
        raise Refusal(401, "The email or the password is not right.")
    auth.login(request, user)  # Also sets the cookie XSRF-TOKEN.
    return JsonResponse({})


@require_http_methods(["GET", "POST"])
def projects(request):
    if not request.user.is_authenticated:
        raise Refusal(401, "Please sign in to work with projects.")
    if request.method == "GET":
        rows = request.user.projects.values("id", "title", "description")
        return JsonResponse(list(rows), safe=False)
    project = request.user.projects.create(**read(NewProject, request))
    body = {"id": project.id, "title": project.title, "description": project.description}
    return JsonResponse(body, status=201)


urlpatterns = [
    path("api/v1/users/register", register_user),
    path("api/v1/auth/login", login),
    path("api/v1/projects", projects),
]
