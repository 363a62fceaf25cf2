// Renders the API document beside this page, and tries its calls. No library, no build step.
// Everything is made as nodes and text: nothing of the document is ever read as HTML.
"use strict";

const METHODS = ["get", "put", "post", "delete", "patch"];
const base = new URL(".", location.href);
const keyField = document.getElementById("key");
const findField = document.getElementById("find");
let api = {};

/** Make an element: properties, then children that are nodes or text. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

/** A text in which `words` in back quotes are code. */
function prose(text) {
  const parts = String(text || "").split("`");
  return make("p", {}, ...parts.map((part, i) => (i % 2 ? make("code", {}, part) : part)));
}

/** A schema in a few words, names of other schemas as links. */
function typeOf(schema) {
  if (!schema || !Object.keys(schema).length) return ["any"];
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return [make("a", { href: `#schema-${name}` }, name)];
  }
  const choices = schema.anyOf || schema.oneOf;
  if (choices) return choices.flatMap((each, i) => (i ? [" or ", ...typeOf(each)] : typeOf(each)));
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
  if (schema.type === "array") return ["list of ", ...typeOf(schema.items)];
  if (schema.additionalProperties && schema.type === "object")
    return ["object of ", ...typeOf(schema.additionalProperties)];
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type || "any";
  const bounds = ["minimum", "maximum", "minLength", "maxLength", "default"]
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} ${JSON.stringify(schema[key])}`);
  return [[schema.format ? `${type} (${schema.format})` : type, ...bounds].join(", ")];
}

function table(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map((row) =>
    make("tr", {}, ...row.map((cell) => make("td", {}, ...[cell].flat()))));
  return make("div", { className: "wide" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const code = (text) => make("code", {}, text);

function content(described) {
  return Object.entries(described || {}).flatMap(([mediaType, media]) => [
    make("p", {}, code(mediaType), " ", ...typeOf(media.schema)),
    media.example === undefined ? "" : make("pre", {}, pretty(media.example)),
  ]);
}

function responses(operation) {
  const entries = Object.entries(operation.responses);
  const isGood = ([status]) => status < "400";
  const told = entries.filter(isGood).flatMap(([status, answer]) => [
    make("h3", {}, `${status} `, make("span", { className: "faint" }, answer.description)),
    ...content(answer.content),
  ]);
  const errors = entries.filter((entry) => !isGood(entry)).map(([status, answer]) => [
    status,
    answer.description,
    Object.values(answer.content || {}).map((media) => make("pre", {}, pretty(media.example))),
  ]);
  return [...told,
    make("details", {}, make("summary", {}, "Errors"), table(["status", "when", "example"], errors))];
}

function parameters(operation) {
  if (!(operation.parameters || []).length) return [];
  const rows = operation.parameters.map((parameter) => [
    [code(parameter.name), parameter.required ? " *" : ""],
    parameter.in,
    typeOf(parameter.schema),
    [prose(parameter.description),
      parameter.example === undefined ? "" : code(pretty(parameter.example))],
  ]);
  return [make("h3", {}, "Parameters"), table(["name", "in", "type", "meaning, example"], rows)];
}

function requestBody(operation) {
  if (!operation.requestBody) return [];
  return [make("h3", {}, "Body"), prose(operation.requestBody.description),
    ...content(operation.requestBody.content)];
}

/** A form that sends a call and shows what is answered. */
function trial(method, path, operation) {
  const fields = (operation.parameters || []).filter((each) => each.in !== "header");
  const inputs = fields.map((parameter) => make("input", {
    name: parameter.name,
    required: Boolean(parameter.required),
    autocomplete: "off",
    placeholder: pretty(parameter.example ?? ""),
  }));
  const media = Object.values(operation.requestBody?.content || {})[0];
  const body = media ? make("textarea", { value: pretty(media.example ?? {}) }) : null;
  const answer = make("div", {});
  const rows = fields.map((parameter, i) =>
    make("p", {}, make("label", {}, `${parameter.name} `, inputs[i])));
  const form = make("form", {}, ...rows,
    body ? make("label", {}, "Body ", body) : "",
    make("p", {}, make("button", { type: "submit" }, `Send ${method.toUpperCase()}`)), answer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(method, address(path, fields, inputs), body, answer);
  });
  return make("details", {}, make("summary", {}, "Try it"), form);
}

function address(path, fields, inputs) {
  const query = new URLSearchParams();
  let filled = path.replace(/^\//, "");
  fields.forEach((parameter, i) => {
    const value = inputs[i].value;
    if (parameter.in === "path")
      filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value) query.append(parameter.name, value);
  });
  const url = new URL(filled, base);
  url.search = query;
  return url;
}

function headers(body) {
  const key = keyField.value.trim();
  return { ...(key && { Authorization: `Bearer ${key}` }),
    ...(body && { "Content-Type": "application/json" }) };
}

async function send(method, url, body, answer) {
  const began = performance.now();
  answer.replaceChildren(make("p", { className: "faint" }, "…"));
  try {
    const options = { method: method.toUpperCase(), headers: headers(body) };
    if (body) options.body = body.value;
    const found = await fetch(url, options);
    const text = await found.text();
    const took = Math.round(performance.now() - began);
    answer.replaceChildren(
      make("p", {}, code(url.href)),
      make("p", {}, make("strong", {}, `${found.status}`), ` in ${took} ms`),
      make("pre", {}, shown(text)));
  } catch (error) {
    answer.replaceChildren(make("p", {}, `No answer: ${error.message}`));
  }
}

function shown(text) {
  const most = 200000;
  let tidy = text;
  try { tidy = JSON.stringify(JSON.parse(text), null, 2); } catch { /* no JSON: as it came */ }
  return tidy.length > most ? `${tidy.slice(0, most)}\n… cut here` : tidy;
}

/** An operation; what is in it is made when it is first opened. */
function operationDetails({ method, path, operation, id }) {
  const summary = make("summary", {},
    make("span", { className: `method ${method}` }, method.toUpperCase()),
    make("span", { className: "path" }, path), " ",
    make("span", { className: "faint" }, (operation.description || operation.summary || "").split("\n")[0]));
  const details = make("details", { id }, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(prose(operation.description), ...parameters(operation),
        ...requestBody(operation), trial(method, path, operation), ...responses(operation));
  });
  return details;
}

function schemaDetails([name, schema]) {
  const required = new Set(schema.required || []);
  const rows = Object.entries(schema.properties || {}).map(([field, its]) => [
    [code(field), required.has(field) ? " *" : ""], typeOf(its), its.description || ""]);
  const body = rows.length ? table(["field", "type", ""], rows) : make("p", {}, ...typeOf(schema));
  return make("details", { id: `schema-${name}` }, make("summary", {}, code(name)),
    prose(schema.description), body);
}

function listOperations() {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => ({
      method, path, operation: methods[method], id: `${method}-${path}`,
      words: `${method} ${path} ${JSON.stringify(methods[method].description || "")}`.toLowerCase(),
    })));
}

function render() {
  document.getElementById("title").textContent = `${api.info.title} API ${api.info.version}`;
  const every = listOperations();
  const sections = (api.tags || []).map((tag) => {
    const its = every.filter(({ operation }) => (operation.tags || [])[0] === tag.name);
    const items = its.map((each) => ({ ...each, details: operationDetails(each),
      link: make("li", {}, make("a", { href: `#${encodeURIComponent(each.id)}` },
        make("span", { className: `method ${each.method}` }, each.method.toUpperCase()), each.path)) }));
    const section = make("section", {}, make("h2", { id: `tag-${tag.name}` }, tag.name),
      prose(tag.description), ...items.map(({ details }) => details));
    const links = make("div", {}, make("strong", {}, tag.name),
      make("ul", {}, ...items.map(({ link }) => link)));
    return { section, links, items };
  });
  const schemas = Object.entries(api.components?.schemas || {}).map(schemaDetails);
  document.getElementById("contents").replaceChildren(...sections.map(({ links }) => links));
  document.getElementById("main").replaceChildren(prose(api.info.description),
    ...sections.map(({ section }) => section),
    make("section", {}, make("h2", { id: "schemas" }, "Schemas"), ...schemas));
  findField.addEventListener("input", () => filter(sections, findField.value.toLowerCase().trim()));
  addEventListener("hashchange", openTarget);
  openTarget();
}

function filter(sections, wanted) {
  for (const { section, links, items } of sections) {
    for (const { words, details, link } of items) details.hidden = link.hidden = !words.includes(wanted);
    section.hidden = links.hidden = items.every(({ details }) => details.hidden);
  }
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") target.open = true;
  target?.scrollIntoView();
}

async function load() {
  try {
    const answer = await fetch(new URL("openapi.json", base), { headers: headers() });
    if (!answer.ok) throw new Error((await answer.json()).message);
    api = await answer.json();
    render();
  } catch (error) {
    document.getElementById("main").replaceChildren(
      make("p", {}, `The API document cannot be read: ${error.message}`));
  }
}

keyField.addEventListener("change", () => { if (!api.paths) load(); });
load();
