import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, buyerAt } from './buyer.ts'
import type { Fleet } from './fleet.ts'

export interface KillReport {
  readonly rounds: number
  readonly killed: Readonly<Record<string, number>>
  /** Calls of the bursts by what they came to. */
  readonly acknowledged: number
  readonly unanswered: number
  readonly refused: Readonly<Record<string, number>>
  /** Keys by the retries that their unanswered or refused call needed. */
  readonly retries: Readonly<Record<string, number>>
  /** Longest time from the end of a burst until every key was settled. */
  readonly slowestSettledMs: number
  readonly problems: readonly string[]
  readonly mediaBuys: number
  readonly seconds: number
}

const CALLS = 120
const IN_FLIGHT = 24
const MAX_RETRIES = 60
const RETRY_PAUSE_MS = 250

/**
 * Kills, in turns, one process, the other, and the database in the middle of a burst; then starts what was killed, retries what was not
 * acknowledged with the same keys, and holds the store against what the buyer was told and against its rules.
 */
export async function kill(fleet: Fleet, token: string, rounds: number, onRound: (line: string) => void): Promise<KillReport> {
  const started = performance.now()
  const { answers: before } = await fleet.command('doctor', '--store')
  const known = new Map<string, string>()
  const killed: Record<string, number> = {}
  const refused: Record<string, number> = {}
  const retries: Record<string, number> = {}
  const problems: string[] = []
  let acknowledged = 0
  let unanswered = 0
  let slowestSettledMs = 0
  for (let round = 0; round < rounds; round++) {
    const victim = (['process 0', 'process 1', 'database'] as const)[round % 3] ?? 'database'
    killed[victim] = (killed[victim] ?? 0) + 1
    const keys = Array.from({ length: CALLS }, () => randomUUID())
    const first = await burst(fleet, token, keys, 5 + Math.floor(Math.random() * (CALLS / 2)), victim)
    const settling = performance.now()
    await revive(fleet, victim)
    const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, IN_FLIGHT)
    await Promise.all(
      [...first].map(async ([key, answer]) => {
        if (answer.kind === 'bought') acknowledged += 1
        else if (answer.kind === 'lost') unanswered += 1
        else refused[answer.code] = (refused[answer.code] ?? 0) + 1
        const { mediaBuyId, needed } = await settle(buyer, key)
        if (answer.kind === 'bought' && answer.mediaBuyId !== mediaBuyId)
          problems.push(`round ${round}: ${key} was acknowledged otherwise`)
        if (answer.kind !== 'bought') retries[needed] = (retries[needed] ?? 0) + 1
        if (mediaBuyId === undefined) problems.push(`round ${round}: ${key} did not settle`)
        else known.set(key, mediaBuyId)
      }),
    )
    buyer.close()
    slowestSettledMs = Math.max(slowestSettledMs, performance.now() - settling)
    if (new Set(known.values()).size !== known.size) problems.push(`round ${round}: two keys name one media buy`)
    const { problems: broken, answers } = await fleet
      .command('doctor', '--store')
      .catch((error: { stdout?: string }) => JSON.parse(error.stdout ?? '{}'))
    for (const problem of broken ?? [{ rule: 'doctor failed' }]) problems.push(`round ${round}: ${JSON.stringify(problem)}`)
    if (answers - before !== known.size)
      problems.push(`round ${round}: ${answers - before} media buys are acknowledged in the store, ${known.size} to the buyer`)
    onRound(`round ${round + 1}: ${victim} killed, ${known.size} media buys, ${problems.length} problems`)
  }
  const seconds = (performance.now() - started) / 1000
  return {
    rounds,
    killed,
    acknowledged,
    unanswered,
    refused,
    retries,
    slowestSettledMs,
    problems,
    mediaBuys: known.size,
    seconds,
  }
}

/** Buys with every key and kills the victim after `count` answers. */
async function burst(
  fleet: Fleet,
  token: string,
  keys: readonly string[],
  count: number,
  victim: string,
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

function strike(fleet: Fleet, victim: string): Promise<void> {
  return victim === 'database' ? fleet.postgres.crash() : fleet.end(Number(victim.at(-1)), 'SIGKILL')
}

async function revive(fleet: Fleet, victim: string): Promise<void> {
  if (victim === 'database') await fleet.postgres.start()
  else await fleet.start(Number(victim.at(-1)))
}

/** Sends a key's call again until it stands. */
async function settle(buyer: ReturnType<typeof buyerAt>, key: string): Promise<{ mediaBuyId?: string; needed: number }> {
  for (let needed = 1; needed <= MAX_RETRIES; needed++) {
    const answer = await buyer.buy(key)
    if (answer.kind === 'bought') return { mediaBuyId: answer.mediaBuyId, needed }
    await sleep(RETRY_PAUSE_MS)
  }
  return { needed: MAX_RETRIES }
}
