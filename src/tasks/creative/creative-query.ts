import type { CreativeFilters } from '@adcp/sdk'
import type { AccountReference } from '@adcp/sdk/types'
import { isBlank, naturalKeyOf } from '../../domain/account/account.ts'
import { equalReferences } from '../../domain/creative/formats/official-formats.ts'
import { filterTimes } from '../../domain/filter-times.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { findAccount, findAccountByKey } from '../../store/account/accounts.ts'
import type { CreativeQuery } from '../../store/creative/creative-query.ts'

/**
 * The library query of a request: within the account that it names, else in all accounts of the agent. A blank account holds
 * nothing of its own. `servedIds` answers `has_served`, which only the ad server knows.
 */
export async function creativeQueryOf(
  context: AuthenticatedContext,
  filters: CreativeFilters,
  servedIds: readonly string[],
  includePurged: boolean,
): Promise<CreativeQuery> {
  const named = filters.accounts && (await accountIdsOf(context, filters.accounts))
  const { account, now } = context
  const own = account && (isBlank(account) ? [] : [account.accountId])
  const accountIds = own && named ? both(own, named) : (own ?? named)
  return {
    accountIds,
    statuses: filters.statuses,
    creativeIds: filters.has_served ? both(servedIds, filters.creative_ids ?? servedIds) : filters.creative_ids,
    exceptIds: filters.has_served === false ? servedIds : undefined,
    nameContains: filters.name_contains,
    allTags: filters.tags,
    anyTag: filters.tags_any,
    conceptIds: filters.concept_ids,
    formatIds: filters.format_ids?.flatMap((format) => equalReferences(format, context.services.wiring.agentUrl)),
    hasVariables: filters.has_variables,
    ...filterTimes(filters),
    packageIds: filters.assigned_to_packages,
    mediaBuyIds: filters.media_buy_ids,
    unassigned: filters.unassigned,
    includePurged,
    now,
  }
}

/** The ids of the first list that are in the second. */
function both(ids: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return ids.filter((id) => known.has(id))
}

/** Ids of the agent's own accounts among the references; another's matches nothing, like one that does not exist. */
async function accountIdsOf(
  { db, principal }: AuthenticatedContext,
  references: readonly AccountReference[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    references.map((reference) => {
      const key = naturalKeyOf(reference)
      if (key) return findAccountByKey(db, principal, key)
      return 'account_id' in reference ? findAccount(db, principal, reference.account_id) : undefined
    }),
  )
  return found.flatMap((account) => (account ? [account.accountId] : []))
}
