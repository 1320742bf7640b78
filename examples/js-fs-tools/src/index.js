import { confine, PathError } from './confinement.js';
import { listDirectory, readFile, searchFiles, writeFile } from './operations.js';

const DEFAULTS = { allowed_paths: [], allow_write: false, stream: false, max_bytes: 1024 * 1024, max_matches: 200 };

const string = (description) => ({ type: 'string', description });

// Name -> what the model is told, and what is done with its arguments.
const TOOLS = {
  read_file: {
    description: 'Read a text file from disk.',
    properties: { file_path: string('Path of the file.') },
    required: ['file_path'],
    async run({ file_path: filePath }, config, emit) {
      const location = await confine(filePath, config.allowed_paths);
      return readFile(location, { maxBytes: config.max_bytes }, emit);
    },
  },
  write_file: {
    description: 'Write a text file to disk. A file that is already there is replaced.',
    properties: { file_path: string('Path of the file; its folder must exist.'), content: string('The whole text.') },
    required: ['file_path', 'content'],
    async run({ file_path: filePath, content }, config) {
      if (typeof content !== 'string') throw new PathError('content must be a string');
      return writeFile(await confine(filePath, config.allowed_paths, { mayBeNew: true }), content);
    },
  },
  list_directory: {
    description: 'List the entries of a folder.',
    properties: { path: string('Path of the folder; the first allowed one when left out.') },
    required: [],
    async run({ path = '.' }, config, emit) {
      return listDirectory(await confine(path, config.allowed_paths), emit);
    },
  },
  search_files: {
    description: 'Find the lines that contain a text, in all files below a folder.',
    properties: { text: string('The text, taken literally.'), path: string('Path of the folder.') },
    required: ['text'],
    async run({ text, path = '.' }, config, emit) {
      if (typeof text !== 'string' || text === '') throw new PathError('text must be a string that is not empty');
      const limits = { maxBytes: config.max_bytes, maxMatches: config.max_matches };
      return searchFiles(await confine(path, config.allowed_paths), text, limits, emit);
    },
  },
};

const offered = (config) => Object.keys(TOOLS).filter((name) => name !== 'write_file' || config.allow_write);

// What the file system says no to, as against what is a mistake in here, which may well be thrown.
const REASONS = {
  EACCES: 'permission denied',
  EEXIST: 'exists already',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left',
  ENOTDIR: 'is not a directory',
  EPERM: 'not permitted',
  EROFS: 'is on a read-only file system',
};

export const fsTools = {
  name: 'js_fs_tools',
  version: '0.1.0',

  init(config) {
    return { config: { ...DEFAULTS, ...config } };
  },

  getConfigSchema() {
    return {
      type: 'object',
      properties: {
        allowed_paths: { type: 'array', items: { type: 'string' }, description: 'What may be touched.' },
        allow_write: { type: 'boolean', default: DEFAULTS.allow_write },
        stream: { type: 'boolean', default: DEFAULTS.stream, description: 'Emit what is found as parts.' },
        max_bytes: { type: 'integer', minimum: 1, default: DEFAULTS.max_bytes },
        max_matches: { type: 'integer', minimum: 1, default: DEFAULTS.max_matches },
      },
      required: ['allowed_paths'],
      additionalProperties: false,
    };
  },

  getToolSchemas({ config }) {
    return offered(config).map((name) => {
      const { description, properties, required } = TOOLS[name];
      return { type: 'function', function: { name, description, parameters: { type: 'object', properties, required } } };
    });
  },

  async executeTool(toolName, args, { config }, emit) {
    if (!offered(config).includes(toolName)) return { success: false, error: `Unknown tool: ${toolName}` };
    const part = config.stream ? (payload) => emit({ type: 'part', payload }) : () => {};
    try {
      return { success: true, result: await TOOLS[toolName].run(args, config, part) };
    } catch (error) {
      if (error instanceof PathError) return { success: false, error: error.message };
      const reason = REASONS[error.code];
      if (reason === undefined) throw error;
      return { success: false, error: `${args.file_path ?? args.path ?? '.'}: ${reason}` };
    }
  },

  formatToolCallPreview(toolName, args) {
    return [toolName, args.text && JSON.stringify(args.text), args.file_path ?? args.path].filter(Boolean).join(' ');
  },

  formatToolResult(result) {
    if (!result.success) return `Error: ${result.error}`;
    const { content, entries, matches, bytes, truncated } = result.result;
    const more = truncated ? '\n[cut off]' : '';
    if (content !== undefined) return content + more;
    if (entries !== undefined) return entries.map(({ name, type }) => (type === 'directory' ? `${name}/` : name)).join('\n');
    if (matches !== undefined) return matches.map(({ file, line, text }) => `${file}:${line}: ${text}`).join('\n') + more;
    return `${bytes} bytes written`;
  },
};

export default fsTools;
