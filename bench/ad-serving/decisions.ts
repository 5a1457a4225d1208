import { Engine } from '../../src/ad-serving/embedded/engine.ts'
import { indexed } from '../../src/ad-serving/embedded/snapshot.ts'
import { createAdTokens } from '../../src/ad-serving/embedded/tokens.ts'
import { activeLines, PLACES, visitorOf } from './lines.ts'

export interface DecisionFigures {
  readonly lines: number
  /** By processor time, so that what else the machine does counts for nothing. */
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytesALine: number
  /** Of the decisions, how many found an ad. */
  readonly filled: number
}

/** Places that ten lines serve too. */
const ASKED = 10

/** Decisions of one core from memory: lines chosen, tokens signed, pending decisions counted; one place each. */
export function measureDecisions(lines: number, decisions: number): DecisionFigures {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const start = Date.parse('2026-03-02T00:00:00Z')
  const engine = new Engine(indexed(1, activeLines(lines, start)), Math.random)
  globalThis.gc?.()
  const bytesALine = Math.round((process.memoryUsage().heapUsed - before) / lines)
  const tokens = createAdTokens('bench')
  const times = new Float64Array(decisions)
  const cpu = process.cpuUsage()
  let filled = 0
  // The clock runs on by what 5,000 decisions a second take, so that plans grow old as they do at that load.
  for (let index = 0; index < decisions; index += 1) {
    const now = start + 86_400_000 + index / 5
    const place = PLACES[index % ASKED] ?? ''
    const began = performance.now()
    const [choice] = engine.choose(
      [{ place, kind: 'display', sizes: [{ width: 300, height: 250 }] }],
      visitorOf(index),
      undefined,
      now,
    )
    if (choice) {
      filled += 1
      const { lineId, terms } = choice.ready.line
      engine.taken(choice, String(index), now)
      const { creativeId } = choice.creative
      tokens.sign({
        decisionId: String(index),
        tenantId: 'bench',
        lineId,
        creativeId,
        place,
        rateMicros: terms.rateMicros,
        isBot: false,
        at: now,
      })
    }
    times[index] = performance.now() - began
  }
  const { user, system } = process.cpuUsage(cpu)
  const sorted = times.toSorted()
  const at = (share: number) => sorted[Math.floor(share * (decisions - 1))] ?? 0
  return {
    lines,
    perSecond: Math.round((decisions / (user + system)) * 1e6),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bytesALine,
    filled: filled / decisions,
  }
}
