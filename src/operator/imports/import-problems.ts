import { unfitTextIn } from '../../domain/fit-text.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { largeJson } from '../../platform/decode/foreign-json.ts'
import { jsonFaultAt, jsonPlaces, type TextPlace } from '../../platform/decode/json-places.ts'
import { JsonRefused } from '../../platform/decode/parse-json.ts'
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

/** Values of a JSON file, containers included: some 3,700 products as the demo has them, which are parsed in 70 ms. */
const MAX_VALUES = 500_000

/** A file as JSON, or what is wrong with it. */
type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: FileProblem[] }

/** The JSON of a file, or the place where it stops being JSON; it is read in turns, between which others are served. */
export async function parseJson(text: string): Promise<Parsed> {
  try {
    return { ok: true, value: await largeJson(text, { what: 'the file', maxNodes: MAX_VALUES }) }
  } catch (error) {
    if (error instanceof JsonRefused && error.fault !== 'syntax')
      return { ok: false, problems: [{ message: `${error.message}${error.fault === 'white-space' ? '' : '; split it'}` }] }
    const place = await inTurns(jsonFaultAt(text))
    if (!place) return { ok: false, problems: [{ message: 'is no JSON' }] }
    return {
      ok: false,
      problems: [{ ...place, message: 'is no JSON from here on; a comma, quote or bracket is missing or too many' }],
    }
  }
}

/** As {@link parseJson}, for a file whose texts are stored: none may be what `unfitText` refuses. */
export async function parseImport(text: string): Promise<Parsed> {
  const parsed = await parseJson(text)
  const unfit = parsed.ok ? await inTurns(unfitTextIn(parsed.value, '')) : undefined
  return unfit ? { ok: false, problems: [{ message: `${unfit.at} ${unfit.fault}`.trim() }] } : parsed
}

/** Problems of a JSON file with the line and column of each: of a missing member those of the nearest parent that exists. Read in turns between which others are served. */
export async function located<P extends { readonly pointer: string }>(
  text: string,
  problems: readonly P[],
): Promise<(P & Partial<TextPlace>)[]> {
  const pointers = problems.map(({ pointer }) => pointer)
  const placeOf = await inTurns(jsonPlaces(text, pointers))
  return problems.map((problem) => ({ ...problem, ...placeOf(problem.pointer) }))
}

/** Problems in the order of the file; those without a line come first. */
export function inOrder<P extends FileProblem>(problems: readonly P[]): P[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** The error for a file that is not imported: every problem, a line each. A document of a request has no lines that its sender knows, and is named by its member. */
export function importError(
  { name, sent }: { readonly name: string; readonly sent?: string | undefined },
  found: readonly FileProblem[],
): AdcpError {
  const hasLines = sent === undefined || sent === 'csv'
  const problems: readonly FileProblem[] = hasLines ? found : found.map(({ line: _line, column: _column, ...problem }) => problem)
  const lines = problems.map(({ line, column, pointer, productId, message }) => {
    const place = [line === undefined ? '' : `line ${line}`, column === undefined ? '' : `column ${column}`]
      .filter((part) => part !== '')
      .join(', ')
    const what = [productId, pointer].filter((part) => part !== undefined && part !== '').join(' ')
    return `  ${[place, what].filter((part) => part !== '').join(': ')}: ${message}`
  })
  return new AdcpError(
    'INVALID_REQUEST',
    [`${sent ?? name} was not imported; ${problems.length} to repair:`, ...lines].join('\n'),
    {
      field: 'file',
      issues: problems.map(({ pointer, line, column, message }) => ({
        pointer: pointer ?? (line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}`),
        message,
        keyword: 'import',
      })),
    },
  )
}
