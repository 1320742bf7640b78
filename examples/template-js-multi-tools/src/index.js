// One export a tool: package.json#agent.tools names them.
export { countWordsTool } from './countWords.js';
export { echoTool } from './echo.js';
