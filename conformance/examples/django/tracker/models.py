from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.db import models


class User(AbstractBaseUser):
    email = models.EmailField(unique=True)  # In lower case.
    USERNAME_FIELD = "email"
    objects = BaseUserManager()


class Project(models.Model):
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="projects")
    title = models.TextField()
    description = models.TextField()

    class Meta:
        ordering = ["id"]
