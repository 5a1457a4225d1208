import { createRequire } from 'node:module'

/** A document, what is wrong with it, and where its values are. */
export interface YamlDocument {
  /** Undefined where something is wrong, or there is nothing. */
  readonly value: unknown
  readonly problems: readonly { readonly message: string; readonly line: number }[]
  /** 1-based line of the value at a JSON Pointer, or of what is nearest above it. */
  lineOf(pointer: string): number | undefined
}

/** Characters: a configuration has some thousand. */
const LONGEST = 1_000_000

/** Reads YAML 1.2, of which JSON is a part; aliases expand to 100 nodes at most. */
export function readYaml(text: string): YamlDocument {
  if (text.length > LONGEST)
    return { value: undefined, problems: [{ message: `has more than ${LONGEST} characters`, line: 1 }], lineOf: () => undefined }
  // Loaded here, since most deployments have no such file.
  const { LineCounter, parseDocument }: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true })
  const problems = document.errors.map((error) => ({
    message: error.message.split('\n')[0] ?? 'is not YAML',
    line: counter.linePos(error.pos[0]).line,
  }))
  return {
    value: problems.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 }),
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
