import { Command, InvalidArgumentError } from 'commander'
import { erasePersonalData } from '../operator/privacy/erase-personal-data.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly identifierHash?: string
  readonly audience?: string
  readonly principal?: string
  readonly before?: Date
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `sales-agent privacy erase`: what people may ask for. */
export function privacyCommand(): Command {
  const privacy = new Command('privacy')
  withStoreOptions(privacy.command('erase').description('erase a person, an audience, or all that is older than a day'))
    .option('--tenant <id>')
    .option(
      '--identifier-hash <hash>',
      'the identifier as buyers send it: SHA-256 of a mail address or phone number, or a universal id',
    )
    .option('--audience <id>', 'an audience with everybody in it')
    .option('--principal <id>', 'with --audience: only that of this agent')
    .option('--before <date>', 'members last sent and events received before this time', dateOf)
    .option('--dry-run', 'only tell what would be erased')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const { identifierHash: identifier, audience: audienceId, principal: principalId, before } = options
        const dryRun = options.dryRun === true
        const erased = await erasePersonalData(operator, { tenantId, identifier, audienceId, principalId, before, dryRun })
        const { audiences, members, events } = erased
        const text = `${dryRun ? 'would erase' : 'erased'} ${audiences} audience(s), ${members} member(s), ${events} event(s) of ${tenantId}`
        print(options.json, { tenant: tenantId, dry_run: dryRun, ...erased }, [text])
      }),
    )
  return privacy
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('is no date, e.g. 2026-01-31')
  return date
}
