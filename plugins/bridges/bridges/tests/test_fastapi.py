"""A service of FastAPI: URLs in parameters, bodies, tables, and in what it returns without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

pytest.importorskip("fastapi", reason="needs FastAPI: python3 dev --group bridges pytest")

from fastapi import FastAPI, HTTPException, Query
from fastapi.encoders import jsonable_encoder
from fastapi.responses import RedirectResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field
from sqlalchemy import Engine, create_engine, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool

from urlschemes import URL
from urlschemes_bridges.fastapi import Schemes
from urlschemes_bridges.sqlalchemy import URLColumn
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_rfc3986 import parse, registry

Web = Annotated[URL, Schemes("http", "https", registry=registry, fix=True, normalize=True)]


class Base(DeclarativeBase):
    pass


class Page(Base):
    __tablename__ = "page"
    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[URL] = mapped_column(URLColumn(["http", "https"], registry=registry), unique=True)


class Wanted(BaseModel):
    url: Annotated[Web, Field(max_length=60)]


def make_service(engine: Engine) -> FastAPI:
    service = FastAPI()
    Base.metadata.create_all(engine)

    @service.post("/pages")
    def add(wanted: Wanted) -> int:
        with Session(engine) as session:
            page = Page(url=wanted.url)
            session.add(page)
            try:
                session.commit()
            except IntegrityError:
                raise HTTPException(409) from None
            return page.id

    @service.get("/pages", response_model=None)
    def pages(prefix: Annotated[Web, Query()]) -> Any:
        with Session(engine, expire_on_commit=False) as session:
            found = session.scalars(select(Page).order_by(Page.id)).all()
            return {"of": prefix, "pages": [each for each in found if str(each.url).startswith(str(prefix))]}

    @service.get("/pages/{number}")
    def visit(number: int) -> RedirectResponse:
        with Session(engine) as session:
            return RedirectResponse(str(session.get_one(Page, number).url))

    @service.get("/any")
    def anything() -> dict[str, object]:
        return {"url": parse("http://e.com/")}

    return service


@pytest.fixture
def client() -> Iterator[TestClient]:
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    with TestClient(make_service(engine), follow_redirects=False) as client:
        yield client
    engine.dispose()


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:starlette.*")


def test_urls_come_in_are_stored_once_and_go_out(client: TestClient) -> None:
    assert client.post("/pages", json={"url": "HTTP://e.com/a b"}).json() == 1
    assert client.post("/pages", json={"url": "http://E.com:80/a%20b"}).status_code == 409
    found = client.get("/pages", params={"prefix": "http://e.com"}).json()
    assert found == {"of": "http://e.com/", "pages": [{"id": 1, "url": "http://e.com/a%20b"}]}
    assert client.get("/pages/1").headers["Location"] == "http://e.com/a%20b"
    assert client.get("/any").json() == {"url": "http://e.com/"}
    assert jsonable_encoder([parse("http://e.com/")]) == ["http://e.com/"]
    assert json.dumps(parse("http://e.com/"), default=str) == '"http://e.com/"'


@pytest.mark.parametrize(
    ("url", "code", "message"),
    [
        ("javascript:alert(1)", "invalid-scheme", "scheme 'javascript' at position 0: expected one of http, https"),
        ("http://e.com/" + "a" * 50, "too_long", "Value should have at most 60 items after validation, not 63"),
        ("http:\\\\e.com/", "invalid-character", "invalid character '\\' in the host at position 5"),
    ],
)
def test_everything_else_is_an_error_of_the_request(client: TestClient, url: str, code: str, message: str) -> None:
    response = client.post("/pages", json={"url": url})
    [error] = response.json()["detail"]
    assert (response.status_code, error["loc"], error["type"]) == (422, ["body", "url"], code)
    assert error["msg"].startswith(message)


def test_the_description_of_the_service_is_small(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert described["components"]["schemas"]["Wanted"]["properties"]["url"] == {
        "type": "string",
        "maxLength": 60,
        "title": "Url",
    }


def test_a_type_of_urls_is_a_parameter_too() -> None:
    service = FastAPI()

    @service.get("/host")
    def host(url: HttpURI) -> str:
        return url.host

    assert TestClient(service).get("/host", params={"url": "http://e.com/"}).json() == "e.com"
