import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { GamOutage } from '../../src/ad-serving/gam/gam-error.ts'
import { MissingThere } from '../../src/ad-serving/missing-there.ts'
import type { DesiredOrder } from '../../src/domain/ad-serving/desired-order.ts'
import { editAsPerson, untrue } from './gam-edits.ts'
import type { GamEmulator } from './gam-emulator.ts'
import { withFiles } from './gam-files.ts'
import { gamCreatives, gamOrder, takeSteps } from './gam-order.ts'

/** What a network does instead of answering. */
const KINDS = ['429', '409', '403', '500 before', '500 after', 'silence', 'truncated'] as const
/** What its SOAP API says in its own words. */
const OF_REST: ReadonlySet<string> = new Set(['409', '403'])
/** And instead of an answer of its SOAP API. */
const SOAP_KINDS = [
  ...KINDS.filter((kind) => !OF_REST.has(kind)),
  'soap QuotaError.EXCEEDED_QUOTA',
  'soap CommonError.CONCURRENT_MODIFICATION',
]
/** Which calls fail. */
const PATHS = ['^POST .*orders:', '^POST .*lineItems:', '^GET .*orders', '^GET .*lineItems']
const SOAP_PATHS = ['/CreativeService', '/LineItemCreativeAssociationService']
/** What a process is killed after: the network has made it, and the process does not know. */
const CREATIONS = ['POST .*orders:batchCreate', 'POST .*lineItems:batchCreate']
/** The first call for a creative of a new order makes it. */
const SOAP_CREATION = '/CreativeService'
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
  /** What was reported to be there and was not; in rounds with creatives. */
  readonly untrue: readonly string[]
  /** Edits of a person in between. */
  readonly edits: number
}

export interface RoundOptions {
  readonly rounds: number
  /** The same seed fails the same calls. */
  readonly seed: number
  /** Every so many rounds a process of its own is killed with SIGKILL; 0: none. */
  readonly killEvery?: number
  /** Lines show creatives, which are written by the SOAP API, and a person edits what is there between attempts. */
  readonly edited?: boolean
  /** Told after each round. */
  readonly onRound?: (round: number) => void
}

/**
 * Brings an order to the network in each round while calls fail: before and after their effect, silently, with a truncated body, or because the process
 * is killed between a creation and its record. Then counts what is there.
 */
export async function gamFaultRounds(
  emulator: GamEmulator,
  { rounds, seed, killEvery = 0, edited = false, onRound }: RoundOptions,
): Promise<FaultRounds> {
  const next = sequence(seed)
  const [lost, doubled, stranded, wrong]: [string[], string[], string[], string[]] = [[], [], [], []]
  const counted = new Map<string, number>()
  const open = () => (edited ? emulator.backend({ creatives: 'api' }, undefined, withFiles) : emulator.backend())
  const [paths, kinds, creations] = edited
    ? [[...PATHS, ...SOAP_PATHS], SOAP_KINDS, [...CREATIONS, SOAP_CREATION]]
    : [PATHS, KINDS, CREATIONS]
  let [killed, edits] = [0, 0]
  for (let round = 0; round < rounds; round += 1) {
    const id = `round_${seed}_${round}`
    const wanted = gamOrder(id, edited ? gamCreatives(id) : [])
    if (killEvery > 0 && round % killEvery === killEvery - 1) {
      await killAfter(emulator, id, creations[next(creations.length)] ?? '', edited)
      killed += 1
    }
    const faults = Array.from({ length: 1 + next(3) }, () => ({
      kind: kinds[next(kinds.length)] ?? '429',
      path: paths[next(paths.length)] ?? '.',
      skip: next(3),
      count: 1 + next(3),
    }))
    await emulator.control({ faults, brief: true })
    const person = edited ? personAt(emulator, wanted, next) : undefined
    const arrived = await bring(open, wanted, next, person)
    wrong.push(...(person?.untrue ?? []))
    edits += person?.edits ?? 0
    const { faults: left = [] } = await emulator.control({ brief: true })
    for (const [at, { kind, count }] of faults.entries())
      counted.set(kind, (counted.get(kind) ?? 0) + count - (left[at]?.count ?? 0))
    await emulator.control({ faults: [], brief: true })
    const observed = await observeAtLast(open, wanted)
    const live = (observed?.lines ?? []).filter(({ state }) => state !== 'ended').map(({ externalId }) => externalId)
    if (!observed || live.length < wanted.lines.length) lost.push(id)
    else if (!arrived || observed.state !== 'active') stranded.push(id)
    if ((observed?.duplicateIds ?? []).length > 0 || new Set(live).size !== live.length) doubled.push(id)
    onRound?.(round + 1)
  }
  return { rounds, faults: Object.fromEntries([...counted].sort()), killed, edits, lost, doubled, stranded, untrue: wrong }
}

/** What is there once nothing fails any more but what a busy machine does; an outage is asked again as the reconciler would. */
async function observeAtLast(open: () => AdServerBackend, { key }: DesiredOrder) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await open().observe(key)
    } catch (error) {
      if (!(error instanceof GamOutage) || attempt === MOST_ATTEMPTS) throw error
    }
}

/** True when the order is there as it should be, after at most as many attempts as an outage of some minutes takes. */
async function bring(
  open: () => AdServerBackend,
  wanted: DesiredOrder,
  next: (below: number) => number,
  person: Person | undefined,
): Promise<boolean> {
  let backend = open()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      // The process dies after some of the steps: a new backend knows nothing.
      const dies = next(4) === 0
      const left = await takeSteps(backend, wanted, dies ? next(4) : undefined)
      if (left === 0 && (await takeSteps(backend, wanted, 0)) === 0) {
        await person?.judge(backend)
        if (!(await person?.edit(backend))) return true
      }
      if (dies) backend = open()
    } catch (error) {
      if (error instanceof MissingThere) await person?.giveBack()
      else await person?.edit(backend)
      backend = next(2) === 0 ? backend : open()
    }
  }
  return false
}

/** Someone who works on the same order at the network. */
interface Person {
  /** Edits something, some times; false: not this time. */
  edit(backend: AdServerBackend): Promise<boolean>
  /** Gives back what the order was found by, as the message of what is missing asks for. */
  giveBack(): Promise<void>
  /** Looks whether what is reported is there. */
  judge(backend: AdServerBackend): Promise<void>
  readonly edits: number
  readonly untrue: readonly string[]
}

const MOST_EDITS = 4

function personAt(network: GamEmulator, wanted: DesiredOrder, next: (below: number) => number): Person {
  const undo: (() => Promise<unknown>)[] = []
  const untrueThere: string[] = []
  let edits = 0
  const orderId = async (backend: AdServerBackend) => (await backend.observe(wanted.key).catch(() => undefined))?.id
  return {
    async edit(backend) {
      if (edits >= MOST_EDITS || next(3) === 0) return false
      const id = await orderId(backend)
      if (id === undefined) return false
      const back = await editAsPerson(network, id, wanted, next)
      if (back) undo.push(back)
      edits += 1
      return true
    },
    async giveBack() {
      for (const back of undo.splice(0)) await back()
    },
    async judge(backend) {
      const id = await orderId(backend)
      if (id !== undefined) untrueThere.push(...untrue(await network.control(), id, wanted))
    },
    get edits() {
      return edits
    },
    untrue: untrueThere,
  }
}

const VICTIM = fileURLToPath(new URL('gam-victim.ts', import.meta.url))
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** Kills a process that brings an order, while it waits for the answer to a creation that had its effect. Throws when it does not get there. */
async function killAfter(emulator: GamEmulator, id: string, path: string, edited: boolean): Promise<void> {
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
    ...(edited ? ['creatives'] : []),
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
