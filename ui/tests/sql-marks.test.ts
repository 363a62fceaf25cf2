import { expect, test } from "vitest";

import { marksOf } from "../src/sql/marks";
import type { KnownTable } from "../src/sql/tables";
import { knownTable } from "../src/sql/tables";
import { nameOf, tokensOf } from "../src/sql/tokens";

const table = (name: string, ...schema: string[]): KnownTable => knownTable({ namespace: "db", name }, schema);
const orders = table("shop.orders", "id", "price", "tax", "status", "day");
const customers = table("shop.customers", "id", "email", "Country");
const fact = table("marts.fact", "id", "amount", "country", "day");

/** The marks as `text=table.column`. */
function marked(sql: string, tables: KnownTable[] = [orders, customers, fact], written: KnownTable | null = null) {
  return marksOf(sql, tables, written).map(
    ({ start, end, table, field }) => `${sql.slice(start, end)}=${[table.named.name, field].filter(Boolean).join(":")}`,
  );
}

test("SQL is cut into pieces that together are the text", () => {
  const sql = `select 'it''s', "a b", 12.5 -- note\nfrom t /* x */ where {{ ref('x') }} = \`a\`.b and "c = 'open`;
  const tokens = tokensOf(sql);
  expect(tokens.map(({ text }) => text).join("")).toBe(sql);
  expect(tokens.filter(({ kind }) => kind === "keyword").map(({ text }) => text)).toEqual([
    "select",
    "from",
    "where",
    "and",
  ]);
  expect(tokens.filter(({ kind }) => kind === "comment")).toHaveLength(2);
  expect(tokens.filter(({ kind }) => kind === "name").map(nameOf)).toEqual(["a b", "a", "c = 'open"]);
});

test("tables and columns are found by alias and without", () => {
  expect(marked("insert into marts.fact select o.id, o.PRICE + o.tax as amount from orders AS o")).toEqual([
    "marts.fact=marts.fact",
    "o.id=shop.orders:id",
    "o.PRICE=shop.orders:price",
    "o.tax=shop.orders:tax",
    "amount=marts.fact:amount",
    "orders=shop.orders",
  ]);
  expect(marked("select price from shop.orders where shop.orders.tax > 1")).toEqual([
    "price=shop.orders:price",
    "shop.orders=shop.orders",
    "shop.orders.tax=shop.orders:tax",
  ]);
  expect(marked("select o.price from orders o join `shop`.`customers` c on o.id = c.id where country = 'x'")).toEqual([
    "o.price=shop.orders:price",
    "orders=shop.orders",
    "`shop`.`customers`=shop.customers",
    "o.id=shop.orders:id",
    "c.id=shop.customers:id",
    "country=shop.customers:Country",
  ]);
});

test.each([
  ["two tables have it", "select id from orders, customers", "id"],
  ["a source is not known", "select price from orders join other on true", "price"],
  ["a CTE of that name", "with orders as (select 1 as price) select price, orders.price from orders", "orders"],
  ["a table has no columns", "select price from orders join empty on true", "price"],
  ["an alias of something else", "select customers.id from orders join other customers on true", "customers.id"],
  ["a subquery", "select s.price from (select 1 as price) s join orders on true", "s.price"],
  ["a function", "select day(1), price('x') from orders", "day"],
  ["a type", "select cast(id as day), id::status from orders", "status"],
  ["a unit", "select extract(day from id), date_add(day, 1, id), interval 1 day from orders", "day"],
  ["a word before a text", "select day '2026-01-01' from orders", "day"],
  ["an alias without AS", "select 1 price, max(id) tax from orders", "price"],
  ["a name of a select item", "select max(id) as price from orders order by price", "price"],
  ["a text", "select 'price', \"tax\" from orders -- price\n/* price */", "price"],
  ["a lambda's argument", "select transform(list, price -> price + 1) from orders", "price"],
  ["a named argument", "select f(price => 1) from orders", "price"],
  ["after a text that may end in two places", "select 'a\\' , price from orders where 'x' = price", "price"],
  ["a pivot", "select price from orders pivot (sum(x) for y in (1, 2))", "price"],
  ["a view for each row", "select price from orders lateral view explode(x) t as price", "price"],
  ["a function that gives rows", "select price from orders, unnest(x) as t(price)", "price"],
  ["a template", "select price from {{ ref('orders') }}", "price"],
])("what may be something else is plain: %s", (_, sql, word) => {
  const tables = [orders, customers, fact, table("empty")];
  expect(marked(sql, tables).filter((mark) => mark.startsWith(`${word}=`))).toEqual([]);
});

test("an ambiguous table is plain, a full name is not", () => {
  const two = [orders, table("old.orders", "id")];
  expect(marked("select price from orders", two)).toEqual([]);
  expect(marked("select price from shop.orders", two)).toEqual(["price=shop.orders:price", "shop.orders=shop.orders"]);
  expect(marked("select price from prod.shop.orders", two)).toHaveLength(2);
});

test("columns that are written are told by name, and by place where that decides", () => {
  expect(marked("create table marts.fact as select price as amount from orders")).toContain("amount=marts.fact:amount");
  expect(marked("insert into fact select 1 as amount, 2 as id")).toEqual(["fact=marts.fact"]);
  expect(marked("insert into fact select *, 2 as amount from x")).toEqual(["fact=marts.fact"]);
  expect(marked("insert into fact (amount, id) select 1 as amount, 2 as id")).toEqual([
    "fact=marts.fact",
    "amount=marts.fact:amount",
    "id=marts.fact:id",
    "amount=marts.fact:amount",
    "id=marts.fact:id",
  ]);
  const query = "with a as (select price as amount from orders) select a.amount as amount from a";
  expect(marked(query, [orders, fact], fact)).toEqual([
    "price=shop.orders:price",
    "orders=shop.orders",
    "amount=marts.fact:amount",
  ]);
});

test("of a dataset without a schema only some columns are known: nothing is concluded from them", () => {
  const partly = knownTable({ namespace: "db", name: "raw" }, [], [], ["price"]);
  expect(marked("select price from raw", [partly])).toEqual(["price=raw:price", "raw=raw"]);
  expect(marked("select price, email from raw, customers", [partly, customers])).toEqual([
    "raw=raw",
    "customers=shop.customers",
  ]);
  expect(marked("insert into raw select 1 as price", [partly])).toEqual(["raw=raw"]);
});

test("one FROM for several INSERTs: each writes its own table", () => {
  const sql =
    "from orders insert into fact (amount) select price as amount insert into customers select id as id, tax as email";
  expect(marked(sql)).toEqual([
    "orders=shop.orders",
    "fact=marts.fact",
    "amount=marts.fact:amount",
    "price=shop.orders:price",
    "amount=marts.fact:amount",
    "customers=shop.customers",
    "id=shop.orders:id",
    "id=shop.customers:id",
    "tax=shop.orders:tax",
    "email=shop.customers:email",
  ]);
});

test("CASE, windows, groups and correlated queries stay in their block", () => {
  const sql = `insert into marts.fact (id, amount)
    select case when o.status = 'x' then o.id end as id,
           sum(o.price) over (partition by o.day order by o.tax) as amount
    from orders o
    where exists (select 1 from customers c where c.id = o.id and country = status)
    group by o.status`;
  expect(marked(sql).filter((mark) => !mark.startsWith("o."))).toEqual([
    "marts.fact=marts.fact",
    "id=marts.fact:id",
    "amount=marts.fact:amount",
    "id=marts.fact:id",
    "amount=marts.fact:amount",
    "orders=shop.orders",
    "customers=shop.customers",
    "c.id=shop.customers:id",
    "country=shop.customers:Country",
    "status=shop.orders:status",
  ]);
  expect(marked(sql)).toContain("o.day=shop.orders:day");
});

test("MERGE and UPDATE mark what they set", () => {
  const sql = `merge into marts.fact f using shop.orders o on f.id = o.id
    when matched then update set amount = o.price
    when not matched then insert (id, amount) values (o.id, o.price)`;
  const marks = marked(sql);
  expect(marks.filter((mark) => mark.startsWith("amount"))).toEqual([
    "amount=marts.fact:amount",
    "amount=marts.fact:amount",
  ]);
  expect(marks).toContain("f.id=marts.fact:id");
  expect(marked("update orders set price = tax where status is null")).toEqual([
    "orders=shop.orders",
    "price=shop.orders:price",
    "tax=shop.orders:tax",
    "status=shop.orders:status",
  ]);
});

test("a Flink script: connectors name datasets, a window and a temporal join keep columns", () => {
  const sql = `CREATE TABLE o (id INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'kafka', 'topic' = 'shop.orders');
    CREATE TEMPORARY TABLE customers (id INT) WITH ('connector' = 'jdbc', 'table-name' = 'elsewhere');
    EXECUTE STATEMENT SET BEGIN
    INSERT INTO fact SELECT id, SUM(price) AS amount FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY id;
    INSERT INTO fact SELECT x.id, c.email FROM o AS x JOIN customers FOR SYSTEM_TIME AS OF x.day AS c ON x.id = c.id;
    END;`;
  expect(marked(sql)).toEqual([
    "o=shop.orders",
    "id=shop.orders:id",
    "price=shop.orders:price",
    "fact=marts.fact",
    "id=shop.orders:id",
    "price=shop.orders:price",
    "amount=marts.fact:amount",
    "o=shop.orders",
    "id=shop.orders:id",
    "fact=marts.fact",
    "x.id=shop.orders:id",
    "o=shop.orders",
    "x.day=shop.orders:day",
    "x.id=shop.orders:id",
  ]);
});

test("any text gives an answer, and soon", () => {
  for (const sql of [
    "(".repeat(20_000),
    "select ".repeat(20_000),
    "'",
    '"',
    "/*",
    "{{",
    ")))",
    "a.".repeat(9_000),
    "\u0000;;;",
  ]) {
    expect(Array.isArray(marksOf(sql, [orders]))).toBe(true);
  }
  expect(marksOf("x".repeat(300_000), [orders])).toEqual([]);
});
