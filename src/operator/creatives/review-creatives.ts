import { CREATIVE_REVIEWS } from '../../domain/identity/principal.ts'
import { findTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { oneOf, required } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { object, word } from '../shape.ts'

/** Who reviews new creatives: the rules of this server (`automatic`), or a person for each of them. */
export const setCreativeReview = defineAct({
  name: 'creatives.review',
  route: 'PUT /creatives/review',
  id: 'setCreativeReview',
  roles: ADMINISTRATORS,
  summary: 'Sets who reviews new creatives: the rules of this server, or a person for each of them.',
  fields: { mode: required(oneOf(CREATIVE_REVIEWS, 'automatic: by the rules of this server; manual: by a person')) },
  subject: 'mode',
  answer: object({ creative_review: word(...CREATIVE_REVIEWS) }),
  command: { args: ['mode'], text: ({ creative_review: mode }) => [`new creatives: ${mode} review`] },
  async run({ store, tenantId, noteAllChanges }, { mode }) {
    await store.transaction(async (tx) => {
      const settings = (await findTenant(tx, tenantId))?.settings ?? {}
      await saveTenantSettings(tx, tenantId, { ...settings, creativeReview: mode })
      noteAllChanges({ creative_review: [settings.creativeReview ?? 'automatic', mode] })
    })
    return { creative_review: mode }
  },
})
