import { AdcpError } from '../../protocol/errors.ts'
import { type ErasureOrder, erase } from '../../store/privacy/personal-data.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Kinds that an identifier may be stored as (AdCP enums/uid-type, core/audience-member, core/user-match); a person who asks for erasure need not know which. */
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

/** What to erase: one person, an audience with everybody in it, all that is older than a time, or several of these. */
export interface Erasure {
  readonly tenantId: string
  /** The identifier as buyers send it: SHA-256 of a mail address or phone number, or a universal id. */
  readonly identifier?: string | undefined
  readonly audienceId?: string | undefined
  /** With `audienceId`: only that of this agent. */
  readonly principalId?: string | undefined
  /** Members last sent and events received before this time. */
  readonly before?: Date | undefined
  /** Only count. */
  readonly dryRun: boolean
}

/** Erases personal data. Gives how many audiences, members and events. Throws INVALID_REQUEST when nothing is named. */
export async function erasePersonalData(context: OperatorContext, erasure: Erasure) {
  const order = await orderOf(context, erasure)
  return erase(auditedStore(context, { task: 'privacy.erase', tenant: erasure.tenantId }), order, erasure.dryRun)
}

async function orderOf(context: OperatorContext, erasure: Erasure): Promise<ErasureOrder> {
  const { tenantId, identifier, audienceId, principalId, before } = erasure
  if (identifier === undefined && audienceId === undefined && before === undefined) {
    const message = 'say what to erase: --identifier-hash, --audience or --before'
    throw new AdcpError('INVALID_REQUEST', message, { field: 'identifier-hash' })
  }
  return {
    tenantId,
    ...(identifier !== undefined && { pseudonyms: await pseudonymsOf(context, tenantId, identifier) }),
    ...(audienceId !== undefined && { audience: { audienceId, principalId } }),
    ...(before && { before }),
  }
}

async function pseudonymsOf({ services }: OperatorContext, tenantId: string, value: string): Promise<string[]> {
  const pseudonyms = await services.pseudonyms()
  // Hashes are hexadecimal in lower case; other identifiers are taken as they are.
  const identifier = /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value
  return KINDS.map((kind) => pseudonyms.of(tenantId, kind, identifier))
}
