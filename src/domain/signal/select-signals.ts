import type { Account } from '../account/account.ts'
import { meets, type SignalConditions } from './filter-signals.ts'
import { pricesFor } from './prices.ts'
import { type SignalIndex, searchSignals } from './search-signals.ts'
import { isOfferedTo, type Signal } from './signal.ts'
import { type SignalId, signalIdKey, signalIdOf } from './signal-id.ts'

export interface SignalQuestion extends SignalConditions {
  readonly spec: string | undefined
  readonly ids: readonly SignalId[] | undefined
}

export interface Asker {
  readonly principalId: string
  readonly account: Account | undefined
  /** Address of this agent: the owner of its native signals. */
  readonly agentUrl: string
}

/**
 * Signals that answer a question, in order: named ones first, then what the description finds. Ids that do not exist are left out. Only
 * signals that are offered to the asker are seen.
 */
export function selectSignals(index: SignalIndex, { spec, ids, ...conditions }: SignalQuestion, asker: Asker): Signal[] {
  const named = ids ? byId(index, ids, asker.agentUrl) : []
  const found = spec === undefined ? [] : searchSignals(index, spec)
  return [...new Set([...named, ...found])].filter(
    (signal) => isOfferedTo(signal, asker.principalId) && meets(signal, pricesFor(signal, asker.account), conditions),
  )
}

function byId({ signals }: SignalIndex, ids: readonly SignalId[], agentUrl: string): Signal[] {
  const byKey = new Map(signals.map((signal) => [signalIdKey(signalIdOf(signal, agentUrl)), signal]))
  return ids.flatMap((id) => byKey.get(signalIdKey(id)) ?? [])
}
