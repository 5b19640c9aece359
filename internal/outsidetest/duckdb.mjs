// node duckdb.mjs MODULE STATEMENT: writes the rows of a statement as JSON.
import { pathToFileURL } from 'node:url';
const [module, statement] = process.argv.slice(2);
const { DuckDBInstance } = await import(pathToFileURL(module));
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run("SET TimeZone = 'UTC'");
console.log(JSON.stringify((await connection.runAndReadAll(statement)).getRowObjectsJson()));
