import type { Config } from '../../config/config.ts'
import { forgetViewer } from '../../platform/valkey/forget-viewer.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { erase } from '../../store/privacy/personal-data.ts'
import { defineAct } from '../act.ts'
import { flag, text } from '../fields.ts'
import { moment } from '../moment.ts'
import { buyerId } from '../named-buyer.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requiredBeside } from '../party-members.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { integer, named, object } from '../shape.ts'
import { idText } from '../text-form.ts'

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
 * log. Throws INVALID_REQUEST when nothing is named, and for a buyer without an audience: what belongs to everybody would be erased.
 */
export const erasePersonalData = defineAct({
  name: 'privacy.erase',
  route: 'POST /privacy/erase',
  id: 'erasePersonalData',
  roles: ADMINISTRATORS,
  summary: 'Erases a person, an audience, or all that is older than a time.',
  fields: {
    identifier_hash: text(
      'the identifier as buyers send it: SHA-256 of a mail address or phone number, or a universal id; or the id that pages give of a visitor',
    ),
    audience: idText('an audience with everybody in it'),
    buyer: buyerId('with audience: only that of this buyer'),
    before: moment('members last sent and events received before this time'),
    dry_run: flag('only count'),
  },
  answer: named('Erased', object({ audiences: integer, members: integer, events: integer, exposures: integer })),
  command: {
    confirm: ({ dry_run: isTrial }) =>
      isTrial ? undefined : 'Personal data is erased for good (--dry-run shows how much). Go on?',
    text: ({ audiences, members, events, exposures }, { dry_run: isTrial }) => [
      `${isTrial ? 'would erase' : 'erased'} ${audiences} audience(s), ${members} member(s), ${events} event(s), ${exposures} ad(s) of lines with a frequency cap`,
    ],
    json: (erased, { dry_run: isTrial = false }, tenant) => ({ tenant, dry_run: isTrial, ...erased }),
  },
  async run(context, { identifier_hash: identifier, audience: audienceId, buyer, before, dry_run: isTrial = false }) {
    const { store, tenantId, config } = context
    if (identifier === undefined && audienceId === undefined && before === undefined) {
      const message = 'say what to erase: identifier_hash, audience or before'
      throw new AdcpError('INVALID_REQUEST', message, { field: 'identifier_hash' })
    }
    if (buyer !== undefined && audienceId === undefined) throw requiredBeside('audience', 'buyer')
    const order = {
      tenantId,
      ...(identifier !== undefined && (await pseudonymsOf(context, tenantId, identifier))),
      ...(audienceId !== undefined && { audience: { audienceId, principalId: buyer } }),
      ...(before !== undefined && { before: new Date(before) }),
    }
    // Whose data and how much of it, never who they were: an identifier is not in the log.
    const erased = await erase(store, order, isTrial, ({ audiences, members, events, exposures }) => {
      if (audienceId !== undefined) context.noteSubject(audienceId)
      context.noteChanges({
        buyer: [null, buyer ?? null],
        before: [null, before ?? null],
        erased_audiences: [null, audiences],
        erased_members: [null, members],
        erased_events: [null, events],
        erased_exposures: [null, exposures],
      })
    })
    // After the store, of which the counters are a copy.
    if (identifier !== undefined && !isTrial)
      await forgetCounted(config.ads, { tenantId, ...(await viewerOf(context, tenantId, identifier)) })
    return erased
  },
})

/** What a person's identifier may be stored as: in audiences and events under each kind, and what the counters of frequency caps know a visitor by. */
async function pseudonymsOf(context: OperatorContext, tenantId: string, value: string) {
  const pseudonyms = await context.services.pseudonyms()
  // Hashes are hexadecimal in lower case; other identifiers are taken as they are.
  const identifier = /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value
  return {
    pseudonyms: KINDS.map((kind) => pseudonyms.of(tenantId, kind, identifier)),
    ...(await viewerOf(context, tenantId, value)),
  }
}

/** Ids of visitors are taken as pages give them. */
async function viewerOf({ services }: OperatorContext, tenantId: string, value: string): Promise<{ readonly viewer: string }> {
  return { viewer: (await services.pseudonyms()).of(tenantId, 'visitor', value) }
}

/** Throws SERVICE_UNAVAILABLE when the counters do not answer: the store has nothing of the visitor any more, the counters may for half an hour. */
async function forgetCounted({ counters, valkey }: Config['ads'], viewer: Parameters<typeof forgetViewer>[1]): Promise<void> {
  if (counters === 'store') return
  try {
    await forgetViewer(valkey, viewer)
  } catch (cause) {
    const message =
      'what is stored is erased, but the counters of frequency caps (ads.valkey) do not answer; send the same again when they do'
    throw new AdcpError('SERVICE_UNAVAILABLE', message, { cause })
  }
}
