import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../../domain/account/account.ts'
import type { SyncedAccount } from '../../domain/account/sync-accounts.ts'
import {
  type Generation,
  nameOf,
  presentGeneration,
  type ReportingConfig,
  replaceGenerations,
} from '../../domain/reporting/generation.ts'
import { destinationRefOf } from '../../domain/reporting/obligation.ts'
import { canPublishAt } from '../../domain/reporting/offering.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { accountMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { listGenerations, saveGenerations } from '../../store/reporting/generations.ts'
import { countsHours } from '../counts-hours.ts'

type Context = InTransaction<AuthenticatedContext>

/** What an answer of a release that has them says of an account's reports. */
export type WithReports<T> = T & { reporting_delivery_configs?: readonly ReturnType<typeof presentGeneration>[] }

/** AdCP 3.2, account/sync-accounts-request.json. */
const MOST_SHOWN = 16

/** The configurations that an entry replaces those of its account with; undefined where it leaves them as they are. */
function wantedIn(declared: object, { contract }: Pick<Context, 'contract'>): readonly ReportingConfig[] | undefined {
  return contract.has('get_reporting_status') ? Reflect.get(declared, 'reporting_delivery_configs') : undefined
}

/** Why the configurations of an entry are refused, before anything of it is written; undefined where they are not. */
export async function reportsFault(
  declared: object,
  account: Account | undefined,
  index: number,
  context: Context,
): Promise<AdcpError | undefined> {
  try {
    await replaced(declared, account?.accountId, `accounts[${index}].reporting_delivery_configs`, context)
    return undefined
  } catch (error) {
    if (error instanceof AdcpError) return error
    throw error
  }
}

/** The account with the state of its reports, once those of the entry have replaced the ones before; with `dry_run` nothing is stored. */
export async function withReports(
  declared: object,
  synced: SyncedAccount,
  { index, dryRun }: { readonly index: number; readonly dryRun: boolean },
  context: Context,
): Promise<WithReports<SyncedAccount>> {
  const { account_id: accountId } = synced
  if (synced.action === 'failed' || !context.contract.has('get_reporting_status')) return synced
  const { stored, all } = await replaced(declared, accountId, `accounts[${index}].reporting_delivery_configs`, context)
  const { tenantId, principalId } = context.principal
  const isChanged = !isDeepStrictEqual(stored.toSorted(byName), all.toSorted(byName))
  if (isChanged && accountId !== undefined && !dryRun)
    await saveGenerations(context.tx, { tenantId, principalId, accountId }, all)
  const action = isChanged && synced.action === 'unchanged' ? 'updated' : synced.action
  if (all.length === 0) return { ...synced, action }
  return { ...synced, action, reporting_delivery_configs: await shown(all, accountId ?? '', context) }
}

function byName(a: Generation, b: Generation): number {
  return nameOf(a) < nameOf(b) ? -1 : 1
}

/** The state of the reports of an account that is listed. */
export async function listedReports<T extends { readonly account_id: string }>(
  account: T,
  context: Pick<Context, 'tx' | 'principal' | 'contract' | 'now'>,
): Promise<WithReports<T>> {
  const { tx, contract, principal } = context
  if (!contract.has('get_reporting_status')) return account
  const { tenantId, principalId } = principal
  const generations = await listGenerations(tx, { tenantId, principalId, accountId: account.account_id })
  return generations.length === 0
    ? account
    : { ...account, reporting_delivery_configs: await shown(generations, account.account_id, context) }
}

/** The configurations of an account, and what the entry makes of them. */
async function replaced(
  declared: object,
  accountId: string | undefined,
  path: string,
  context: Context,
): Promise<{ readonly stored: readonly Generation[]; readonly all: readonly Generation[] }> {
  const { tx, principal, services, now } = context
  const { tenantId, principalId } = principal
  const stored = accountId === undefined ? [] : await listGenerations(tx, { tenantId, principalId, accountId })
  const wanted = wantedIn(declared, context)
  if (!wanted) return { stored, all: stored }
  if (wanted.length > 0 && !canPublishAt(new URL(services.wiring.agentUrl).origin))
    throw new AdcpError('UNSUPPORTED_FEATURE', `${path}: this agent publishes no reports, since it has no public https address`, {
      field: path,
    })
  const named = [...new Set(wanted.flatMap(({ scope }) => scope.media_buy_ids ?? []))]
  const buys = named.length === 0 ? [] : await findMediaBuys(tx, principal, named)
  const ownBuys = new Set(buys.filter((buy) => buy.accountId === accountId).map(({ mediaBuyId }) => mediaBuyId))
  const place = {
    origin: new URL(services.wiring.agentUrl).origin,
    destinationRef: destinationRefOf(principal),
    timeZone: wanted.length > 0 ? await deliveryZone(tx, tenantId) : 'UTC',
    countsHours: countsHours(services, tenantId, principal),
  }
  return { stored, all: replaceGenerations(stored, wanted, { ownBuys, now, path, place }) }
}

/** Active ones, then those that ended last. */
async function shown(
  generations: readonly Generation[],
  accountId: string,
  { tx, principal, now }: Pick<Context, 'tx' | 'principal' | 'now'>,
) {
  const buys = await accountMediaBuys(tx, principal, accountId, now)
  const rank = ({ deactivatedAt }: Generation) => deactivatedAt ?? '~'
  return generations
    .toSorted((a, b) => (rank(a) < rank(b) ? 1 : rank(a) > rank(b) ? -1 : 0))
    .slice(0, MOST_SHOWN)
    .map((generation) => presentGeneration(generation, buys, { now, destinationRef: destinationRefOf(principal) }))
}
