import { runStep } from '../../src/ad-serving/reconcile/run-step.ts'
import type { DesiredOrder } from '../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../src/domain/ad-serving/diff.ts'
import { line, order, SETTINGS } from '../domain/ad-serving/orders.ts'
import type { GamEmulator } from './gam-emulator.ts'

/** What a network does instead of answering. */
const KINDS = ['429', '500 before', '500 after', 'silence', 'truncated']
/** Which calls fail. */
const PATHS = ['^POST .*orders:', '^POST .*lineItems:', '^GET .*orders', '^GET .*lineItems']
/** Attempts that the reconciler would take, each from what is there. */
const MOST_ATTEMPTS = 12

export interface FaultRounds {
  readonly rounds: number
  /** Orders that are not there, there more than once, or not as they should be in the end. */
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly stranded: readonly string[]
  /** Orders that wait for a person. */
  readonly waiting: number
}

export interface RoundOptions {
  readonly rounds: number
  /** The same seed fails the same calls. */
  readonly seed: number
}

/**
 * Brings an order to the network in each round while calls fail: before and after their effect, silently, with a truncated body, or because the process
 * dies, which is a new backend that knows nothing. Then counts what is there.
 */
export async function gamFaultRounds(emulator: GamEmulator, { rounds, seed }: RoundOptions): Promise<FaultRounds> {
  const next = sequence(seed)
  const [lost, doubled, stranded]: [string[], string[], string[]] = [[], [], []]
  let waiting = 0
  for (let round = 0; round < rounds; round += 1) {
    const wanted = orderOf(`round_${seed}_${round}`)
    const faults = Array.from({ length: 1 + next(3) }, () => ({
      kind: KINDS[next(KINDS.length)] ?? '429',
      path: PATHS[next(PATHS.length)] ?? '.',
      skip: next(3),
      count: 1 + next(3),
    }))
    await emulator.control({ faults })
    const arrived = await bring(emulator, wanted, next)
    await emulator.control({ faults: [] })
    const observed = await emulator.backend().observe(wanted.key)
    if (!observed) lost.push(wanted.key.externalId)
    else {
      if (observed.state === 'waiting') waiting += 1
      else if (!arrived) stranded.push(wanted.key.externalId)
      const live = observed.lines.filter(({ state }) => state !== 'ended').map(({ externalId }) => externalId)
      if ((observed.duplicateIds ?? []).length > 0 || new Set(live).size !== live.length) doubled.push(wanted.key.externalId)
      if (live.length < wanted.lines.length) lost.push(`${wanted.key.externalId}: lines`)
    }
  }
  return { rounds, lost, doubled, stranded, waiting }
}

/** True when the order is there as it should be, after at most as many attempts as an outage of some minutes takes. */
async function bring(emulator: GamEmulator, wanted: DesiredOrder, next: (below: number) => number): Promise<boolean> {
  let backend = emulator.backend()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      const steps = diff(wanted, await backend.observe(wanted.key), backend.capabilities)
      if (steps.length === 0) return true
      // The process dies after some of the steps.
      const dies = next(4) === 0 ? next(steps.length) : steps.length
      for (const step of steps.slice(0, dies)) await runStep(backend, wanted.key, step)
      if (dies < steps.length) backend = emulator.backend()
    } catch {
      backend = next(2) === 0 ? backend : emulator.backend()
    }
  }
  return false
}

function orderOf(id: string): DesiredOrder {
  const { startsAt, endsAt } = SETTINGS
  return order({
    key: { tenantId: 'acme', externalId: id },
    settings: { name: id, advertiserId: 'acc_1', currency: 'USD', budgetMicros: 10_000_000_000, startsAt, endsAt },
    lines: ['pkg_1', 'pkg_2'].map((name) => line(`${id}_${name}`, { associations: [] })),
    creatives: [],
  })
}

/** Numbers below a bound that depend on the seed alone (Lehmer generator, modulus 2^31 - 1). */
function sequence(seed: number): (below: number) => number {
  let state = (seed * 7_919 + 1) % 2_147_483_647
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
