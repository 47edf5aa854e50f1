"""URL columns of SQLAlchemy, in a SQLite database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs SQLAlchemy: python3 dev --group bridges pytest")

import sqlalchemy
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.schema import CreateColumn

import urlschemes
from urlschemes import URL, InvalidURL, Registry
from urlschemes_bridges.sqlalchemy import URLColumn, URLOrTextColumn

NEWS, ARTICLE = "news:comp.lang.python", "nntp://host.dom/misc.test/7"


class Base(DeclarativeBase):
    pass


class Feed(Base):
    __tablename__ = "feed"
    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[URL] = mapped_column(URLColumn(["NNTP", "news"]))
    mirror: Mapped[URL | None] = mapped_column(URLColumn())
    other: Mapped[URL | str | None] = mapped_column(
        URLOrTextColumn("http", length=200, normalize=True, warnings="error")
    )


class Special(Feed):
    """Of the same table."""


@pytest.fixture
def session() -> Iterator[Session]:
    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        yield session
    engine.dispose()


def test_a_url_comes_back_as_it_was_written(session: Session) -> None:
    session.add(Feed(source=NEWS, mirror=urlschemes.parse("ftp://host.dom/a%20b")))
    session.add(Feed(source=urlschemes.parse(ARTICLE)))
    session.commit()
    first, second = session.scalars(sqlalchemy.select(Feed).order_by(Feed.id)).all()
    assert (first.source, first.mirror) == (urlschemes.parse(NEWS), urlschemes.parse("ftp://host.dom/a%20b"))
    assert (second.source, second.mirror) == (urlschemes.parse(ARTICLE), None)
    assert type(second.source) is type(urlschemes.parse(ARTICLE))
    assert sqlalchemy.inspect(Feed).columns.source.type.python_type is URL


def test_urls_and_texts_are_compared(session: Session) -> None:
    session.add(Feed(source=NEWS))
    session.commit()
    for value in (NEWS, urlschemes.parse(NEWS)):
        statement = sqlalchemy.select(Feed).where(Feed.source == value)
        assert session.scalars(statement).one().source == urlschemes.parse(NEWS)
    literal = sqlalchemy.select(Feed).where(Feed.source == NEWS).compile(compile_kwargs={"literal_binds": True})
    assert f"feed.source = '{NEWS}'" in str(literal)


@pytest.mark.parametrize(
    "found",
    [
        Feed.source.contains("lang"), Feed.source.contains(urlschemes.parse(NEWS)), Feed.source.like("news:%"),
        Feed.source.not_like("nntp:%"), Feed.source.ilike("NEWS:%"), Feed.source.startswith("news:"),
        Feed.source.endswith("python"), Feed.source.regexp_match("l.ng"), Feed.source + "!" == f"{NEWS}!",
        "<" + Feed.source == f"<{NEWS}", Feed.source.in_([NEWS]), Feed.source.between(NEWS, NEWS),
    ],
    ids=str,
)  # fmt: skip
def test_the_text_of_urls_is_searched(session: Session, found: sqlalchemy.ColumnElement[bool]) -> None:
    session.add_all([Feed(source=NEWS), Feed(source=ARTICLE)])
    session.commit()
    assert str(session.scalars(sqlalchemy.select(Feed.source).where(found)).one()) == NEWS


@pytest.mark.parametrize("value", [7, NEWS.encode(), object()], ids=lambda value: type(value).__name__)
def test_nothing_but_a_url_or_text_is_written(session: Session, value: object) -> None:
    session.add(Feed(source=value))
    with pytest.raises(sqlalchemy.exc.StatementError, match=f"takes a URL or a str, not {type(value).__name__}"):
        session.commit()


@pytest.mark.parametrize(
    ("value", "shown"),
    [("ftp://me:secret@host.dom/", "'ftp://me:***@host.dom/'"), (NEWS.encode(), f'"{NEWS.encode()!r}"')],
)
def test_what_others_wrote_is_checked_when_it_is_read(session: Session, value: object, shown: str) -> None:
    session.execute(sqlalchemy.text("INSERT INTO feed (source) VALUES (:value)"), {"value": value})
    with pytest.raises(InvalidURL, match="scheme") as caught:
        session.scalars(sqlalchemy.select(Feed)).all()
    note = f"URLColumn(['news', 'nntp']) holds {shown}; URLOrTextColumn reads it as text"
    assert caught.value.__notes__ == [note]


def test_what_others_wrote_is_read_as_it_is_if_asked(session: Session) -> None:
    rows: list[Any] = ["HTTP://H.dom", "http://h/ ", "ftp://h/", None, b"\xff"]
    for row in rows:
        statement = sqlalchemy.text("INSERT INTO feed (source, other) VALUES (:source, :other)")
        session.execute(statement, {"source": NEWS, "other": row})
    found = [feed.other for feed in session.scalars(sqlalchemy.select(Feed).order_by(Feed.id))]
    assert found == [urlschemes.parse("HTTP://H.dom"), *rows[1:4], str(rows[4])]


@pytest.mark.parametrize("text", ["http://h/ ", "ftp://h/", "http://h.dom:99999/"])
def test_a_column_of_urls_or_text_takes_what_it_reads(session: Session, text: str) -> None:
    session.execute(sqlalchemy.text(f"INSERT INTO feed (id, source, other) VALUES (1, '{NEWS}', '{text}')"))
    feed = session.scalars(sqlalchemy.select(Feed)).one()
    for value in (text, feed.other):
        feed.other = value
        assert feed.other == (urlschemes.parse(text) if "9" in text else text)
        assert session.merge(Feed(id=1, source=NEWS, other=value)) is feed
        session.commit()
        assert session.scalars(sqlalchemy.select(Feed).where(Feed.other == value)).one() is feed
    with pytest.raises(InvalidURL, match="scheme 'ftp' at position 0"):
        feed.other = urlschemes.parse("ftp://h/")


@pytest.mark.parametrize("kind", [Feed, Special])
def test_what_is_assigned_becomes_a_url(kind: type[Feed]) -> None:
    feed = kind(source=NEWS, other=urlschemes.parse("HTTP://H.dom"))
    assert (feed.source, feed.mirror, str(feed.other)) == (urlschemes.parse(NEWS), None, "http://h.dom/")
    with pytest.raises(InvalidURL, match=r"^scheme 'ftp' at position 0: expected one of news, nntp$"):
        feed.source = "ftp://h/"
    feed.mirror = None
    assert (feed.source, feed.mirror) == (urlschemes.parse(NEWS), None)


def test_an_expression_may_be_assigned(session: Session) -> None:
    feed = Feed(source=NEWS, mirror=sqlalchemy.select(sqlalchemy.literal(ARTICLE)).scalar_subquery())
    session.add(feed)
    session.commit()
    assert feed.mirror == urlschemes.parse(ARTICLE)


@pytest.mark.parametrize(("column", "kind"), [(URLColumn(), "TEXT"), (URLColumn(length=200), "VARCHAR(200)")])
def test_a_column_with_a_length_is_a_varchar(column: URLColumn, kind: str) -> None:
    made = CreateColumn(sqlalchemy.Column("url", column)).compile(dialect=mysql.dialect())
    assert str(made) == f"url {kind}"


@pytest.mark.parametrize(
    "options", [{"length": 0}, {"length": -1}, {"length": "40"}, {"length": True}, {"warnings": ["x"]}], ids=str
)
def test_invalid_options_are_errors_where_the_column_is_defined(options: Any) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(options))} must be "):
        URLColumn("http", **options)


@pytest.mark.parametrize(
    "call",
    [
        "URLColumn([])",
        "URLOrTextColumn(['news', 'nntp'], fix=True)",
        "URLColumn(['https'], Registry(profile='rfc3986'), length=200, normalize=True, warnings='error')",
    ],
)
def test_a_migration_holds_the_call_that_makes_the_column(call: str) -> None:
    assert repr(eval(call)) == call


def test_columns_of_different_arguments_share_no_cached_statement(session: Session) -> None:
    modern = Registry(profile="rfc3986")
    columns = {NEWS: URLColumn("news"), ARTICLE: URLColumn("nntp"), "http://h/~": URLColumn("http", registry=modern)}
    for text, column in {"http://h/": URLColumn("http"), **columns}.items():
        assert str(session.scalars(sqlalchemy.select(sqlalchemy.literal(text, column))).one()) == text
    normal = sqlalchemy.select(sqlalchemy.literal("HTTP://H.dom", URLColumn("http", normalize=True)))
    assert str(session.scalars(normal).one()) == "http://h.dom/"
