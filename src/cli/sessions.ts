import { Command } from 'commander'
import { AdcpError } from '../protocol/errors.ts'
import { eraseSessions } from '../store/si/si-sessions.ts'
import { asOperator } from './as-operator.ts'
import { print } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly session?: string
  readonly before?: string
  readonly json?: boolean
}

/** `sales-agent sessions erase`: forgets who took part in sponsored conversations and what was said, also while they run. */
export function sessionsCommand(): Command {
  const sessions = new Command('sessions').description('sponsored conversations')
  withStoreOptions(
    sessions
      .command('erase')
      .description('erase identity and words of one session, or of all that were last active before a time'),
  )
    .option('--tenant <id>')
    .option('--session <id>')
    .option('--before <time>', 'ISO 8601')
    .option('--json')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const which = whichOf(options)
        const tenantId = await chooseTenant(store, options.tenant)
        const erased = await asOperator(store, { task: 'sessions.erase', tenant: tenantId }).transaction((tx) =>
          eraseSessions(tx, tenantId, which),
        )
        print(options.json, { tenant: tenantId, erased }, [`erased what ${erased} sessions held`])
      }),
    )
  return sessions
}

function whichOf({ session, before }: Options): Parameters<typeof eraseSessions>[2] {
  if (session !== undefined && before === undefined) return { sessionId: session }
  const at = new Date(before ?? '')
  if (session === undefined && !Number.isNaN(at.getTime())) return { before: at }
  throw new AdcpError('INVALID_REQUEST', 'give either --session or --before with an ISO 8601 time', { field: 'session' })
}
