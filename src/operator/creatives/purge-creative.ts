import { checkPurge, defaultReason, PURGE_KINDS, PURGE_REASONS, type PurgeKind } from '../../domain/creative/purge.ts'
import { purgeNamedCreative } from '../../tasks/creative/purge-creative.ts'
import { defineAct } from '../act.ts'
import { flag, logged, oneOf } from '../fields.ts'
import { reasonField } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { object, string, word } from '../shape.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'

/**
 * Deletes a creative permanently: it is no longer served, it is removed from its buyer's library, and the subscribers of its account are notified. A soft purge
 * keeps a record without the content for 30 days, a hard purge keeps nothing. Throws CREATIVE_NOT_FOUND, and INVALID_REQUEST for a `reason_code` that does not
 * go with the kind of purge.
 */
export const purgeCreative = defineAct({
  name: 'creatives.purge',
  account: 'account',
  route: 'POST /creatives/{buyer}/{account}/{creative}/purge',
  id: 'purgeCreative',
  roles: SELLERS,
  summary: 'Deletes a creative permanently. A record without its content is kept for 30 days, unless `hard` is set.',
  fields: {
    ...CREATIVE,
    hard: logged(flag('keep no record: for an erasure that the law demands')),
    reason_code: logged(oneOf(PURGE_REASONS, 'why, as the subscribers of the account are told')),
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
