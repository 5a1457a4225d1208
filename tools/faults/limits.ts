import { callText, post, type RawHeaders } from '../../test/support/credentials.ts'
import type { Fleet } from './fleet.ts'

export interface LimitReport {
  /** Calls without credentials, and reads under one key, sent over all processes at once. */
  readonly rows: readonly { readonly what: string; readonly limit: number; readonly sent: number; readonly passed: number }[]
  readonly problems: readonly string[]
  readonly seconds: number
}

/** What the fleet is started with. */
export const LIMITS = { anonymous: 40, reads: 1_000 } as const
/** A minute, as the configuration has it unless it is told otherwise. On a busy machine the calls may take longer, and then pass again. */
const WINDOW_SECONDS = 60
/** Sockets at once; the rest waits. */
const AT_ONCE = 64

/**
 * Sends half as much again as a limit allows, over all processes: what passes is never more than the limit, and hardly less (a process may hold a
 * hundredth of a large limit that it did not use).
 */
export async function holdLimits(fleet: Fleet, token: string): Promise<LimitReport> {
  const started = performance.now()
  const json = ['Content-Type', 'application/json']
  const cases = [
    { what: 'without credentials', limit: LIMITS.anonymous, headers: [...json, 'X-Forwarded-For', '203.0.113.5'], held: 0 },
    {
      what: 'reads under one key',
      limit: LIMITS.reads,
      headers: [...json, 'Authorization', `Bearer ${token}`],
      held: fleet.origins.length / 100,
    },
  ]
  const rows: LimitReport['rows'][number][] = []
  const problems: string[] = []
  for (const { what, limit, headers, held } of cases) {
    const sent = limit * 1.5
    const from = performance.now()
    const passed = await send(`${fleet.proxy.origin}/mcp`, headers, sent)
    const windows = 1 + Math.floor((performance.now() - from) / 1000 / WINDOW_SECONDS)
    rows.push({ what, limit, sent, passed })
    if (passed > limit * windows) problems.push(`${what}: ${passed} passed where ${limit * windows} may`)
    if (passed < limit * (1 - held)) problems.push(`${what}: only ${passed} passed where ${limit} may`)
  }
  return { rows, problems, seconds: (performance.now() - started) / 1000 }
}

/** Gives how many were answered with 200. */
async function send(url: string, headers: RawHeaders, count: number): Promise<number> {
  const body = callText('get_adcp_capabilities')
  let passed = 0
  let left = count
  const worker = async () => {
    while (left-- > 0) if ((await post(url, body, headers)).status === 200) passed += 1
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return passed
}
