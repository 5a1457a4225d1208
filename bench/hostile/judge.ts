import { randomInt } from 'node:crypto'
import { setImmediate as otherWork, setTimeout as sleep } from 'node:timers/promises'
import type { MeasuredAgent } from '../stalls/agent.ts'
import { type Ask, type Reply, send } from '../stalls/stall.ts'
import type { Turns } from '../stalls/turn-meter.ts'
import type { Case } from './cases.ts'

/** What one request cost. */
export interface Cost {
  readonly n: number
  /** Longest turn of the main thread, and all its turns, in milliseconds of processor time. */
  readonly longestMs: number
  readonly busyMs: number
  readonly rssBytes: number
  readonly status: number
  /** The first words of the answer's message. */
  readonly answer: string
}

/** What a case must keep to. */
export interface Goals {
  /** Longest turn at the bound, in milliseconds of processor time. */
  readonly mostMs: number
  /** Growth counts where a turn takes this long, in milliseconds. */
  readonly growthFromMs: number
  readonly mostRssBytes: number
  /** Repetitions, of which the best counts, before something is a fault. */
  readonly repetitions: number
}

export interface Verdict {
  readonly case: Case
  /** At n, 2n and 4n, or at the bound alone where that costs next to nothing. */
  readonly costs: readonly Cost[]
  readonly fault: string | undefined
}

/** Below this part of what growth counts from no smaller size is measured: what it grows to is the bound, which was measured. */
const CHEAP_PART = 0.5
/** Four times the input may cost six times as much: linear, and what caches and collections of garbage add. Quadratic is sixteen times. */
const MOST_GROWTH = 6
/** A busy machine answers late; what takes longer than this has stopped the server. */
const PATIENCE_MS = 60_000
/** Turns of the event loop in which a request goes out: one connects, one writes. */
const TURNS_TO_SEND = 3
/** Work that goes on right after the answer counts. */
const AFTER_MS = 1

/**
 * Judges a case by what it cost at its bound (measured now where it is not given), and where that is not cheap at half and a quarter of it. Throws when the server ends, or does not
 * answer.
 */
export async function judge(agent: MeasuredAgent, given: Case, goals: Goals, atBound?: Cost): Promise<Verdict> {
  const whole = atBound ?? (await costOf(agent, given, given.bound))
  if (fits(whole, goals)) {
    if (whole.longestMs < goals.growthFromMs * CHEAP_PART) return { case: given, costs: [whole], fault: undefined }
    const parts = await partsOf(agent, given, 1)
    const costs = [...parts, whole]
    if (faultOf(costs, goals) === undefined) return { case: given, costs, fault: undefined }
  }
  // Garbage may be collected in one of them, and a module loaded: what is true of the best of several is true of the input.
  const best = await bestOf(goals.repetitions, () => costOf(agent, given, given.bound))
  const costs = [...(await partsOf(agent, given, goals.repetitions)), best]
  return { case: given, costs, fault: faultOf(costs, goals) }
}

async function partsOf(agent: MeasuredAgent, given: Case, repetitions: number): Promise<Cost[]> {
  if (given.bound < 4) return []
  const quarter = await bestOf(repetitions, () => costOf(agent, given, Math.floor(given.bound / 4)))
  return [quarter, await bestOf(repetitions, () => costOf(agent, given, Math.floor(given.bound / 2)))]
}

function fits({ longestMs, rssBytes, status }: Cost, { mostMs, mostRssBytes }: Goals): boolean {
  return longestMs <= mostMs && rssBytes <= mostRssBytes && status < 500
}

function faultOf(costs: readonly Cost[], goals: Goals): string | undefined {
  const broken = costs.find(({ status }) => status >= 500)
  if (broken) return `answered ${broken.status}: ${broken.answer}`
  const long = costs.find(({ longestMs }) => longestMs > goals.mostMs)
  if (long) return `${Math.round(long.longestMs)} ms in one turn of the main thread`
  const large = costs.find(({ rssBytes }) => rssBytes > goals.mostRssBytes)
  if (large) return `${Math.round(large.rssBytes / 1_000_000)} MB of resident memory`
  const [quarter, , whole] = costs
  if (!quarter || !whole || whole.longestMs < goals.growthFromMs) return undefined
  const growth = whole.longestMs / Math.max(quarter.longestMs, 1)
  // Where a part was answered otherwise, the two did different work.
  if (growth <= MOST_GROWTH || quarter.status !== whole.status || quarter.answer !== whole.answer) return undefined
  return `grows by ${growth.toFixed(1)} for four times the input: ${costs.map(({ n, longestMs }) => `${longestMs.toFixed(1)} ms at ${n}`).join(', ')}`
}

async function bestOf(repetitions: number, measure: () => Promise<Cost>): Promise<Cost> {
  let best = await measure()
  for (let at = 1; at < repetitions; at++) {
    const next = await measure()
    const { rssBytes } = next.rssBytes < best.rssBytes ? next : best
    best = { ...(next.longestMs < best.longestMs ? next : best), rssBytes }
  }
  return best
}

/** Sends a case at one size and gives what it cost. */
export async function costOf(agent: MeasuredAgent, given: Case, n: number): Promise<Cost> {
  const [cost] = await costsOf(agent, [{ case: given, n }])
  if (!cost) throw new Error('a request has a cost')
  return cost
}

/** One case at one size. */
export interface Sized {
  readonly case: Case
  readonly n: number
}

/**
 * Sends cases one after the other, each on a connection of its own, and gives what each cost: the turns from its connection to the next one, so that what goes
 * on after the answer counts. The next request is made while the server is busy with the one before.
 */
export async function costsOf(agent: MeasuredAgent, cases: readonly Sized[]): Promise<Cost[]> {
  const asked = ({ case: given, n }: Sized) => ({ ...given.ask(n), localAddress: anyLoopback() })
  const answers: (Reply & { readonly from: string })[] = []
  const [first] = cases
  let next = first && asked(first)
  agent.begin()
  for (let at = 1; next; at++) {
    const { localAddress: from } = next
    const answered = answerOf(agent, next)
    for (let turn = 0; turn < TURNS_TO_SEND; turn++) await otherWork()
    const following = cases[at]
    next = following && asked(following)
    answers.push({ ...(await answered), from })
  }
  await sleep(AFTER_MS)
  const { connections, rssBytes } = await agent.end()
  return cases.flatMap(({ n }, at) => {
    const { [at]: answer } = answers
    // What Node does not send costs nothing.
    const turns = connections.find(({ from }) => from === answer?.from) ?? { longestMs: 0, busyMs: 0, rssBytes }
    return answer ? [costFrom(n, turns, answer)] : []
  })
}

async function answerOf({ port }: MeasuredAgent, ask: Ask): Promise<Reply> {
  // A body that is refused unread may end the connection before the answer is there.
  const answered = send(port, ask).catch(() => ({ status: 0, body: '' }))
  const patience = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${PATIENCE_MS / 1000} s`)
  })
  try {
    return await Promise.race([answered, late])
  } finally {
    late.catch(() => undefined)
    patience.abort()
  }
}

function costFrom(n: number, { longestMs, busyMs, rssBytes }: Turns, { status, body }: Reply): Cost {
  const code = /"code":"([A-Z_]+)"/.exec(body)?.[1]
  // Server faults of a tool are answers of HTTP 200.
  const isFault = code === 'SERVICE_UNAVAILABLE' && !/"retry_after"/.test(body)
  const message = /"message":"((?:[^"\\]|\\.){0,80})/.exec(body)?.[1] ?? ''
  return {
    ...{ n, longestMs, busyMs, rssBytes },
    status: isFault ? 599 : status,
    answer: code === undefined ? '' : `${code} ${message}`,
  }
}

/** An address of this machine, another each time, so that no limit of an address is used up (RFC 1122, 3.2.1.3). */
function anyLoopback(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}
