import type { Issue } from '../../../protocol/errors.ts'
import { currentMetrics } from '../../current-metrics.ts'
import { repeatedAt } from '../../repeated.ts'
import { type CatalogFormat, type FormatSpec, type FormatType, ownFormat } from './format.ts'

/** A publisher's own format as its import file has it (schemas/formats-import.json). */
export type FormatDocument = FormatSpec['body'] & {
  readonly id: string
  readonly type: FormatType
  readonly made_from?: readonly string[]
  readonly makes?: readonly string[]
}

export interface FormatsFile {
  readonly version: 1
  readonly formats: readonly FormatDocument[]
}

/** One thing to repair in an import file; `pointer` is an RFC 6901 pointer. */
export interface FormatProblem {
  readonly pointer: string
  readonly message: string
}

/** JSON Schema checks that the caller supplies: ours for the file, the official one for what it holds. */
export interface FormatValidators {
  readonly file: (value: unknown) => readonly Issue[]
  /** AdCP core/format.json */
  readonly format: (value: unknown) => readonly Issue[]
}

export type FormatsResult =
  | { readonly ok: true; readonly file: readonly FormatDocument[] }
  | { readonly ok: false; readonly problems: readonly FormatProblem[] }

/** Placeholder for this agent's address while a format is checked. */
const STAND_IN_AGENT = 'https://sales-agent.invalid/mcp'

/** The format that a document describes, owned by the agent at `agentUrl`. */
export function customFormat({ id, type, made_from, makes, ...document }: FormatDocument, agentUrl: string): CatalogFormat {
  const { reported_metrics: metrics } = document
  const body = metrics ? { ...document, reported_metrics: currentMetrics(metrics) } : document
  return ownFormat({ id, type, body, ...(made_from && { madeFrom: made_from }), ...(makes && { makes }) }, agentUrl, false)
}

/**
 * Reads a parsed import file. Gives every format, or everything that is wrong and none. `standardIds` are taken; `knownIds` are the
 * publisher's formats that stay beside those of the file.
 */
export function importFormats(
  file: unknown,
  validators: FormatValidators,
  { standardIds, knownIds }: { readonly standardIds: ReadonlySet<string>; readonly knownIds: ReadonlySet<string> },
): FormatsResult {
  const shape = validators.file(file)
  if (!isFormatsFile(file, shape)) return { ok: false, problems: shape.map(({ pointer, message }) => ({ pointer, message })) }
  const ids = file.formats.map(({ id }) => id)
  const repeated = repeatedAt(ids)
  const all = new Set([...standardIds, ...knownIds, ...ids])
  const problems = file.formats.flatMap((document, index) => {
    const at = `/formats/${index}`
    const official = validators.format(customFormat(document, STAND_IN_AGENT).format)
    const related = [...(document.made_from ?? []), ...(document.makes ?? [])].filter((id) => !all.has(id))
    return [
      ...official.map(({ pointer, message }) => ({ pointer: `${at}${pointer}`, message })),
      ...(standardIds.has(document.id) ? [{ pointer: `${at}/id`, message: 'is the id of a standard format' }] : []),
      ...(repeated.has(index) ? [{ pointer: `${at}/id`, message: 'is the id of an earlier format' }] : []),
      ...related.map((id) => ({ pointer: at, message: `${id} is no format of this publisher` })),
      ...slotProblems(document, at),
    ]
  })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, file: file.formats }
}

/** Assets are keyed by the id of their slot (core/creative-manifest.json), so an id can be there once. */
function slotProblems({ assets = [] }: FormatDocument, at: string): FormatProblem[] {
  const ids = assets.map((slot) => (slot.item_type === 'individual' ? slot.asset_id : slot.asset_group_id))
  return [...repeatedAt(ids)].map((index) => ({
    pointer: `${at}/assets/${index}`,
    message: `${ids[index]} is the id of an earlier slot`,
  }))
}

/** A file that our schema accepts has the shape of the type; the official check follows. */
function isFormatsFile(_file: unknown, shapeIssues: readonly Issue[]): _file is FormatsFile {
  return shapeIssues.length === 0
}
