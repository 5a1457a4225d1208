import type { Store } from '../../store/database.ts'
import { addExposures, type Exposure, exposuresOf } from '../../store/embedded/exposures.ts'
import { createBatches } from './batches.ts'
import { type Choice, giveBack, type Slot, take } from './decide.ts'
import type { Engine } from './engine.ts'
import { capsAt } from './placement.ts'
import type { Visitor } from './visitor.ts'

/** A page that asks for ads, at a moment. */
export interface CappedInput {
  readonly viewer: string
  readonly slots: readonly Slot[]
  readonly visitor: Visitor
  /** Of the decision on each slot. */
  readonly ids: readonly string[]
  readonly now: Date
}

type Choices = (Choice | undefined)[]

/** Choices for visitors of one publisher, where a line has a frequency cap. */
export interface CappedChoices {
  /**
   * Resolves once the choices are stored durably. Their impressions are then already deducted from the allowance of the lines: see `decided` of the engine. Undefined when it is
   * not known which ads the visitor has seen; rejects when the store cannot be reached. In both cases nothing is deducted.
   */
  choose(input: CappedInput): Promise<Choices | undefined>
}

/** Page requests in one transaction. A larger batch conflicts more often with other processes and saves little. */
const BATCH = 64

/**
 * Decides the page requests that wait in one transaction, which reads the exposures of their visitors and adds what was chosen. Two requests at the same moment, on one machine
 * or on two, therefore cannot both take the last impression under a cap. Requests of a batch are decided one after the other, and each sees the choices before it.
 * `countsWithinMs`: how long after it was acknowledged an impression may still be counted.
 */
export function createCappedChoices(
  store: Store,
  tenantId: string,
  engine: Engine,
  countsWithinMs = 0,
): { choose(input: CappedInput): Promise<Choices> } {
  const work = (inputs: readonly CappedInput[]) => chooseBatch(store, tenantId, engine, countsWithinMs, inputs)
  return { choose: createBatches(work, { most: BATCH, atOnce: 1 }) }
}

async function chooseBatch(
  store: Store,
  tenantId: string,
  engine: Engine,
  countsWithinMs: number,
  inputs: readonly CappedInput[],
): Promise<Choices[]> {
  const earliest = Math.min(...inputs.map(({ now }) => now.getTime()))
  const since = new Date(Math.max(0, earliest - Math.max(0, ...inputs.map(({ slots }) => furthest(engine, slots)))))
  const viewers = [...new Set(inputs.map(({ viewer }) => viewer))]
  let taken: Choice[] = []
  const giveAllBack = () => {
    for (const choice of taken) giveBack(choice)
    taken = []
  }
  try {
    return await store.transaction(async (tx) => {
      // The transaction runs again when it lost against another one.
      giveAllBack()
      const exposures = await exposuresOf(tx, { tenantId, viewers }, since, new Date(earliest - countsWithinMs))
      const had = new Map(viewers.map((viewer) => [viewer, new Map(exposures.get(viewer))]))
      const added: Exposure[] = []
      const chosen = inputs.map(({ viewer, slots, visitor, ids, now }) => {
        const own = had.get(viewer) ?? new Map<string, readonly number[]>()
        const choices = engine.choose(slots, visitor, own, now.getTime())
        for (const [index, choice] of choices.entries()) {
          const [decisionId, slot] = [ids[index], slots[index]]
          if (!choice || !slot || decisionId === undefined) continue
          if (!visitor.isBot) {
            take(choice)
            taken.push(choice)
          }
          const { lineId, terms } = choice.ready.line
          if (capsAt(terms, engine.snapshot.rules.get(slot.place)).length === 0) continue
          own.set(lineId, [...(own.get(lineId) ?? []), Number.POSITIVE_INFINITY])
          added.push({ decisionId, viewer, lineId, decidedAt: now })
        }
        return choices
      })
      await addExposures(tx, tenantId, added)
      return chosen
    })
  } catch (error) {
    giveAllBack()
    throw error
  }
}

function furthest({ snapshot }: Engine, slots: readonly Slot[]): number {
  return Math.max(0, ...slots.map(({ place }) => snapshot.capWindows.get(place) ?? 0))
}
