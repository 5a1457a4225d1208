import type { ConsoleRoute } from '../../src/console/route.ts'
import { routeTable } from '../../src/console/route-table.ts'
import { processFailureMemory } from '../../src/domain/identity/failure-memory.ts'
import { watchCalls } from '../../src/pipeline/record-calls.ts'
import { createGuessGuard } from '../../src/security/auth/guess-guard.ts'

const unanswered = () => Promise.reject(new Error('no route is answered here'))

/** Every page and act of the console, with `elsewhere` also those of an identity provider. The table does not depend on what it works with. */
export function consoleRouteTable({ elsewhere = false } = {}): readonly ConsoleRoute[] {
  const signInProvider = { name: 'id.example', redirectUri: 'https://ads.example/console/callback', provider: unanswered }
  return routeTable({
    ...(elsewhere && { signInProvider }),
    guard: createGuessGuard(processFailureMemory()),
    refusedSignIn: () => undefined,
    dataVersion: () => 0,
    watchedCalls: watchCalls(() => new Date()),
    askAs: unanswered,
  })
}
