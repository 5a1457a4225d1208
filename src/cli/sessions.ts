import { Command } from 'commander'
import { eraseSessions } from '../operator/privacy/erase-sessions.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly session?: string
  readonly before?: string
  readonly json?: boolean
}

/** `sales-agent sessions erase`: forgets who took part in sponsored conversations and what was said, also while they run. */
export function sessionsCommand(): Command {
  const sessions = new Command('sessions')
  withStoreOptions(
    sessions
      .command('erase')
      .description('erase identity and words of one session, or of all that were last active before a time'),
  )
    .option('--tenant <id>')
    .option('--session <id>', 'one session')
    .option('--before <time>', 'ISO 8601')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const erased = await eraseSessions(operator, { tenantId, sessionId: options.session, before: options.before })
        print(options.json, { tenant: tenantId, erased }, [`erased what ${erased} sessions held`])
      }),
    )
  return sessions
}
