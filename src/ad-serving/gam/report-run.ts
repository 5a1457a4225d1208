import type { GamClient, Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, messageOf, messagesOf, nameOf, textOf } from './messages.ts'

/** A call of the port has 20 seconds: the report is asked for its end this many times, and the port comes again. */
const POLLS = 5
const POLL_MS = 1_000
/** Reports take seconds, rarely minutes. */
const MOST_ROUNDS = 100
const PAGE_SIZE = '1000'

export interface RunParts extends Pick<GamParts, 'client'> {
  readonly pause: (ms: number) => Promise<void>
}

/** What a report goes on with: the operation while it runs, then its result a page at a time. */
interface Cursor {
  readonly operation?: string
  readonly round?: number
  readonly result?: string
  readonly pageToken?: string
}

/** A part of a report: rows of its result, and what it goes on with. */
interface ReportPart {
  readonly rows: readonly Message[]
  readonly next?: string
}

/**
 * A part of a report: it is made hidden and run as a long-running operation, and its rows are read a page at a time; the rest of each is left to the next call.
 * `after`: `next` of the part before; without it `definition` (`ReportDefinition`) begins one. Throws what the operation failed with, and an Error when it does not end.
 */
export async function partOfReport(
  parts: RunParts,
  after: string | undefined,
  definition: { readonly displayName: string; readonly of: () => Message },
): Promise<ReportPart> {
  const { client } = parts
  const cursor = after === undefined ? await startReport(client, definition) : readCursor(client, after)
  if (cursor.result !== undefined) return resultPage(client, cursor)
  const result = await waitFor(parts, cursor)
  if (result !== undefined) return { rows: [], next: JSON.stringify({ result }) }
  const round = (cursor.round ?? 0) + 1
  if (round > MOST_ROUNDS) throw new Error(`a report of Google Ad Manager did not end (${cursor.operation})`)
  return { rows: [], next: JSON.stringify({ ...cursor, round }) }
}

async function startReport(
  client: GamClient,
  { displayName, of }: { readonly displayName: string; readonly of: () => Message },
): Promise<Cursor> {
  const report = { displayName, visibility: 'HIDDEN', reportDefinition: of() }
  const name = nameOf(await client.post(`${client.network}/reports`, report, 'creation'))
  return { operation: nameOf(await client.post(`${name}:run`, { name }, 'repeatable')) }
}

function readCursor({ network }: GamClient, text: string): Cursor {
  const value: unknown = JSON.parse(text)
  const message: Message = typeof value === 'object' && value !== null ? { ...value } : {}
  const [operation, result, pageToken] = [textOf(message, 'operation'), textOf(message, 'result'), textOf(message, 'pageToken')]
  if (!(operation ?? result ?? '').startsWith(`${network}/`))
    throw new Error('the report goes on with something that is no report of the network')
  return {
    ...(operation !== undefined && { operation, round: countOf(message, 'round') }),
    ...(result !== undefined && { result }),
    ...(pageToken !== undefined && { pageToken }),
  }
}

/** Name of the result; undefined while the report runs. Throws what the operation failed with. */
async function waitFor({ client, pause }: RunParts, { operation = '' }: Cursor): Promise<string | undefined> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const state = await client.get(operation)
    if (state.done === true) {
      const result = textOf(messageOf(state, 'response'), 'reportResult')
      if (result !== undefined) return result
      throw new Error(
        `a report of Google Ad Manager failed: ${textOf(messageOf(state, 'error'), 'message') ?? 'no reason given'}`,
      )
    }
    if (poll + 1 < POLLS) await pause(POLL_MS)
  }
  return undefined
}

async function resultPage(client: GamClient, { result = '', pageToken }: Cursor): Promise<ReportPart> {
  const answer = await client.get(`${result}:fetchRows`, { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) })
  const next = textOf(answer, 'nextPageToken')
  const rows = messagesOf(answer, 'rows')
  return { rows, ...(next !== undefined && { next: JSON.stringify({ result, pageToken: next }) }) }
}

/** The day of a dimension `DATE`, a number such as 20260301, as `YYYY-MM-DD`. */
export function dayOfNumber(date: number): string {
  const text = String(date)
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
}
