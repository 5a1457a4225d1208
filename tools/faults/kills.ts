import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Buyer, buyerAt } from './buyer.ts'
import { type Diagnosis, diagnose } from './diagnosis.ts'
import type { Fleet } from './fleet.ts'
import { revive, strike, type Victim } from './victims.ts'

export interface KillReport {
  /** Rounds that were played to their end. */
  readonly rounds: number
  readonly killed: Readonly<Record<string, number>>
  /** Calls of the bursts by what they came to. */
  readonly acknowledged: number
  readonly unanswered: number
  readonly refused: Readonly<Record<string, number>>
  /** Keys by the calls that it took until an unanswered or refused one stood. */
  readonly retries: Readonly<Record<string, number>>
  /** Keys by how often they were told that their first call is still running. Nobody should be told so twice. */
  readonly inFlight: Readonly<Record<string, number>>
  /** Longest time from the end of a burst until every key was settled, starts of what was killed among it. */
  readonly slowestSettledMs: number
  /** Starts that had to be tried again: the machine was busy, not the program wrong. */
  readonly slowStarts: number
  /** What the doctor looked at in the last round. */
  readonly doctor: Pick<Diagnosis, 'tables' | 'rules' | 'answers'>
  readonly problems: readonly string[]
  readonly mediaBuys: number
  readonly seconds: number
}

const CALLS = 120
const IN_FLIGHT = 24
const MAX_RETRIES = 60
const RETRY_PAUSE_MS = 250
const VICTIMS: readonly Victim[] = [0, 1, 'database']

/**
 * Kills, in turns, one process, the other, and the database in the middle of a burst; then starts what was killed, retries what was not
 * acknowledged with the same keys, and holds the store against what the buyer was told and against its rules. What ends the run early is a
 * problem of the report, which is given in any case.
 */
export async function kill(fleet: Fleet, token: string, rounds: number, onRound: (line: string) => void): Promise<KillReport> {
  const started = performance.now()
  const before = await diagnose(fleet)
  const tally = new Tally()
  let doctor = before
  let played = 0
  try {
    for (; played < rounds; played++) {
      const victim = VICTIMS[played % VICTIMS.length] ?? 'database'
      tally.begin(played, victim)
      await play(fleet, token, victim, tally)
      doctor = await diagnose(fleet)
      for (const problem of doctor.problems) tally.problem(problem)
      const kept = doctor.answers - before.answers
      if (kept !== tally.known.size)
        tally.problem(`${kept} media buys are acknowledged in the store, ${tally.known.size} to the buyer`)
      onRound(
        `round ${played + 1} of ${rounds}: ${nameOf(victim)} killed, ${tally.known.size} media buys, ${tally.problems.length} problems, ${((performance.now() - started) / 1000).toFixed(0)} s`,
      )
    }
  } catch (error) {
    tally.problem(`the run ended here: ${error instanceof Error ? error.message : String(error)}`)
  }
  const { tables, rules, answers } = doctor
  const seconds = (performance.now() - started) / 1000
  return { rounds: played, ...tally.report(), doctor: { tables, rules, answers }, mediaBuys: tally.known.size, seconds }
}

const nameOf = (victim: Victim) => (victim === 'database' ? victim : `process ${victim}`)

/** Counts what the rounds come to. */
class Tally {
  readonly known = new Map<string, string>()
  readonly problems: string[] = []
  readonly #counts = { acknowledged: 0, unanswered: 0, slowestSettledMs: 0, slowStarts: 0 }
  readonly #by = { killed: new Map<string, number>(), refused: new Map<string, number>(), retries: new Map<string, number>() }
  readonly #inFlight = new Map<string, number>()
  #round = 0

  begin(round: number, victim: Victim): void {
    this.#round = round + 1
    addOne(this.#by.killed, nameOf(victim))
  }

  problem(text: string): void {
    this.problems.push(`round ${this.#round}: ${text}`)
  }

  burst(answer: Answer): void {
    if (answer.kind === 'bought') this.#counts.acknowledged += 1
    else if (answer.kind === 'refused') addOne(this.#by.refused, answer.code)
    else this.#counts.unanswered += 1
  }

  settled(key: string, first: Answer, { mediaBuyId, calls, inFlight }: Settled): void {
    if (first.kind === 'bought' && first.mediaBuyId !== mediaBuyId) this.problem(`${key} was acknowledged otherwise`)
    if (first.kind !== 'bought') addOne(this.#by.retries, String(calls))
    addOne(this.#inFlight, String(inFlight))
    if (inFlight > 1) this.problem(`${key} was told ${inFlight} times that its first call is still running`)
    if (mediaBuyId === undefined) this.problem(`${key} did not settle`)
    else this.known.set(key, mediaBuyId)
  }

  revived(attempts: number): void {
    this.#counts.slowStarts += attempts - 1
  }

  ended(settledMs: number): void {
    this.#counts.slowestSettledMs = Math.max(this.#counts.slowestSettledMs, settledMs)
    if (new Set(this.known.values()).size !== this.known.size) this.problem('two keys name one media buy')
  }

  report() {
    const { killed, refused, retries } = this.#by
    return {
      ...this.#counts,
      killed: Object.fromEntries(killed),
      refused: Object.fromEntries(refused),
      retries: Object.fromEntries(retries),
      inFlight: Object.fromEntries(this.#inFlight),
      problems: this.problems,
    }
  }
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** One round: a burst with its kill, the start of what was killed, and every key settled. */
async function play(fleet: Fleet, token: string, victim: Victim, tally: Tally): Promise<void> {
  const keys = Array.from({ length: CALLS }, () => randomUUID())
  const first = await burst(fleet, token, keys, 5 + Math.floor(Math.random() * (CALLS / 2)), victim)
  const settling = performance.now()
  tally.revived(await revive(fleet, victim))
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, IN_FLIGHT)
  await Promise.all(
    [...first].map(async ([key, answer]) => {
      tally.burst(answer)
      tally.settled(key, answer, await settle(buyer, key))
    }),
  )
  buyer.close()
  tally.ended(performance.now() - settling)
}

/** Buys with every key and kills the victim after `count` answers. */
async function burst(
  fleet: Fleet,
  token: string,
  keys: readonly string[],
  count: number,
  victim: Victim,
): Promise<ReadonlyMap<string, Answer>> {
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, IN_FLIGHT)
  const answers = new Map<string, Answer>()
  const waiting = [...keys]
  let death: Promise<void> | undefined
  const worker = async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      answers.set(key, await buyer.buy(key))
      if (answers.size >= count) death ??= strike(fleet, victim)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  await death
  buyer.close()
  return answers
}

interface Settled {
  readonly mediaBuyId?: string
  /** Calls that it took. */
  readonly calls: number
  /** How many of them were told that the first call is still running. */
  readonly inFlight: number
}

/** Sends a key's call again until it stands. */
export async function settle(buyer: Pick<Buyer, 'buy'>, key: string): Promise<Settled> {
  let inFlight = 0
  for (let calls = 1; calls <= MAX_RETRIES; calls++) {
    const answer = await buyer.buy(key)
    if (answer.kind === 'bought') return { mediaBuyId: answer.mediaBuyId, calls, inFlight }
    if (answer.kind === 'refused' && answer.code === 'IDEMPOTENCY_IN_FLIGHT') inFlight += 1
    await sleep(RETRY_PAUSE_MS)
  }
  return { calls: MAX_RETRIES, inFlight }
}
