// A conversation of the SDK for TypeScript with a board that serves `python/mcp_server.py`; what was heard is written to stdout as JSON.
//
// Words: the folder of the packages, the package, the era, and the server: an address, or a program and its words.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [place, name, era, ...server] = process.argv.slice(2);
const { resolve } = createRequire(join(place, "package.json"));
const load = (path) => import(pathToFileURL(resolve(path)).href);

const older = name === "@modelcontextprotocol/sdk";
const { Client } = await load(older ? `${name}/client/index.js` : name);
const { StreamableHTTPClientTransport } = await load(older ? `${name}/client/streamableHttp.js` : name);
const { StdioClientTransport } = await load(older ? `${name}/client/stdio.js` : `${name}/stdio`);

const isAddress = server[0].startsWith("http:");
const transport = isAddress
    ? new StreamableHTTPClientTransport(new URL(server[0]))
    : new StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env, stderr: "ignore" });

const heard = { progress: [] };
let learnt;
const news = new Promise((done) => (learnt = done));
const onChanged = async () => {
    // One change may be told twice, and the client is closed after the first: its end refuses a list that is under way.
    const found = await names().catch(() => []);
    if (!found.includes("new")) return;
    heard.later = found;
    learnt();
};
const client = new Client(
    { name: "talk", version: "1" },
    {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
        ...(older ? {} : { versionNegotiation: { mode: era } }),
    },
);
const call = (tool, given = {}, options = {}) =>
    older
        ? client.callTool({ name: tool, arguments: given }, undefined, options)
        : client.callTool({ name: tool, arguments: given }, options);
const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
const refused = (promise) => promise.then(() => null, (error) => error.code ?? error.name);

try {
    await client.connect(transport);
    heard.server = client.getServerVersion()?.name ?? null;
    heard.names = await names();
    heard.echo = await call("echo", { a: 1 });
    heard.count = await call("count");
    // It drops progress that comes in one read with the answer: the server waits until each step was noted.
    const note = (step) => writeFileSync(`step${heard.progress.push(step.progress) - 1}`, "");
    await call("steps", { noted: process.cwd() }, { onprogress: note });
    heard.fail = await call("fail");
    heard.crash = await call("crash");
    heard.after = await call("count");
    heard.unknown = await refused(call("no such tool"));
    const impatience = new AbortController();
    const impatient = { signal: impatience.signal, onprogress: () => impatience.abort() };
    heard.cancelled = (await refused(call("hang", { begins: true }, impatient))) !== null;
    heard.following = await call("echo", { b: 2 });
    await call("learn", { tools: ["echo", "new"] });
    await news;
} finally {
    await client.close();
}
process.stdout.write(`${JSON.stringify(heard)}\n`);
