import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Buyer, buyerAt } from './buyer.ts'
import { diagnose } from './diagnosis.ts'
import type { Fleet } from './fleet.ts'
import { settle } from './kills.ts'
import { revive } from './victims.ts'

export interface OutageReport {
  /** How long the database was away. */
  readonly seconds: number
  /** Calls that were begun and answered while it was away, by what they came to. */
  readonly answers: Readonly<Record<string, number>>
  /** Longest time that a call of the whole run took. */
  readonly slowestMs: number
  /** From the moment at which the database took connections again until each process was ready, and a purchase stood. */
  readonly readyAgainMs: number
  readonly boughtAgainMs: number
  readonly purchases: number
  readonly problems: readonly string[]
}

/** Purchases and reads that are always under way. */
const BUYERS = 8
const PAUSE_MS = { purchase: 50, read: 500 } as const
const PROBE_MS = 500
/** Load before the database goes, and after it is back. */
const CALM_MS = 3_000
/** What an answer and a probe may still say that began when the database went: readiness fails within 2 s. */
const GRACE_MS = 2_000
const BACK_WITHIN_MS = 30_000

interface Call {
  readonly key: string | undefined
  readonly answer: Answer
  readonly from: number
  readonly to: number
}

interface Probe {
  readonly at: number
  readonly process: number
  readonly ready: number
  readonly live: number
}

/** Takes the database away from a fleet under load for a while: readiness fails, calls say so, and everything goes on by itself afterwards. */
export async function outage(fleet: Fleet, token: string, seconds: number): Promise<OutageReport> {
  const { answers: before } = await diagnose(fleet)
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, 2 * BUYERS)
  const calls: Call[] = []
  const probes: Probe[] = []
  const load = startLoad(fleet, buyer, calls, probes)
  const pids = fleet.origins.map((_, index) => fleet.child(index).pid)
  await sleep(CALM_MS)
  await fleet.postgres.halt()
  const away = performance.now()
  await sleep(seconds * 1000)
  const returning = performance.now()
  await revive(fleet, 'database')
  const back = performance.now()
  const isBack = () =>
    fleet.origins.every((_, index) => probes.some(({ at, process, ready }) => at > back && process === index && ready === 200)) &&
    calls.some(({ from, answer }) => from > back && answer.kind === 'bought')
  while (!isBack() && performance.now() - back < BACK_WITHIN_MS) await sleep(100)
  await sleep(CALM_MS)
  await load.stop()
  const problems = [
    ...judge(calls, probes, { from: away + GRACE_MS, to: returning }),
    ...(isBack() ? [] : [`not everything served again within ${BACK_WITHIN_MS / 1000} s`]),
    ...pids.flatMap((pid, index) => (fleet.child(index).pid === pid && isAlive(pid) ? [] : [`process ${index} ended`])),
    ...(await keptPromises(fleet, buyer, calls, before)),
  ]
  buyer.close()
  const during = calls.filter(({ from, to }) => from >= away && to <= returning)
  return {
    seconds: (returning - away) / 1000,
    answers: counted(during.map(({ answer }) => ('code' in answer ? answer.code : answer.kind))),
    slowestMs: Math.max(...calls.map(({ from, to }) => to - from)),
    readyAgainMs: firstAfter(
      back,
      probes.filter(({ ready }) => ready === 200),
      fleet.origins.length,
    ),
    boughtAgainMs:
      Math.min(...calls.filter(({ answer, to }) => answer.kind === 'bought' && to > back).map(({ to }) => to)) - back,
    purchases: calls.filter(({ key }) => key !== undefined).length,
    problems,
  }
}

function startLoad(fleet: Fleet, buyer: Buyer, calls: Call[], probes: Probe[]): { stop(): Promise<void> } {
  let isOver = false
  const shop = async (n: number) => {
    while (!isOver) {
      const key = n % 2 === 0 ? randomUUID() : undefined
      const from = performance.now()
      const answer = await (key === undefined ? buyer.read() : buyer.buy(key))
      calls.push({ key, answer, from, to: performance.now() })
      await sleep(key === undefined ? PAUSE_MS.read : PAUSE_MS.purchase)
    }
  }
  const probe = async (process: number, origin: string) => {
    while (!isOver) {
      const [ready, live] = await Promise.all(['readyz', 'livez'].map((path) => statusOf(`${origin}/${path}`)))
      probes.push({ at: performance.now(), process, ready: ready ?? 0, live: live ?? 0 })
      await sleep(PROBE_MS)
    }
  }
  const running = [
    ...Array.from({ length: BUYERS }, (_, n) => shop(n)),
    ...fleet.origins.map((origin, index) => probe(index, origin)),
  ]
  return {
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.status ?? 0
}

/** What was said while the database was away, from a moment at which everybody must have noticed. */
function judge(
  calls: readonly Call[],
  probes: readonly Probe[],
  window: { readonly from: number; readonly to: number },
): string[] {
  const problems: string[] = []
  const inside = (at: number) => at >= window.from && at <= window.to
  for (const { answer } of calls.filter(({ from, to }) => inside(from) && inside(to))) {
    if (answer.kind !== 'refused' || answer.code !== 'SERVICE_UNAVAILABLE')
      problems.push(`a call came to ${JSON.stringify(answer)}`)
    else if (answer.retryAfter === undefined) problems.push('a refusal did not say when to try again')
  }
  for (const { at, process, ready, live } of probes) {
    if (live !== 200) problems.push(`process ${process} said ${live} at /livez`)
    if (inside(at) && ready !== 503) problems.push(`process ${process} said ${ready} at /readyz`)
  }
  if (!calls.some(({ from }) => inside(from))) problems.push('nobody called while the database was away')
  return [...new Set(problems)]
}

/** Every purchase is asked for again under its key: it stands once, and as it was acknowledged. */
async function keptPromises(fleet: Fleet, buyer: Buyer, calls: readonly Call[], before: number): Promise<string[]> {
  const problems: string[] = []
  const owners = new Map<string, string>()
  for (const { key, answer } of calls) {
    if (key === undefined) continue
    const { mediaBuyId, inFlight } = await settle(buyer, key)
    if (mediaBuyId === undefined) problems.push(`${key} did not settle`)
    else if (owners.has(mediaBuyId)) problems.push(`${key} and ${owners.get(mediaBuyId)} share a media buy`)
    else owners.set(mediaBuyId, key)
    if (answer.kind === 'bought' && answer.mediaBuyId !== mediaBuyId) problems.push(`${key} was acknowledged otherwise`)
    if (inFlight > 1) problems.push(`${key} was told ${inFlight} times that its first call is still running`)
  }
  const { answers, problems: broken } = await diagnose(fleet)
  if (answers - before !== owners.size) problems.push(`${answers - before} purchases in the store, ${owners.size} with the buyer`)
  return [...problems, ...broken]
}

/** Milliseconds from a moment until the last of the processes was ready. */
function firstAfter(back: number, ready: readonly Probe[], processes: number): number {
  const firsts = Array.from({ length: processes }, (_, index) =>
    Math.min(...ready.filter(({ at, process }) => at > back && process === index).map(({ at }) => at)),
  )
  return Math.max(...firsts) - back
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
