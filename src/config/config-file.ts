import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** One thing that is wrong with the configuration: where, and why. */
export interface ConfigProblem {
  /** Dotted key, e.g. `log.level`; empty for the file as a whole. */
  readonly key: string
  readonly message: string
  /** 1-based line of the file, when the value came from it. */
  readonly line?: number
  /** `file`, or the environment variable. */
  readonly source: string
}

/** What a configuration file says, and the line on which it says it. */
export interface ConfigFile {
  readonly value: Readonly<Record<string, unknown>>
  readonly problems: readonly ConfigProblem[]
  /** 1-based line of the value at a JSON Pointer, or of what is nearest above it. */
  lineOf(pointer: string): number | undefined
}

/** Reads a configuration file; what is wrong with it is among `problems`. JSON is YAML, so one parser reads both and knows the line of every value. */
export function readConfigFile(path: string): ConfigFile {
  // Loaded here, since a deployment without a file needs no parser.
  const { LineCounter, parseDocument }: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  const counter = new LineCounter()
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { value: {}, problems: [{ key: '', message: 'cannot be read', source: path }], lineOf: () => undefined }
  }
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true })
  const problems = document.errors.map((error) => ({
    key: '',
    message: error.message.split('\n')[0] ?? 'is not YAML',
    line: counter.linePos(error.pos[0]).line,
    source: path,
  }))
  const value: unknown = problems.length > 0 ? {} : (document.toJS() ?? {})
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      value: {},
      problems: [{ key: '', message: 'must be a mapping of settings', line: 1, source: path }],
      lineOf: () => undefined,
    }
  }
  return {
    value: { ...value },
    problems,
    lineOf(pointer) {
      const path = pointer.split('/').slice(1)
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true)
        if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range))
          return counter.linePos(node.range[0]).line
      }
      return undefined
    },
  }
}
