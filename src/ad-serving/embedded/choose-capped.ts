import type { Store } from '../../store/database.ts'
import { addExposures, exposuresOf } from '../../store/embedded/exposures.ts'
import type { Choice, Slot } from './decide.ts'
import type { Engine, Exposures } from './engine.ts'
import { capsAt } from './placement.ts'
import type { Visitor } from './visitor.ts'

interface CappedInput {
  readonly tenantId: string
  readonly viewer: string
  readonly slots: readonly Slot[]
  readonly visitor: Visitor
  readonly ids: readonly string[]
  readonly now: Date
}

/**
 * Choices for a visitor where a line has a frequency cap: what the visitor has had is read, and what is chosen is added to it, in one transaction, so that two pages
 * that load at the same moment, on two machines too, cannot both take the last impression.
 */
export function chooseCapped(
  store: Store,
  engine: Engine,
  { tenantId, viewer, slots, visitor, ids, now }: CappedInput,
): Promise<(Choice | undefined)[]> {
  const since = new Date(Math.max(0, now.getTime() - furthest(engine, slots)))
  return store.transaction(async (tx) => {
    const exposures: Exposures = await exposuresOf(tx, { tenantId, viewer }, since, now)
    const choices = engine.choose(slots, visitor, exposures, now.getTime())
    const added = choices.flatMap((choice, index) => {
      const [decisionId, slot] = [ids[index], slots[index]]
      if (!choice || !slot || decisionId === undefined) return []
      if (capsAt(choice.ready.line.terms, engine.snapshot.rules.get(slot.place)).length === 0) return []
      return [{ decisionId, viewer, lineId: choice.ready.line.lineId }]
    })
    await addExposures(tx, tenantId, added, now)
    return choices
  })
}

function furthest({ snapshot }: Engine, slots: readonly Slot[]): number {
  return Math.max(0, ...slots.map(({ place }) => snapshot.capWindows.get(place) ?? 0))
}
