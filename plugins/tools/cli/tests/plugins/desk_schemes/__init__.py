"""A made-up scheme."""

from urlschemes import Registration, Scheme

registration = Registration.of(__name__)
scheme = Scheme(registration, access=__name__ + ".access")
