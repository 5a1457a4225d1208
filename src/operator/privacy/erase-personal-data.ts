import { AdcpError } from '../../protocol/errors.ts'
import { erase } from '../../store/privacy/personal-data.ts'
import { defineAct } from '../act.ts'
import { flag, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { integer, named, object } from '../shape.ts'

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

/**
 * Erases personal data: one person, an audience with everybody in it, all that is older than a time, or several of these; a dry run only counts, and is in no
 * log. Throws INVALID_REQUEST when nothing is named.
 */
export const erasePersonalData = defineAct({
  name: 'privacy.erase',
  route: 'POST /privacy/erase',
  id: 'erasePersonalData',
  roles: ADMINISTRATORS,
  summary: 'Erases a person, an audience, or all that is older than a time.',
  fields: {
    identifier_hash: text('the identifier as buyers send it: SHA-256 of a mail address or phone number, or a universal id'),
    audience: text('an audience with everybody in it'),
    buyer: text('with audience: only that of this buyer'),
    before: text('members last sent and events received before this time, ISO 8601'),
    dry_run: flag('only count'),
  },
  answer: named('Erased', object({ audiences: integer, members: integer, events: integer })),
  command: {
    text: ({ audiences, members, events }, { dry_run: isTrial }) => [
      `${isTrial ? 'would erase' : 'erased'} ${audiences} audience(s), ${members} member(s), ${events} event(s)`,
    ],
    json: (erased, { dry_run: isTrial = false }, tenant) => ({ tenant, dry_run: isTrial, ...erased }),
  },
  async run(context, { identifier_hash: identifier, audience: audienceId, buyer, before, dry_run: isTrial = false }) {
    const { store, tenantId } = context
    if (identifier === undefined && audienceId === undefined && before === undefined) {
      const message = 'say what to erase: identifier_hash, audience or before'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'identifier_hash' })
    }
    const order = {
      tenantId,
      ...(identifier !== undefined && { pseudonyms: await pseudonymsOf(context, tenantId, identifier) }),
      ...(audienceId !== undefined && { audience: { audienceId, principalId: buyer } }),
      ...(before !== undefined && { before: timeOf(before) }),
    }
    return erase(store, order, isTrial)
  },
})

function timeOf(given: string): Date {
  const time = new Date(given)
  if (!Number.isNaN(time.getTime())) return time
  throw new AdcpError('INVALID_REQUEST', 'before is no time, e.g. 2026-01-31', { field: 'before' })
}

async function pseudonymsOf({ services }: OperatorContext, tenantId: string, value: string): Promise<string[]> {
  const pseudonyms = await services.pseudonyms()
  // Hashes are hexadecimal in lower case; other identifiers are taken as they are.
  const identifier = /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value
  return KINDS.map((kind) => pseudonyms.of(tenantId, kind, identifier))
}
