"""Made-up schemes: x-shelf, and x-drawer in `drawer`."""

from urlschemes import Registration, Scheme

registration = Registration.of(__name__)
scheme = Scheme(registration, access=__name__ + ".access")
