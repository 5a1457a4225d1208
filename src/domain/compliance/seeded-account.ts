import { isObject } from '../../protocol/is-object.ts'
import type { NaturalKey } from '../account/account.ts'
import type { AccountDocument, AccountStatus } from '../account/account-document.ts'
import { PAYMENT_TERMS } from '../account/account-document.ts'
import { TRANSITIONS } from '../account/lifecycle.ts'
import { BILLING_PARTIES } from '../identity/principal.ts'
import { invalidParam, oneOf, type Params } from './params.ts'

const STATUSES = Object.keys(TRANSITIONS) as AccountStatus[]

/** Members of the official account object (core/account.json) that a fixture sets as plain texts. */
const TEXTS = ['name', 'advertiser', 'billing_proxy', 'operator', 'rate_card'] as const

/** What a fixture says of an account. `key` is there when it names a brand and an operator. */
export interface SeededAccount {
  readonly status: AccountStatus
  readonly key: NaturalKey | undefined
  readonly document: Omit<AccountDocument, 'account_id' | 'status'>
}

/**
 * An account of what the controller seeds, which may be as little as an id: it is active then. Throws INVALID_REQUEST for members of the wrong type;
 * whether the texts are well-formed is for the official schema to say.
 */
export function seededAccount(accountId: string, fixture: Params): SeededAccount {
  const brand = brandOf(fixture)
  const texts = textsOf(fixture)
  const { billing, payment_terms: terms } = fixture
  const key = brand &&
    texts.operator !== undefined && {
      brandDomain: brand.domain.toLowerCase(),
      brandId: brand.brand_id,
      operator: texts.operator.toLowerCase(),
      sandbox: true,
    }
  return {
    status: fixture.status === undefined ? 'active' : oneOf(fixture.status, STATUSES, 'fixture.status'),
    key: key || undefined,
    document: {
      name: `${accountId} (sandbox)`,
      ...texts,
      ...(brand && { brand }),
      ...(billing !== undefined && { billing: oneOf(billing, BILLING_PARTIES, 'fixture.billing') }),
      ...(terms !== undefined && {
        payment_terms: oneOf(terms, PAYMENT_TERMS, 'fixture.payment_terms'),
      }),
      ...creditOf(fixture),
      sandbox: true,
    },
  }
}

function textsOf(fixture: Params): { readonly [Name in (typeof TEXTS)[number]]?: string } {
  const texts: { [Name in (typeof TEXTS)[number]]?: string } = {}
  for (const name of TEXTS) {
    const value = fixture[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || value === '') throw invalidParam(`fixture.${name}`, 'must be a text')
    texts[name] = value
  }
  return texts
}

function brandOf({ brand }: Params): AccountDocument['brand'] {
  if (brand === undefined) return undefined
  if (!isObject(brand) || typeof brand.domain !== 'string') throw invalidParam('fixture.brand', 'must have a domain')
  return { domain: brand.domain, ...(typeof brand.brand_id === 'string' && { brand_id: brand.brand_id }) }
}

function creditOf({ credit_limit: limit }: Params): Pick<AccountDocument, 'credit_limit'> {
  if (limit === undefined) return {}
  if (!isObject(limit) || typeof limit.amount !== 'number' || typeof limit.currency !== 'string')
    throw invalidParam('fixture.credit_limit', 'must have amount and currency')
  return { credit_limit: { amount: limit.amount, currency: limit.currency } }
}
