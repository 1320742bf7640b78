// A dozen tools in one plugin, each a few lines around a package of the registry: what authors really do.

import { Ajv } from 'ajv';
import { parse as parseCsv } from 'csv-parse/sync';
import dayjs from 'dayjs';
import { Decimal } from 'decimal.js';
import { createTwoFilesPatch } from 'diff';
import { XMLParser } from 'fast-xml-parser';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import Handlebars from 'handlebars';
import { marked } from 'marked';
import { parse as parseHtml } from 'node-html-parser';
import sqlite from 'node-sqlite3-wasm';
import { PNG } from 'pngjs';
import { parse as parseYaml } from 'yaml';

type Arguments = Record<string, any>;
type Run = (args: Arguments) => unknown;

enum Operation {
  Add = '+',
  Times = '*',
}

function calculate({ left, operation, right }: Arguments): string {
  const number = new Decimal(left);
  switch (operation as Operation) {
    case Operation.Add:
      return number.plus(right).toString();
    case Operation.Times:
      return number.times(right).toString();
    default:
      throw new RangeError(`there is no operation ${operation}`);
  }
}

function query({ statements, sql }: Arguments): unknown {
  const database = new sqlite.Database();
  try {
    database.exec(statements);
    return database.all(sql);
  } finally {
    database.close();
  }
}

function drawPng({ width, height }: Arguments): Arguments {
  const image = new PNG({ width, height });
  image.data.fill(255);
  const read = PNG.sync.read(PNG.sync.write(image));
  return { width: read.width, height: read.height, first: [...read.data.subarray(0, 4)] };
}

const TOOLS: Record<string, Run> = {
  markdown: ({ text }) => marked.parse(text),
  html: ({ text, selector }) => parseHtml(text).querySelectorAll(selector).map((found) => found.text),
  date: ({ date, days }) => dayjs(date).add(days, 'day').format('YYYY-MM-DD'),
  diff: ({ before, after }) => createTwoFilesPatch('before', 'after', before, after),
  zip: ({ name, text }) => strFromU8(unzipSync(zipSync({ [name]: strToU8(text) }))[name]),
  png: drawPng,
  calculate,
  sql: query,
  yaml: ({ text }) => parseYaml(text),
  csv: ({ text }) => parseCsv(text, { columns: true }),
  validate: ({ schema, value }) => new Ajv().validate(schema, value),
  template: ({ text, values }) => Handlebars.compile(text)(values),
  xml: ({ text }) => new XMLParser().parse(text),
};

export const npmTools = {
  init: (config: Arguments): Arguments => ({ config }),
  getToolSchemas: () =>
    Object.keys(TOOLS).map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  executeTool: async (name: string, args: Arguments) => ({ success: true, result: await TOOLS[name](args) }),
};
