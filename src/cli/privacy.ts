import { Command, InvalidArgumentError } from 'commander'
import { type Config, givenSecret } from '../config/config.ts'
import { AdcpError } from '../protocol/errors.ts'
import { deploymentSecret, secretPath } from '../security/secrets/deployment-secret.ts'
import { createPseudonyms } from '../security/secrets/pseudonyms.ts'
import { type ErasureOrder, erase } from '../store/privacy/personal-data.ts'
import { asOperator } from './as-operator.ts'
import { print } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly identifierHash?: string
  readonly audience?: string
  readonly principal?: string
  readonly before?: Date
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Kinds that an identifier may be kept as (AdCP enums/uid-type, core/audience-member, core/user-match); whoever asks for erasure need not know which. */
const KINDS = [
  'hashed_email',
  'hashed_phone',
  'click_id',
  'rampid',
  'rampid_derived',
  'id5',
  'uid2',
  'euid',
  'pairid',
  'maid',
  'publisher_first_party',
  'other',
] as const

/** `sales-agent privacy erase`: what people may ask for. */
export function privacyCommand(): Command {
  const privacy = new Command('privacy').description('personal data: identifiers of audiences and events of people')
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
      withStore(options, async (store, config) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const dryRun = options.dryRun === true
        const erased = await erase(
          asOperator(store, { task: 'privacy.erase', tenant: tenantId }),
          orderOf(options, tenantId, config),
          dryRun,
        )
        const { audiences, members, events } = erased
        const text = `${dryRun ? 'would erase' : 'erased'} ${audiences} audience(s), ${members} member(s), ${events} event(s) of ${tenantId}`
        print(options.json, { tenant: tenantId, dry_run: dryRun, ...erased }, [text])
      }),
    )
  return privacy
}

function orderOf({ identifierHash, audience, principal, before }: Options, tenantId: string, config: Config): ErasureOrder {
  if (identifierHash === undefined && audience === undefined && before === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'say what to erase: --identifier-hash, --audience or --before', {
      field: 'identifier-hash',
    })
  }
  return {
    tenantId,
    ...(identifierHash !== undefined && { pseudonyms: pseudonymsOf(identifierHash, tenantId, config) }),
    ...(audience !== undefined && { audience: { audienceId: audience, principalId: principal } }),
    ...(before && { before }),
  }
}

function pseudonymsOf(value: string, tenantId: string, config: Config): string[] {
  const secret = deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret())
  const pseudonyms = createPseudonyms(secret)
  // Hashes are hexadecimal in lower case; other identifiers are taken as they are.
  const identifier = /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value
  return KINDS.map((kind) => pseudonyms.of(tenantId, kind, identifier))
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('is no date, e.g. 2026-01-31')
  return date
}
