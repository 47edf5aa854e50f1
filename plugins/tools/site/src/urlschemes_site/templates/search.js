"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const words = byId("words"), status = byId("status"), operation = byId("operation"), result = byId("result");
  const rows = [...document.querySelectorAll("li[data-name]")].map((element) => ({
    element,
    name: element.dataset.name,
    status: element.dataset.status,
    operations: element.dataset.operations.split(","),
    text: element.textContent.toLowerCase(),
    page: element.querySelector("a.name"),
  }));
  const groups = [...document.querySelectorAll("[data-group]")];

  /** Return the scheme of a text that looks like a URL, or null. */
  const schemeOf = (text) => {
    const found = /^\s*(?:url:)?([a-z0-9+.-]+):/i.exec(text);
    return found && found[1].toLowerCase();
  };

  const matching = () => {
    const scheme = schemeOf(words.value);
    const each = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) =>
      (scheme === null ? each.every((word) => row.text.includes(word)) : row.name === scheme)
      && (!status.value || row.status === status.value)
      && (!operation.value || row.operations.includes(operation.value)));
  };

  const show = () => {
    const found = new Set(matching());
    for (const row of rows) row.element.hidden = !found.has(row);
    const narrowed = found.size < rows.length;
    for (const group of groups) group.hidden = narrowed && !group.querySelector("li[data-name]:not([hidden])");
    const scheme = schemeOf(words.value);
    const target = best(found);
    if (!narrowed) result.textContent = `${rows.length} names, ${rows.filter((row) => row.page).length} installed.`;
    else if (!found.size) result.textContent = scheme === null ? "Nothing matches." : `No scheme is known as ${scheme}.`;
    else if (scheme !== null && target) result.textContent = `A URL of the scheme ${scheme}: Enter opens its page.`;
    else if (scheme !== null) result.textContent = `The scheme ${scheme} is known, but not installed.`;
    else result.textContent = `${found.size} of ${rows.length}${target ? `; Enter opens ${target.name}` : ""}`;
  };

  /** Return the row that Enter opens: the scheme of that name, or the only one left that has a page. */
  const best = (found) => {
    const text = words.value.trim().toLowerCase();
    if (!text) return null;
    const pages = [...found].filter((row) => row.page);
    return pages.find((row) => row.name === (schemeOf(text) ?? text)) ?? (pages.length === 1 ? pages[0] : null);
  };

  words.addEventListener("keydown", (event) => {
    const target = event.key === "Enter" && !event.isComposing ? best(new Set(matching())) : null;
    if (target) target.page.click();
  });
  for (const field of [words, status, operation]) field.addEventListener("input", show);
  addEventListener("pageshow", show);
  byId("finder").hidden = false;
  show();
})();
