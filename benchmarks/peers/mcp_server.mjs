// The MCP contestant's server: an echo tool on the official SDK, by its leaner interface.

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };

server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'echo', inputSchema }] }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: 'text', text: params.arguments.text }],
}));
await server.connect(new StdioServerTransport());
