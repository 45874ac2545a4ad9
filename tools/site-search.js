// SPDX-License-Identifier: Apache-2.0
// Searches the pages of the site by the index that tools/site made, in the dialog of the theme. The index is a script: a page
// that was opened from a file may load no other kind of file. It is loaded when something is searched for first.
(function () {
  "use strict";
  const LONGEST = 25; // list of results
  const input = document.getElementById("mkdocs-search-query");
  const list = document.getElementById("mkdocs-search-results");

  // Scores of pages with a word that begins like this one; the whole word counts more.
  function scores(begin) {
    const found = new Map();
    for (const [word, pages] of Object.entries(pail_search.words))
      if (word.startsWith(begin))
        for (let i = 0; i < pages.length; i += 2)
          found.set(pages[i], (found.get(pages[i]) || 0) + pages[i + 1] * (word === begin ? 4 : 1));
    return found;
  }

  function element(name, text, into) {
    const made = document.createElement(name);
    made.textContent = text;
    into.append(made);
    return made;
  }

  function show() {
    const words = (input.value.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || []).map(stem);
    const each = words.map(scores);
    const all = each.length ? [...each[0].keys()].filter(page => each.every(found => found.has(page))) : [];
    const score = page => each.reduce((sum, found) => sum + found.get(page), 0);
    all.sort((a, b) => score(b) - score(a) || a - b);
    list.textContent = "";
    for (const [place, title, text] of all.slice(0, LONGEST).map(page => pail_search.pages[page])) {
      const article = element("article", "", list);
      element("a", title, element("h4", "", article)).href = base_url + "/" + place;
      element("p", text, article);
    }
    if (words.length && !all.length)
      element("p", list.dataset.noResultsText, list);
  }

  function searched() {
    if (window.pail_search)
      return show();
    if (document.getElementById("pail-search-index"))
      return undefined; // it is on its way
    const script = document.createElement("script");
    script.id = "pail-search-index";
    script.src = base_url + "/search/index.js";
    script.onload = show;
    script.onerror = () => { list.textContent = script.src + " cannot be loaded"; };
    document.head.append(script);
    return undefined;
  }

  // As tools/site has it: one form for "pipeline" and "pipelines".
  function stem(word) {
    return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  input.addEventListener("input", searched);
  input.form.addEventListener("submit", event => event.preventDefault());
}());
