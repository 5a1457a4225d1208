import {
  CREATIVE_RULES,
  type CreativeRule,
  type CreativeRules,
  MAX_ADVERTISER_RULES,
  withCreativeRule,
} from '../../domain/creative/creative-rules.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  findCreativeRules,
  getCreativeRules,
  listBuyersCreativeRules,
  saveCreativeRules,
} from '../../store/identity/creative-rules.ts'
import { type ActContext, defineAct } from '../act.ts'
import { requireDomain } from '../domain-name.ts'
import { oneOf, required } from '../fields.ts'
import { buyerId } from '../named-buyer.ts'
import { READERS, SELLERS } from '../roles.ts'
import { about, list, listOf, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'
import { domainText } from '../text-form.ts'

// Several acts in one file: they list, change and remove the same thing.

/** Removes a rule, so that the publisher’s setting for all buyers applies again. */
export const NO_RULE = 'default'

const RULES = [...CREATIVE_RULES, NO_RULE] as const
const BUYER = required(buyerId('the buyer'))
const ADVERTISER = domainText('domain of the brand of the account; absent: every advertiser without a rule of its own')

const creativeRules = named(
  'CreativeRules',
  object({
    buyer: string,
    rule: about('what becomes of the creatives of the buyer; default: what the publisher set for all', word(...RULES)),
    advertisers: about('rules that come before it', listOf(object({ domain: string, rule: word(...CREATIVE_RULES) }))),
  }),
)
type ShownCreativeRules = Of<typeof creativeRules>

/** What was agreed about the creatives of a buyer; advertisers in the order of their domains. Throws REFERENCE_NOT_FOUND for an unknown buyer. */
export const showCreativeRules = defineAct({
  name: 'creatives.show-rules',
  route: 'GET /buyers/{buyer}/creative-rules',
  id: 'showCreativeRules',
  roles: READERS,
  summary: 'The review rules for the creatives of a buyer, and for those of certain advertisers.',
  fields: { buyer: BUYER },
  answer: creativeRules,
  run: async ({ store, tenantId }, { buyer }) =>
    describe(buyer, await getCreativeRules(store.read, { tenantId, principalId: buyer })),
})

const ruleRow = object({
  buyer: string,
  advertiser: about('domain of the brand; null: every advertiser without a rule of its own', orNull(string)),
  rule: word(...CREATIVE_RULES),
})

/** The rules of every buyer, or of one. Throws REFERENCE_NOT_FOUND for an unknown buyer. */
export const listCreativeRules = defineAct({
  name: 'creatives.list-rules',
  route: 'GET /creatives/rules',
  id: 'listCreativeRules',
  roles: READERS,
  summary: 'The review rules of buyers that have rules of their own.',
  fields: { buyer: buyerId('of one buyer, by its id; default: of every one') },
  answer: pageOf(ruleRow),
  command: {
    words: 'creatives rules list',
    columns: [
      ['BUYER', ({ buyer }) => buyer],
      ['ADVERTISER', ({ advertiser }) => advertiser ?? 'every other'],
      ['RULE', ({ rule }) => rule],
    ],
  },
  async run({ store, tenantId }, { buyer }) {
    if (buyer !== undefined) return list(rowsOf(buyer, await getCreativeRules(store.read, { tenantId, principalId: buyer })))
    return list((await listBuyersCreativeRules(store.read, tenantId)).flatMap(([id, rules]) => rowsOf(id, rules)))
  },
})

const ruleLine = ({ rule }: { readonly rule: string }, buyer: string, advertiser: string | undefined): readonly string[] => {
  const whose = `creatives of ${buyer}${advertiser === undefined ? '' : ` for ${advertiser}`}`
  return [rule === NO_RULE ? `${whose} have no rule of their own now` : `${whose}: ${rule}, from the next one on`]
}

/**
 * Says what becomes of the creatives that a buyer sends from now on, or of those for one of its advertisers: `approve`, `review` (a person decides),
 * `refuse`, or `default`. Creatives that were decided on stay as they are. Throws INVALID_REQUEST for a name that is no domain, and beyond 200
 * advertisers; REFERENCE_NOT_FOUND for an unknown buyer.
 */
export const setCreativeRule = defineAct({
  name: 'creatives.rule',
  route: 'PUT /buyers/{buyer}/creative-rules',
  id: 'setCreativeRule',
  roles: SELLERS,
  summary:
    'Sets whether creatives that a buyer sends from now on, or those for one advertiser, are approved, reviewed by a person or rejected.',
  fields: {
    buyer: BUYER,
    advertiser: ADVERTISER,
    rule: required(oneOf(RULES, 'what happens to them; default: the publisher’s setting for all buyers')),
  },
  answer: creativeRules,
  command: {
    words: 'creatives rules set',
    args: ['buyer', 'rule'],
    text: (_, { buyer, advertiser, rule }) => ruleLine({ rule }, buyer, advertiser),
  },
  run: (context, { buyer, advertiser, rule }) => change(context, buyer, advertiser, rule === NO_RULE ? undefined : rule),
})

/** Takes a rule away, so that the next wider one counts again. Throws as {@link setCreativeRule} does. */
export const removeCreativeRule = defineAct({
  name: 'creatives.remove-rule',
  route: 'DELETE /buyers/{buyer}/creative-rules',
  id: 'removeCreativeRule',
  roles: SELLERS,
  summary: 'Removes the review rule of a buyer, or that for one advertiser; the more general rule applies again.',
  fields: { buyer: BUYER, advertiser: ADVERTISER },
  answer: creativeRules,
  command: {
    words: 'creatives rules remove',
    text: (_, { buyer, advertiser }) => ruleLine({ rule: NO_RULE }, buyer, advertiser),
  },
  run: (context, { buyer, advertiser }) => change(context, buyer, advertiser, undefined),
})

function change(
  { store, tenantId, noteAllChanges }: ActContext,
  buyer: string,
  advertiser: string | undefined,
  rule: CreativeRule | undefined,
): Promise<ShownCreativeRules> {
  const owner = { tenantId, principalId: buyer }
  const domain = advertiser === undefined ? undefined : requireDomain(advertiser, 'advertiser')
  return store.transaction(async (tx) => {
    const before = await findCreativeRules(tx, owner)
    const rules = withCreativeRule(before, domain, rule)
    if (Object.keys(rules.advertisers ?? {}).length > MAX_ADVERTISER_RULES) {
      const message = `a buyer has rules for at most ${MAX_ADVERTISER_RULES} advertisers; take one away first`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'advertiser' })
    }
    await saveCreativeRules(tx, owner, rules)
    const ruleIn = ({ buyer: all, advertisers = {} }: CreativeRules) => (domain === undefined ? all : advertisers[domain])
    noteAllChanges({ [domain ?? 'every advertiser']: [ruleIn(before) ?? NO_RULE, rule ?? NO_RULE] })
    return describe(buyer, rules)
  })
}

function describe(buyer: string, { buyer: rule, advertisers = {} }: CreativeRules): ShownCreativeRules {
  const rows = Object.entries(advertisers).map(([domain, own]) => ({ domain, rule: own }))
  return { buyer, rule: rule ?? NO_RULE, advertisers: rows.toSorted((a, b) => (a.domain < b.domain ? -1 : 1)) }
}

function rowsOf(buyer: string, rules: CreativeRules): readonly Of<typeof ruleRow>[] {
  const own = describe(buyer, rules).advertisers.map(({ domain, rule }) => ({ buyer, advertiser: domain, rule }))
  return rules.buyer === undefined ? own : [...own, { buyer, advertiser: null, rule: rules.buyer }]
}
