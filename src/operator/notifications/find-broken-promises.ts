import { listChecks } from '../../store/seller-check/seller-checks.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { Condition } from './condition.ts'

/** Promises of the protocol that this agent's own check held the last time and found broken now, for the publisher whose buyer asked. */
export async function findBrokenPromises({ store }: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const [newest, before] = await listChecks(store.read)
  if (!newest || newest.tenantId !== tenantId) return []
  const held = new Set(before?.held)
  const regressed = newest.broken.filter((id) => !before || held.has(id))
  return regressed.map((id) => {
    const title = `The check of this agent found a broken promise: ${id}`
    return {
      ...{ kind: 'promise_broken', key: JSON.stringify([newest.period, id]), subject: id, title },
      ...{ text: `${title}. It was ${before ? 'held the time before' : 'never checked before'}.`, path: `/t/${tenantId}/checks` },
      at: newest.endedAt,
    }
  })
}
