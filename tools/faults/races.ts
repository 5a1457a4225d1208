import { randomUUID } from 'node:crypto'
import { type Answer, buyerAt } from './buyer.ts'
import type { Fleet } from './fleet.ts'

export interface RaceReport {
  readonly keys: number
  readonly connections: number
  /** Calls by what they came to. */
  readonly executed: number
  readonly replayed: number
  readonly refused: Readonly<Record<string, number>>
  readonly lost: number
  /** Keys that were executed more than once, or whose callers were told of different media buys. */
  readonly broken: readonly string[]
  readonly seconds: number
}

/** Races every key from all connections over all processes at once. */
export async function race(
  fleet: Fleet,
  token: string,
  keys: number,
  connections: number,
  say: (line: string) => void = () => {},
): Promise<RaceReport> {
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, connections)
  const started = performance.now()
  const counts = { executed: 0, replayed: 0, lost: 0 }
  const refused: Record<string, number> = {}
  const broken: string[] = []
  for (let n = 0; n < keys; n++) {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: connections }, () => buyer.buy(key)))
    const bought = answers.filter((answer): answer is Extract<Answer, { kind: 'bought' }> => answer.kind === 'bought')
    const executed = bought.filter(({ replayed }) => !replayed).length
    counts.executed += executed
    counts.replayed += bought.length - executed
    for (const answer of answers) {
      if (answer.kind === 'lost') counts.lost += 1
      if (answer.kind === 'refused') refused[answer.code] = (refused[answer.code] ?? 0) + 1
    }
    if (executed !== 1 || new Set(bought.map(({ mediaBuyId }) => mediaBuyId)).size !== 1) broken.push(key)
    if ((n + 1) % 100 === 0) say(`${n + 1} of ${keys} keys raced, ${broken.length} broken`)
  }
  buyer.close()
  return { keys, connections, ...counts, refused, broken, seconds: (performance.now() - started) / 1000 }
}
