import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { DesiredOrder } from '../../src/domain/ad-serving/desired-order.ts'
import type { GamEmulator } from './gam-emulator.ts'
import { gamOrder, takeSteps } from './gam-order.ts'

/** What a network does instead of answering. */
const KINDS = ['429', '500 before', '500 after', 'silence', 'truncated'] as const
/** Which calls fail. */
const PATHS = ['^POST .*orders:', '^POST .*lineItems:', '^GET .*orders', '^GET .*lineItems']
/** What a process is killed after: the network has made it, and the process does not know. */
const CREATIONS = ['POST .*orders:batchCreate', 'POST .*lineItems:batchCreate'] as const
/** Attempts that the reconciler would take, each from what is there. */
const MOST_ATTEMPTS = 12
/** A process starts in a second, on a busy machine in a minute. */
const KILL_MS = 120_000
const LOOK_MS = 50

export interface FaultRounds {
  readonly rounds: number
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>
  /** Processes that were killed after a creation had its effect. */
  readonly killed: number
  /** Orders that are not there, there more than once, or not as they should be in the end. */
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly stranded: readonly string[]
}

export interface RoundOptions {
  readonly rounds: number
  /** The same seed fails the same calls. */
  readonly seed: number
  /** Every so many rounds a process of its own is killed with SIGKILL; 0: none. */
  readonly killEvery?: number
  /** Told after each round. */
  readonly onRound?: (round: number) => void
}

/**
 * Brings an order to the network in each round while calls fail: before and after their effect, silently, with a truncated body, or because the process
 * is killed between a creation and its record. Then counts what is there.
 */
export async function gamFaultRounds(
  emulator: GamEmulator,
  { rounds, seed, killEvery = 0, onRound }: RoundOptions,
): Promise<FaultRounds> {
  const next = sequence(seed)
  const [lost, doubled, stranded]: [string[], string[], string[]] = [[], [], []]
  const counted = new Map<string, number>()
  let killed = 0
  for (let round = 0; round < rounds; round += 1) {
    const wanted = gamOrder(`round_${seed}_${round}`)
    const id = wanted.key.externalId
    if (killEvery > 0 && round % killEvery === killEvery - 1) {
      await killAfter(emulator, id, CREATIONS[next(CREATIONS.length)] ?? CREATIONS[0])
      killed += 1
    }
    const faults = Array.from({ length: 1 + next(3) }, () => ({
      kind: KINDS[next(KINDS.length)] ?? '429',
      path: PATHS[next(PATHS.length)] ?? '.',
      skip: next(3),
      count: 1 + next(3),
    }))
    await emulator.control({ faults, brief: true })
    const arrived = await bring(emulator, wanted, next)
    const { faults: left = [] } = await emulator.control({ brief: true })
    for (const [at, { kind, count }] of faults.entries())
      counted.set(kind, (counted.get(kind) ?? 0) + count - (left[at]?.count ?? 0))
    await emulator.control({ faults: [], brief: true })
    const observed = await emulator.backend().observe(wanted.key)
    const live = (observed?.lines ?? []).filter(({ state }) => state !== 'ended').map(({ externalId }) => externalId)
    if (!observed || live.length < wanted.lines.length) lost.push(id)
    else if (!arrived || observed.state !== 'active') stranded.push(id)
    if ((observed?.duplicateIds ?? []).length > 0 || new Set(live).size !== live.length) doubled.push(id)
    onRound?.(round + 1)
  }
  return { rounds, faults: Object.fromEntries([...counted].sort()), killed, lost, doubled, stranded }
}

/** True when the order is there as it should be, after at most as many attempts as an outage of some minutes takes. */
async function bring(emulator: GamEmulator, wanted: DesiredOrder, next: (below: number) => number): Promise<boolean> {
  let backend = emulator.backend()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      // The process dies after some of the steps: a new backend knows nothing.
      const dies = next(4) === 0
      const left = await takeSteps(backend, wanted, dies ? next(4) : undefined)
      if (left === 0 && (await takeSteps(backend, wanted, 0)) === 0) return true
      if (dies) backend = emulator.backend()
    } catch {
      backend = next(2) === 0 ? backend : emulator.backend()
    }
  }
  return false
}

const VICTIM = fileURLToPath(new URL('gam-victim.ts', import.meta.url))
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** Kills a process that brings an order, while it waits for the answer to a creation that had its effect. Throws when it does not get there. */
async function killAfter(emulator: GamEmulator, id: string, path: string): Promise<void> {
  await emulator.control({ faults: [{ kind: 'hang', path, count: 1 }], brief: true })
  const args = [
    '--import',
    TSX,
    VICTIM,
    emulator.plain,
    JSON.stringify(emulator.keyFile),
    id,
    String(emulator.clockOffsetMs),
    emulator.idPath,
  ]
  const victim = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(victim, 'exit')
  try {
    const until = Date.now() + KILL_MS
    const isDone = async () => (await emulator.control({ brief: true })).faults?.every(({ count }) => count === 0)
    while (!(await isDone())) {
      if (victim.exitCode !== null || Date.now() > until) throw new Error(`the process that brings ${id} made no call to ${path}`)
      await pause(LOOK_MS)
    }
  } finally {
    victim.kill('SIGKILL')
    await ended
  }
}

/** Numbers below a bound that depend on the seed alone (Lehmer generator, modulus 2^31 - 1). */
function sequence(seed: number): (below: number) => number {
  let state = (seed * 7_919 + 1) % 2_147_483_647
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
