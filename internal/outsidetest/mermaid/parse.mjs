// Reads a JSON list of diagrams, and writes a list of what Mermaid says against each: "" for nothing. The argument is where it is installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const installed = process.argv.at(-1);
const { JSDOM } = createRequire(join(installed, 'package.json'))('jsdom');
const dom = new JSDOM('<!DOCTYPE html><body></body>'); // Mermaid cleans texts with it
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const { default: mermaid } = await import(pathToFileURL(join(installed, 'node_modules/mermaid/dist/mermaid.core.mjs')));

const errors = [];
for (const diagram of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const { diagramType } = await mermaid.parse(diagram);
    errors.push(diagramType.startsWith('flowchart') ? '' : `a ${diagramType}`);
  } catch (error) {
    errors.push(String(error.message ?? error));
  }
}
process.stdout.write(JSON.stringify(errors));
