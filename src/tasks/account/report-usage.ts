import type { ReportUsageRequest, ReportUsageResponse } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { requirePermission } from '../../domain/account/permission.ts'
import { insteadOfBuy } from '../../domain/media-buy/not-found.ts'
import { type ReportedUsage, subjectOf, type UsagePeriod, usageOf, usagePeriod } from '../../domain/signal/usage.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import { findOrOpenAccount } from '../../store/account/account-references.ts'
import { insertUsage } from '../../store/account/usage.ts'
import { findMediaBuys, newestMediaBuyIds } from '../../store/media-buy/media-buys.ts'
import { unknownSignals, usageTerms } from './usage-terms.ts'

/** Records of one request; the protocol sets no bound, and each is a few queries in one transaction. */
const MOST_RECORDS = 1000

type Context = InTransaction<AuthenticatedContext>

export const reportUsage = defineTask<ReportUsageRequest, ReportUsageResponse>()({
  name: 'report_usage',
  mutating: true,
  access: 'authenticated',
  scope: 'accounts',
  ofPrograms: true,
  summary: 'Report your use of priced services, e.g. signals. Correct records are billed.',
  unknown: async ({ usage = [] }, context) => unknownSignals(usage, context),
  async handle(request, context) {
    const period = usagePeriod(request.reporting_period, { now: context.now, anyTime: context.principal.sandbox })
    if (request.usage.length > MOST_RECORDS) {
      throw new AdcpError('INVALID_REQUEST', `at most ${MOST_RECORDS} records at once`, { field: 'usage' })
    }
    const errors: WireError[] = []
    const accounts: Account[] = []
    for (const [index, usage] of request.usage.entries()) {
      try {
        accounts.push(await record(context, usage, period, `usage[${index}]`))
      } catch (error) {
        if (!(error instanceof AdcpError)) throw error
        errors.push(toWireError(error))
      }
    }
    const simulated = context.principal.sandbox || (accounts.length > 0 && accounts.every(({ sandbox }) => sandbox))
    return {
      accepted: accounts.length,
      ...(errors.length > 0 && { errors: errors as NonNullable<ReportUsageResponse['errors']> }),
      ...(simulated && { sandbox: true }),
    }
  },
})

/** Verifies and stores one record; gives its account. Throws what is wrong with it. */
async function record(context: Context, usage: ReportedUsage, period: UsagePeriod, path: string): Promise<Account> {
  const { tx, principal, now } = context
  const account = await findOrOpenAccount(tx, principal, usage.account, now)
  if (!account) throw new AdcpError('ACCOUNT_NOT_FOUND', `${path}.account is not one of yours`, { field: `${path}.account` })
  requirePermission(account.permission, { name: 'report_usage', isMutating: true })
  const subject = subjectOf(usage, path)
  const terms = await usageTerms(context, account, subject, `${path}.${subject.kind}`)
  await requireMediaBuy(context, account, usage.media_buy_id, `${path}.media_buy_id`)
  const checked = usageOf(usage, { subject, terms, period, now, path })
  const owner = { tenantId: principal.tenantId, principalId: principal.principalId, accountId: account.accountId }
  if (await insertUsage(tx, owner, checked, now)) return account
  throw new AdcpError('INVALID_STATE', `${path} was reported already: the same service and period`, { field: path })
}

async function requireMediaBuy(
  { tx, principal }: Context,
  account: Account,
  id: string | undefined,
  field: string,
): Promise<void> {
  if (id === undefined) return
  const [buy] = await findMediaBuys(tx, principal, [id])
  if (buy && (principal.conformance || buy.accountId === account.accountId)) return
  const newest = await newestMediaBuyIds(tx, principal, account.accountId)
  throw new AdcpError('MEDIA_BUY_NOT_FOUND', `${field} is not a media buy of this account${insteadOfBuy(id, newest)}`, { field })
}
