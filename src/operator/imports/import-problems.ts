import { LineCounter, parseDocument } from 'yaml'
import { AdcpError } from '../../protocol/errors.ts'

/** One line of the report on an import file. `column` is a CSV column or a position in the line of a JSON file. */
export interface FileProblem {
  readonly line?: number
  readonly column?: string | number
  readonly pointer?: string
  /** What the place belongs to, e.g. the id of a product. */
  readonly productId?: string
  readonly message: string
}

/** A file as JSON, or where it is none. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; problems: FileProblem[] } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    const lines = new LineCounter()
    const [error] = parseDocument(text, { lineCounter: lines, schema: 'json' }).errors
    if (!error) return { ok: false, problems: [{ message: 'is no JSON' }] }
    const { line, col } = lines.linePos(error.pos[0])
    return {
      ok: false,
      problems: [{ line, column: col, message: 'is no JSON from here on; a comma, quote or bracket is missing or too many' }],
    }
  }
}

/** Above this a file is read without the slower parser that knows lines; problems then carry pointers alone. */
const MAX_LOCATED_BYTES = 5_000_000

type Place = (problem: { readonly pointer: string }) => { line?: number; column?: number }

/** Line and column of a pointer. JSON is a subset of YAML 1.2, whose parser keeps the place of every node. */
export function locator(text: string): Place {
  if (text.length > MAX_LOCATED_BYTES) return () => ({})
  return placesIn(text)
}

function placesIn(text: string): Place {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, schema: 'json' })
  return ({ pointer }) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    // A missing member is reported at the nearest parent that exists.
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true)
      const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (!Array.isArray(range) || typeof range[0] !== 'number') continue
      const { line, col } = lines.linePos(range[0])
      return { line, column: col }
    }
    return {}
  }
}

/** Problems in the order of the file; those without a line come first. */
export function inOrder<P extends FileProblem>(problems: readonly P[]): P[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** The error for a file that is not imported: every problem, a line each. `file` is what the file is called. */
export function importError(file: string, problems: readonly FileProblem[]): AdcpError {
  const lines = problems.map(({ line, column, pointer, productId, message }) => {
    const place = [line === undefined ? '' : `line ${line}`, column === undefined ? '' : `column ${column}`]
      .filter((part) => part !== '')
      .join(', ')
    const what = [productId, pointer].filter((part) => part !== undefined && part !== '').join(' ')
    return `  ${[place, what].filter((part) => part !== '').join(': ')}: ${message}`
  })
  return new AdcpError('INVALID_REQUEST', [`${file} was not imported; ${problems.length} to repair:`, ...lines].join('\n'), {
    field: 'file',
    issues: problems.map(({ pointer, line, column, message }) => ({
      pointer: pointer ?? (line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}`),
      message,
      keyword: 'import',
    })),
  })
}
