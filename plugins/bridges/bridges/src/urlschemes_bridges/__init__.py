"""URLs in other libraries: one module for each, which imports the library; this package imports none of them.

argparse.py          ArgparseURL: the type of an argument
click.py             ClickURL: the type of an argument or option
typer.py             TyperURL: the parser of an argument or option
django.py            URLField, URLFormField: fields of models and forms; URLJSONEncoder
fastapi.py           URLs that are returned without a model
pydantic.py          Schemes: URL types as fields of models
sqlalchemy.py        URLColumn: the type of a column
urllib.py            URLHandler: opens URLs for urllib.request under a policy

chosen_schemes.py    URLs of the schemes that a caller chose
extras.py            the error for a library that is not installed
"""
