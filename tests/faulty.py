"""The beginning of the code that the tests of faulty plugins run in child processes."""

# `use` returns what parsing a URL of a scheme gives, `access` what accessing a URL gives. `controls` checks all schemes
# but the faulty ones. `culprits` are the installed distributions that a diagnosis finds in trouble.
HEAD = """
import urlschemes
import urlschemes_access
from urlschemes import default_registry as registry
from urlschemes.errors import URLError

def use(name):
    try:
        return str(urlschemes.parse(name + ":yes"))
    except URLError as error:
        return type(error).__name__ + ": " + str(error)

def access(url, **arguments):
    try:
        with urlschemes_access.access(url, **arguments) as resource:
            return resource.read().decode() if hasattr(resource, "read") else [entry.name for entry in resource]
    except URLError as error:
        return type(error).__name__ + ": " + str(error)

def culprits(*installed, **how):
    return sorted({d.claim.distribution for d in registry.diagnose(**how) if d.claim.in_trouble} & {*installed})

def state(name):
    return [[c.state, c.reason] for c in registry.claims() if c.name == name]

def controls(*faulty):
    count = 0
    for record in registry.registrations():
        if record.scheme in faulty:
            continue
        for example in record.examples:
            assert urlschemes.is_valid(example.url) == (example.parts is not None), example.url
            count += 1
    assert str(urlschemes.parse("x-good:yes")) == "x-good:yes"
    assert count
"""

GOOD = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"
