-- catalog: cities(country STRING, name STRING, year INT, people INT), months(id INT, jan INT, feb INT)
-- dialect: duckdb

-- case: a column for each value
PIVOT cities ON year IN (2000, 2010) USING sum(people) GROUP BY country;
--> reads cities
--> (result).country = cities.country IDENTITY
--> (result).2000 = cities.people AGGREGATION, cities.year CONDITIONAL
--> (result).2010 = cities.people AGGREGATION, cities.year CONDITIONAL
--> (result) rows: cities.country GROUP_BY

-- case: several aggregates; grouped by all the others
CREATE TABLE wide AS PIVOT cities ON year IN (2000, 2010) USING sum(people) AS total, max(people);
--> reads cities
--> CREATE TABLE wide
--> wide.country STRING = cities.country IDENTITY
--> wide.name STRING = cities.name IDENTITY
--> wide.2000_total = cities.people AGGREGATION, cities.year CONDITIONAL
--> wide.2000_max(people) = cities.people AGGREGATION, cities.year CONDITIONAL
--> wide.2010_total = cities.people AGGREGATION, cities.year CONDITIONAL
--> wide.2010_max(people) = cities.people AGGREGATION, cities.year CONDITIONAL
--> wide rows: cities.country GROUP_BY, cities.name GROUP_BY

-- case: several columns, and their aggregates, in a subquery
SELECT p."2000_NL" AS nl FROM (PIVOT cities ON year IN (2000), country IN ('NL', 'BE') USING sum(people)) p;
--> reads cities
--> (result).nl = cities.people AGGREGATION, cities.country CONDITIONAL, cities.year CONDITIONAL
--> (result) rows: cities.name GROUP_BY

-- case: values that nobody lists
WITH p AS (PIVOT cities ON year USING sum(people) GROUP BY country) SELECT country, "1990" AS before FROM p;
--> reads cities
--> (result).country = cities.country IDENTITY
--> (result).before = cities.people AGGREGATION, cities.year CONDITIONAL
--> (result) rows: cities.country GROUP_BY
--> problem 1:39 pivot: The columns that PIVOT makes are not listed.

-- case: a row for each column
UNPIVOT months ON jan, feb INTO NAME month VALUE amount;
--> reads months
--> (result).id INT = months.id IDENTITY
--> (result).month = nothing
--> (result).amount = months.jan IDENTITY, months.feb IDENTITY

-- case: a row for all columns but some
UNPIVOT months ON COLUMNS(* EXCLUDE (id)) INTO NAME month VALUE amount;
--> reads months
--> (result).id INT = months.id IDENTITY
--> (result).month = nothing
--> (result).amount = months.jan IDENTITY, months.feb IDENTITY
