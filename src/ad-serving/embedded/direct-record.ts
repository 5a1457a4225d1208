import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { EmbeddedOrderRow } from '../../store/embedded/orders.ts'
import type { DirectHistoryEntry, DirectRecord, OrderDocument } from './stored-documents.ts'

/** When something is done to a direct order, and who does it: the credential, as the audit log names it. */
export interface DirectAct {
  readonly now: Date
  readonly person: string
}

/** Changes that the history of an order holds, texts of one of them, and texts of all: the record is read with its order. */
const MOST_HISTORY = 200
const MOST_TEXTS = 50
const MOST_TEXTS_IN_ALL = 1_000

/** Revision and history of a direct order; of one that was entered before they were recorded, revision 1 and none. */
export function directRecordOf({ document }: Pick<EmbeddedOrderRow, 'document'>): DirectRecord {
  const { direct = { revision: 1, history: [] } }: OrderDocument = JSON.parse(document)
  return direct
}

/** The record of an order with one more change; of a change of many members it names the first, and says how many more there are. */
export function noted(known: EmbeddedOrderRow | undefined, summary: readonly string[], { now, person }: DirectAct): DirectRecord {
  const record = known ? directRecordOf(known) : { revision: 0, history: [] }
  const { revision: last, history } = record
  const revision = last + 1
  return {
    ...record,
    revision,
    history: newest([...history, { revision, at: now.toISOString(), person, summary: shortened(summary) }]),
  }
}

function shortened(summary: readonly string[]): readonly string[] {
  const more = summary.length - MOST_TEXTS
  // What was shortened before has the text that says so beside the first.
  return more <= 1 ? summary : [...summary.slice(0, MOST_TEXTS), `and ${more} more`]
}

/** The newest changes whose texts together are within the bound. */
function newest(history: readonly DirectHistoryEntry[]): readonly DirectHistoryEntry[] {
  const kept: DirectHistoryEntry[] = []
  let texts = 0
  for (const entry of history.slice(-MOST_HISTORY).toReversed()) {
    const summary = shortened(entry.summary)
    texts += summary.length
    if (texts > MOST_TEXTS_IN_ALL) break
    kept.push({ ...entry, summary })
  }
  return kept.reverse()
}

/** Throws CONFLICT for an order that has another revision, INVALID_STATE for one that should be new (0) and is not. */
export function requireRevision(orderId: string, known: EmbeddedOrderRow | undefined, revision: number | undefined): void {
  const current = known ? directRecordOf(known).revision : 0
  if (revision === undefined || revision === current) return
  if (revision === 0)
    throw new AdcpError('INVALID_STATE', `there is a direct order ${orderId} already; choose another id`, { field: 'order_id' })
  const state = known ? `is at revision ${current}, not ${revision}` : 'is not there'
  throw new AdcpError('CONFLICT', `direct order ${orderId} ${state}; read it again, and send its revision`, { field: 'revision' })
}

/** Throws INVALID_STATE for an order that has ended. */
export function requireOpen(orderId: string, state: ServingState | undefined): void {
  if (state !== 'ended') return
  throw new AdcpError('INVALID_STATE', `direct order ${orderId} has ended; enter it under another id`, { field: 'order_id' })
}
