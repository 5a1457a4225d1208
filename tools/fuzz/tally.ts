import type { Verdict } from './judge-call.ts'
import type { Stall } from './liveness.ts'

/** One call that took long. */
export interface SlowCall {
  readonly task: string
  readonly ms: number
  readonly example: string
}

export interface EngineReport {
  readonly engine: string
  readonly calls: number
  readonly seconds: number
  /** Accepted calls of each tool, whose answers the official schema allows. */
  readonly accepted: Readonly<Record<string, number>>
  /** Refused calls by error code. */
  readonly refused: Readonly<Record<string, number>>
  readonly faults: readonly { readonly fault: string; readonly count: number; readonly example: string }[]
  /** The calls that took longest, one of each tool; other calls and other programs wait in it too. */
  readonly slowest: readonly SlowCall[]
  readonly stall: Stall
}

const EXAMPLE_LENGTH = 1500
const SLOWEST_SHOWN = 5

/** Counts what came of the calls. Faults of one kind, which differ in ids only, count as one with an example. */
export class Tally {
  readonly #accepted: Map<string, number>
  readonly #refused = new Map<string, number>()
  readonly #faults = new Map<string, { count: number; example: string }>()
  readonly #slowest = new Map<string, SlowCall>()
  readonly #onFault: (fault: string, example: string) => void
  calls = 0

  /** @param onFault hears of the first fault of each kind at once */
  constructor(tools: readonly string[], onFault: (fault: string, example: string) => void) {
    this.#accepted = new Map(tools.map((name) => [name, 0]))
    this.#onFault = onFault
  }

  /** @param task undefined for a message that calls no tool */
  count(task: string | undefined, verdict: Verdict, body: string, ms: number): void {
    this.calls += 1
    const name = task ?? 'message'
    if (ms > (this.#slowest.get(name)?.ms ?? 0)) this.#slowest.set(name, { task: name, ms, example: body.slice(0, 300) })
    if ('fault' in verdict) this.fault(`${name}: ${verdict.fault.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')}`, body)
    else if (verdict.outcome === 'refused') this.#refused.set(verdict.code, (this.#refused.get(verdict.code) ?? 0) + 1)
    else if (task !== undefined) this.#accepted.set(task, (this.#accepted.get(task) ?? 0) + 1)
  }

  fault(fault: string, example: string): void {
    const known = this.#faults.get(fault)
    if (known) known.count += 1
    else {
      this.#faults.set(fault, { count: 1, example: example.slice(0, EXAMPLE_LENGTH) })
      this.#onFault(fault, example.slice(0, EXAMPLE_LENGTH))
    }
  }

  report(engine: string, seconds: number, stall: Stall): EngineReport {
    const byMs = [...this.#slowest.values()].sort((a, b) => b.ms - a.ms)
    return {
      engine,
      calls: this.calls,
      seconds: Math.round(seconds),
      accepted: Object.fromEntries(this.#accepted),
      refused: Object.fromEntries([...this.#refused].sort(([, a], [, b]) => b - a)),
      faults: [...this.#faults].map(([fault, { count, example }]) => ({ fault, count, example })),
      slowest: byMs.slice(0, SLOWEST_SHOWN).map((call) => ({ ...call, ms: Math.round(call.ms) })),
      stall,
    }
  }
}

/** Tools of which no call was accepted: of their answers nothing is known. */
export function neverAccepted({ accepted }: Pick<EngineReport, 'accepted'>): string[] {
  return Object.entries(accepted).flatMap(([name, count]) => (count === 0 ? [name] : []))
}

/** Whether a run shows what it is for: calls were made, of every tool some were accepted, and nothing was at fault. */
export function isClean(report: EngineReport): boolean {
  return report.calls > 0 && report.faults.length === 0 && neverAccepted(report).length === 0
}
