import { CREATIVE_RULES, NO_RULE, setCreativeRule, showCreativeRules } from '../../operator/creatives/creative-rules.ts'
import { listCreatives } from '../../operator/creatives/list-creatives.ts'
import { previewLink } from '../../operator/creatives/preview-link.ts'
import {
  CREATIVE_STATUSES,
  type CreativeStatus,
  decideCreative,
  defaultReason,
  PURGE_REASONS,
  purgeCreative,
  setCreativeReview,
} from '../../operator/creatives/review-creatives.ts'
import { previewOfCreative, showCreative } from '../../operator/creatives/show-creative.ts'
import { count, flag, oneOf, required, text } from '../../operator/fields.ts'
import { ADMINISTRATORS, READERS, SELLERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type AdminOperation, operation } from '../operation.ts'

const isStatus = (name: string): name is CreativeStatus => CREATIVE_STATUSES.includes(name)
const STATUSES = CREATIVE_STATUSES.filter(isStatus)

export const creativeOperations: readonly AdminOperation[] = [
  operation('GET /creatives', 'listCreatives', {
    roles: READERS,
    summary: 'Creatives in one status, those that were changed longest ago first, by pages.',
    fields: {
      status: oneOf(STATUSES, 'default: pending_review'),
      cursor: text('next_cursor of the page before'),
      limit: count('creatives of a page, 1 to 200; default 50'),
    },
    async run(context, { tenantId, values: { status = 'pending_review', ...page } }) {
      const { creatives, next_cursor } = await listCreatives(context, { tenantId, status, ...page })
      return list(creatives, next_cursor)
    },
  }),
  operation('GET /creatives/{buyer}/{account}/{creative}', 'showCreative', {
    roles: READERS,
    summary: 'One creative with what it is made of. Account - stands for none.',
    fields: {},
    run: (context, { tenantId, params }) => showCreative(context, named(tenantId, params)),
  }),
  operation('GET /creatives/{buyer}/{account}/{creative}/preview', 'previewCreative', {
    roles: READERS,
    summary: 'An HTML document that shows a creative; it holds what the buyer sent: show it in a sandboxed frame only.',
    fields: {},
    async run(context, { tenantId, params }) {
      const preview = await previewOfCreative(context, named(tenantId, params))
      if (preview) return preview
      throw new AdcpError('INVALID_STATE', `nothing of the creative ${params.creative} can be shown`)
    },
  }),
  operation('POST /creatives/{buyer}/{account}/{creative}/preview-links', 'linkCreativePreview', {
    roles: SELLERS,
    summary: 'Makes a signed link that shows a creative on a page of the publisher, and counts nothing.',
    fields: {
      page: text('address of the page'),
      place: text('id of the place on it'),
      days: count('days for which the link is good, 1 to 90'),
    },
    run: (context, { tenantId, params, values }) => previewLink(context, { ...named(tenantId, params), ...values }),
  }),
  operation('POST /creatives/{buyer}/{account}/{creative}/decide', 'decideCreative', {
    roles: SELLERS,
    summary: 'Lets a creative run, or refuses it: then it stops serving.',
    fields: {
      status: required(oneOf(['approved', 'rejected'], 'the decision')),
      reason: text('the reason that the buyer reads'),
    },
    async run(context, { tenantId, params, values }) {
      const { accountId, ...creative } = named(tenantId, params)
      const account = accountId === '' ? {} : { accountId }
      return { creative_id: params.creative, status: await decideCreative(context, { ...creative, ...account, ...values }) }
    },
  }),
  operation('POST /creatives/{buyer}/{account}/{creative}/purge', 'purgeCreative', {
    roles: SELLERS,
    summary: 'Destroys a creative; a record stays for 30 days, unless it is hard.',
    fields: {
      hard: flag('leave no record; for legal erasure and the like'),
      reason_code: oneOf(PURGE_REASONS, 'why, for subscribers of the account'),
      reason: text('the same in words, without personal data'),
    },
    async run(context, { tenantId, params, values: { hard, reason_code: code, reason: detail } }) {
      const { accountId, ...creative } = named(tenantId, params)
      const kind = hard ? ('hard' as const) : ('soft' as const)
      const purge = { kind, reason: code ?? defaultReason(kind), detail }
      await purgeCreative(context, { ...creative, ...(accountId !== '' && { accountId }), purge })
      return { creative_id: params.creative, purged: kind }
    },
  }),
  operation('GET /buyers/{buyer}/creative-rules', 'showCreativeRules', {
    roles: READERS,
    summary: 'What becomes of the creatives of a buyer, and of those for certain advertisers.',
    fields: {},
    run: (context, { tenantId, params }) => showCreativeRules(context, { tenantId, principalId: params.buyer }),
  }),
  operation('PUT /buyers/{buyer}/creative-rules', 'setCreativeRule', {
    roles: SELLERS,
    summary: 'Approves, keeps for a person or refuses the creatives that a buyer sends from now on, or those for one advertiser.',
    fields: {
      advertiser: text('domain of the brand of the account; absent: every advertiser without a rule of its own'),
      rule: required(oneOf([...CREATIVE_RULES, NO_RULE], 'default: what the publisher set for all')),
    },
    run: (context, { tenantId, params, values }) => setCreativeRule(context, { tenantId, principalId: params.buyer, ...values }),
  }),
  operation('PUT /creatives/review', 'setCreativeReview', {
    roles: ADMINISTRATORS,
    summary: 'Who reviews new creatives: the rules of this server, or a person for each of them.',
    fields: { mode: required(oneOf(['automatic', 'manual'], 'automatic: by rules; manual: by a person')) },
    async run(context, { tenantId, values: { mode } }) {
      await setCreativeReview(context, tenantId, mode)
      return { creative_review: mode }
    },
  }),
]

function named(tenantId: string, params: { readonly buyer: string; readonly account: string; readonly creative: string }) {
  const { buyer: principalId, account, creative: creativeId } = params
  return { tenantId, principalId, accountId: account === '-' ? '' : account, creativeId }
}
