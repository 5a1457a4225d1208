import {
  CREATIVE_RULES,
  type CreativeRule,
  type CreativeRules,
  MAX_ADVERTISER_RULES,
  withCreativeRule,
} from '../../domain/creative/creative-rules.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreativeRules, getCreativeRules, saveCreativeRules } from '../../store/identity/creative-rules.ts'
import { auditedStore } from '../audited-store.ts'
import { requireDomain } from '../domain-name.ts'
import type { OperatorContext } from '../operator-context.ts'

export { CREATIVE_RULES }

/** Takes a rule away, so that what is set for all counts again. */
export const NO_RULE = 'default'

interface Buyer {
  readonly tenantId: string
  readonly principalId: string
}

/** What becomes of the creatives of a buyer: `default` is what the publisher set for all. */
export interface ShownCreativeRules {
  readonly buyer: CreativeRule | typeof NO_RULE
  readonly advertisers: readonly { readonly domain: string; readonly rule: CreativeRule }[]
}

/** What was agreed about the creatives of a buyer; advertisers in the order of their domains. Throws REFERENCE_NOT_FOUND for a buyer that there is not. */
export async function showCreativeRules({ store }: OperatorContext, buyer: Buyer): Promise<ShownCreativeRules> {
  return describe(await getCreativeRules(store.read, buyer))
}

/**
 * Says what becomes of the creatives that a buyer sends from now on, or of those for one of its advertisers: `approve`, `review` (a person decides),
 * `refuse`, or `default`. Creatives that were decided on stay as they are. Throws INVALID_REQUEST for another word, a name that is no domain, and beyond 200
 * advertisers; REFERENCE_NOT_FOUND for a buyer that there is not.
 */
export async function setCreativeRule(
  context: OperatorContext,
  { advertiser, rule, ...buyer }: Buyer & { readonly advertiser?: string | undefined; readonly rule: string },
): Promise<ShownCreativeRules> {
  const chosen = readRule(rule)
  const domain = advertiser === undefined ? undefined : requireDomain(advertiser, 'advertiser')
  const subject = [buyer.principalId, domain, rule].filter((word) => word !== undefined).join(' ')
  const store = auditedStore(context, { task: 'creatives.rule', tenant: buyer.tenantId, subject })
  return store.transaction(async (tx) => {
    const rules = withCreativeRule(await findCreativeRules(tx, buyer), domain, chosen)
    if (Object.keys(rules.advertisers ?? {}).length > MAX_ADVERTISER_RULES)
      throw new AdcpError(
        'INVALID_REQUEST',
        `a buyer has rules for at most ${MAX_ADVERTISER_RULES} advertisers; take one away first`,
        {
          field: 'advertiser',
        },
      )
    await saveCreativeRules(tx, buyer, rules)
    return describe(rules)
  })
}

function readRule(text: string): CreativeRule | undefined {
  if (text === NO_RULE) return undefined
  const rule = CREATIVE_RULES.find((each) => each === text)
  if (rule) return rule
  throw new AdcpError('INVALID_REQUEST', `rule "${text}" is not valid; valid: ${[...CREATIVE_RULES, NO_RULE].join(', ')}`, {
    field: 'rule',
  })
}

function describe({ buyer, advertisers = {} }: CreativeRules): ShownCreativeRules {
  const rows = Object.entries(advertisers).map(([domain, rule]) => ({ domain, rule }))
  return { buyer: buyer ?? NO_RULE, advertisers: rows.toSorted((a, b) => (a.domain < b.domain ? -1 : 1)) }
}
