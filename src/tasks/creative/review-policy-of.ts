import { reviewPolicy } from '../../domain/creative/creative-rules.ts'
import type { ReviewPolicy } from '../../domain/creative/review.ts'
import type { PrincipalRef, TenantSettings } from '../../domain/identity/principal.ts'
import { findAccount } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { findCreativeRules } from '../../store/identity/creative-rules.ts'

/** Who reviews the creatives that an agent sends for an account: the advertiser is the brand of the account. */
export async function reviewPolicyOf(
  db: Db,
  agent: PrincipalRef,
  accountId: string,
  settings: TenantSettings,
): Promise<ReviewPolicy> {
  const rules = await findCreativeRules(db, agent)
  const hasAdvertisers = Object.keys(rules.advertisers ?? {}).length > 0
  const account = hasAdvertisers && accountId !== '' ? await findAccount(db, agent, accountId) : undefined
  return reviewPolicy(rules, account?.document.brand?.domain, settings)
}
