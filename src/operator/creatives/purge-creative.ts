import { checkPurge, defaultReason, PURGE_KINDS, PURGE_REASONS, type PurgeKind } from '../../domain/creative/purge.ts'
import { purgeNamedCreative } from '../../tasks/creative/purge-creative.ts'
import { defineAct } from '../act.ts'
import { flag, oneOf } from '../fields.ts'
import { reasonField } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'

/**
 * Destroys a creative for good: it stops serving, leaves its buyer's library, and the subscribers of its account are notified. A soft purge leaves a record
 * without the content for 30 days, a hard one nothing. Throws CREATIVE_NOT_FOUND, INVALID_REQUEST for a reason that is not one of the kind.
 */
export const purgeCreative = defineAct({
  name: 'creatives.purge',
  route: 'POST /creatives/{buyer}/{account}/{creative}/purge',
  id: 'purgeCreative',
  roles: SELLERS,
  summary: 'Destroys a creative; a record stays for 30 days, unless it is hard.',
  fields: {
    ...CREATIVE,
    hard: flag('leave no record; for legal erasure and the like'),
    reason_code: oneOf(PURGE_REASONS, 'why, for subscribers of the account'),
    reason: reasonField('the same in words, without personal data'),
  },
  answer: object({ creative_id: string, purged: word(...PURGE_KINDS) }),
  command: {
    ...CREATIVE_COMMAND,
    confirm: ({ buyer, creative }) => `Creative ${creative} of ${buyer} is destroyed for good. Go on?`,
    text: ({ creative_id: id }) => [`creative ${id} is destroyed`],
  },
  async run({ store, tenantId, clock }, { hard, reason_code: code, reason: detail, ...named }) {
    const kind: PurgeKind = hard ? 'hard' : 'soft'
    const purge = { kind, reason: code ?? defaultReason(kind), detail } as const
    checkPurge(purge, 'reason_code')
    const { accountId } = await findNamedCreative(store.read, tenantId, named)
    await purgeNamedCreative(store, { tenantId, principalId: named.buyer, accountId, creativeId: named.creative }, purge, clock())
    return { creative_id: named.creative, purged: kind }
  },
})
