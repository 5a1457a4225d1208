import { performance } from 'node:perf_hooks'
import { broken, type Check } from './check.ts'
import type { Caller } from './seller-caller.ts'

const CALLS = 40
const AT_ONCE = 4

/** How the seller took some calls at once, in milliseconds. */
export interface Pace {
  readonly calls: number
  readonly at_once: number
  readonly median_ms: number
  readonly slowest_ms: number
  readonly seconds: number
}

/** A small load: it shows whether answers of callers are mixed up or lost, and how long they take. No promise is made about times. */
export function loadCheck(brief: string, paced: (pace: Pace) => void): Check<undefined> {
  return {
    id: 'small-load',
    group: 'load',
    title: `${CALLS} questions, ${AT_ONCE} at once, are each answered with their own context`,
    async run(call) {
      const startedAt = performance.now()
      const times: number[] = []
      let next = 0
      const faults: string[] = []
      const ask = async () => {
        while (next < CALLS && faults.length === 0) {
          const note = `question ${next++}`
          const fault = await askOnce(call, brief, note, times)
          if (fault !== undefined) faults.push(fault)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, ask))
      times.sort((a, b) => a - b)
      paced({
        calls: times.length,
        at_once: AT_ONCE,
        median_ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
        slowest_ms: Math.round(times.at(-1) ?? 0),
        seconds: Math.round((performance.now() - startedAt) / 1000),
      })
      return faults[0] === undefined ? undefined : broken(faults[0])
    },
  }
}

async function askOnce(call: Caller, brief: string, note: string, times: number[]): Promise<string | undefined> {
  const answer = await call('get_products', { buying_mode: 'brief', brief, context: { note } })
  times.push(answer.ms)
  // A limit that says so is no fault.
  if (answer.refusal) return answer.refusal.code === 'RATE_LIMITED' ? undefined : `refused: ${answer.refusal.code}`
  const { context } = answer.payload
  const own = typeof context === 'object' && context !== null ? Reflect.get(context, 'note') : undefined
  return own === note ? undefined : `"${note}" is answered with the context ${JSON.stringify(context) ?? 'nothing'}`
}
