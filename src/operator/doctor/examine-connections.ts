import { type Finding, ok, problem } from '../../features/doctor/finding.ts'
import type { OperatorContext } from '../operator-context.ts'

const CHECK = 'own system'

/** Loads every system of the publisher's own that the configuration names. Never throws for what it finds. */
export async function examineConnections({ services }: OperatorContext): Promise<readonly Finding[]> {
  try {
    return (await services.connections()).map(({ setting, name }) => ok(CHECK, `${setting}: ${name}`))
  } catch (error) {
    const advice = 'correct the setting or the module (docs/own-systems.md); the server does not start without it'
    return [problem(CHECK, error instanceof Error ? error.message : String(error), advice)]
  }
}
