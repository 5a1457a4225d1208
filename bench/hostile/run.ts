import type { MeasuredAgent } from '../stalls/agent.ts'
import { BETWEEN, type Case, casesOf, placeOf } from './cases.ts'
import { type DoorPart, startHostileWorld } from './doors.ts'
import { type Cost, costsOf, type Goals, judge, type Verdict } from './judge.ts'
import { ordered, type Shard, triedOf } from './order.ts'

export interface HostileOptions {
  readonly parts: readonly DoorPart[]
  /** Of the order in which the cases come, and so of those that a time limit lets through. */
  readonly seed: number
  readonly goals: Goals
  /** Cases that are begun before this many milliseconds are over; undefined: all. */
  readonly withinMs?: number
  /** Cases that are run at most. */
  readonly atMost?: number
  /** Only cases whose id contains it; a whole id starts the server with the one door that it names. */
  readonly only?: string
  /** Only doors whose title contains it. */
  readonly door?: string
  /** The part of all cases that is run; undefined: all. */
  readonly shard?: Shard
  /** Runs the server as it was built; otherwise its source. */
  readonly isBuilt?: boolean
  /** Path of a module with `routes` that are served beside those of the server. */
  readonly moreRoutes?: string
  /** Ends the run early; what was found until then is reported. */
  readonly signal?: AbortSignal
  readonly progress?: (line: string) => void
}

/** A case that cost much, or broke a goal. */
export interface Finding {
  readonly id: string
  readonly fault: string | undefined
  /** Milliseconds of processor time of the longest turn, by size. */
  readonly turns: readonly { readonly n: number; readonly longestMs: number; readonly busyMs: number }[]
  readonly rssMb: number
  readonly answer: string
}

export interface HostileReport {
  readonly seed: number
  readonly shard?: Shard
  /** Whether the server ran as it was built. */
  readonly isBuilt: boolean
  readonly doors: number
  /** Places where a door takes a value, each schema node once. */
  readonly places: number
  /** Those of which a case was run. */
  readonly tried: number
  /** All that were derived, of them the part that was to be run, and those that were. */
  readonly derived: number
  readonly cases: number
  readonly run: number
  readonly requests: number
  readonly seconds: number
  /** Cases that were run, by the first word of their door. */
  readonly byPart: Readonly<Record<string, number>>
  readonly mostRssMb: number
  /** Cases above the goal for memory in a process that had served others, and what each took in a process of its own. */
  readonly aged: readonly { readonly id: string; readonly rssMb: number; readonly aloneMb: number }[]
  readonly faults: readonly Finding[]
  /** The costliest that kept to the goals, worst first. */
  readonly worst: readonly Finding[]
}

/** Cases that are run however long the server took to start. */
const LEAST = 20
/** Cases that are sent before what each of them cost is asked for. */
const GROUP = 16
/** Cases without a fault that a report shows. */
export const WORST_SHOWN = 25
const PROGRESS_EVERY_MS = 10_000

/** Derives every case and runs them in an order of the seed. A server that a case ended is started again. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const { parts, seed, only = '', withinMs = Number.POSITIVE_INFINITY, signal, progress = () => undefined } = options
  const started = performance.now()
  const door = options.door ?? (only.includes(BETWEEN) ? only.split(BETWEEN, 1)[0] : undefined)
  const start = () => startHostileWorld(parts, options, door)
  let world = await start()
  const all = casesOf(world.doors)
  const tried = only === '' ? triedOf(all, seed) : all.map(({ id }) => id).filter((id) => id.includes(only))
  const order = ordered(tried, seed, options.shard)
  let byId = new Map(all.map((each) => [each.id, each]))
  const verdicts: Verdict[] = []
  const aged: HostileReport['aged'][number][] = []
  const casesNamed = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? [])
  let group: ReadonlyMap<string, Cost> = new Map()
  const renew = async () => {
    await world.agent.stop()
    world = await start()
    byId = new Map(casesOf(world.doors).map((each) => [each.id, each]))
    group = new Map()
    return group
  }
  const isEnough = () => verdicts.length >= (options.atMost ?? order.length)
  let said = started
  try {
    for (const [at, id] of order.entries()) {
      if (isEnough()) break
      if (signal?.aborted || (verdicts.length >= LEAST && performance.now() - started > withinMs)) break
      if (at % GROUP === 0) group = await costsAtBound(world.agent, casesNamed(order.slice(at, at + GROUP))).catch(renew)
      const given = byId.get(id)
      if (!given) continue
      let verdict = await judge(world.agent, given, options.goals, group.get(id)).catch((error: unknown) => endedBy(given, error))
      if (isLarge(verdict, options.goals)) {
        // Memory holds what others left: what a case takes is seen in a process of its own.
        await renew()
        const rssMb = mostMegabytes(verdict)
        verdict = await judge(world.agent, byId.get(id) ?? given, options.goals).catch((error: unknown) => endedBy(given, error))
        aged.push({ id, rssMb, aloneMb: mostMegabytes(verdict) })
        progress(`${id}: ${rssMb} MB in a process that had served others, ${mostMegabytes(verdict)} MB in its own`)
      }
      verdicts.push(verdict)
      if (verdict.fault !== undefined) progress(`FAULT ${id}: ${verdict.fault}`)
      if (verdict.costs.length === 0 || isLarge(verdict, options.goals)) await renew()
      if (performance.now() - said > PROGRESS_EVERY_MS) {
        said = performance.now()
        const rssMb = megabytes(verdict.costs.at(-1)?.rssBytes ?? 0)
        progress(`${verdicts.length} of ${order.length} cases, ${Math.round((said - started) / 1000)} s, ${rssMb} MB`)
      }
    }
  } finally {
    await world.agent.stop()
  }
  const { doors } = world
  return {
    ...{ seed, doors: doors.length, derived: all.length, cases: order.length, run: verdicts.length },
    ...{ isBuilt: options.isBuilt ?? false, ...(options.shard && { shard: options.shard }) },
    places: doors.reduce((sum, { places }) => sum + places.length, 0),
    tried: new Set(verdicts.map(({ case: { id } }) => placeOf(id))).size,
    requests: verdicts.reduce((sum, { costs }) => sum + costs.length, 0),
    seconds: Math.round((performance.now() - started) / 1000),
    aged,
    ...summaryOf(verdicts),
    mostRssMb: [...verdicts.map(mostMegabytes), ...aged.map(({ rssMb }) => rssMb)].reduce(
      (most, each) => Math.max(most, each),
      0,
    ),
  }
}

/** What cases cost at their bounds, sent one after the other. Rejects where one of them ends the server, or is not answered: which of them shows when each is sent alone. */
async function costsAtBound(agent: MeasuredAgent, cases: readonly Case[]): Promise<ReadonlyMap<string, Cost>> {
  const costs = await costsOf(
    agent,
    cases.map((each) => ({ case: each, n: each.bound })),
  )
  return new Map(costs.flatMap((cost, at) => (cases[at] ? [[cases[at].id, cost] as const] : [])))
}

function isLarge({ costs }: Verdict, { mostRssBytes }: Goals): boolean {
  return costs.some(({ rssBytes }) => rssBytes > mostRssBytes)
}

function mostMegabytes({ costs }: Verdict): number {
  return Math.max(0, ...costs.map(({ rssBytes }) => megabytes(rssBytes)))
}

function endedBy(given: Case, error: unknown): Verdict {
  return { case: given, costs: [], fault: `stopped the server: ${error instanceof Error ? error.message : String(error)}` }
}

function summaryOf(verdicts: readonly Verdict[]): Pick<HostileReport, 'byPart' | 'faults' | 'worst'> {
  const byPart: Record<string, number> = {}
  for (const { case: given } of verdicts) {
    const [part = ''] = given.door.split(' ')
    byPart[part] = (byPart[part] ?? 0) + 1
  }
  const longest = ({ costs }: Verdict) => Math.max(0, ...costs.map(({ longestMs }) => longestMs))
  const good = verdicts.filter(({ fault }) => fault === undefined).toSorted((a, b) => longest(b) - longest(a))
  return {
    byPart,
    faults: verdicts.filter(({ fault }) => fault !== undefined).map(findingOf),
    worst: good.slice(0, WORST_SHOWN).map(findingOf),
  }
}

function findingOf({ case: given, costs, fault }: Verdict): Finding {
  return {
    id: given.id,
    fault,
    turns: costs.map(({ n, longestMs, busyMs }) => ({ n, longestMs: Math.round(longestMs), busyMs: Math.round(busyMs) })),
    rssMb: mostMegabytes({ case: given, costs, fault }),
    answer: costs.at(-1)?.answer || String(costs.at(-1)?.status ?? ''),
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1_000_000)
